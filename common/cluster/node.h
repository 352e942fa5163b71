// A node: the row of cox.node, the controller's copy in memory, and a reply to clients.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/resources.h"

namespace cox {

// The cause of a drain. A drain by HealthCheck or Failures ends by itself, once the check passes or
// the failures are old. Every other drain ends when a person resumes the node.
enum class DrainedBy : std::uint8_t {
  Nobody,
  Person,
  HealthCheck,   // the worker: its health check fails
  Failures,      // the controller: too many failures that the node caused
  KillTask,      // the controller: processes there outlive SIGKILL
  PrologEpilog,  // the controller: a prolog or an epilog failed there
};
std::string_view name(DrainedBy by);

// A failure that the node caused.
struct NodeFailure {
  JobId job;  // the job that failed, for an array the array's id; 0: the node was lost
  Wall at{};

  COX_FIELDS(job, at);
  bool operator==(const NodeFailure&) const = default;
};

// The load that the node's operating system reports. It is a momentary estimate, not state.
struct NodeLoad {
  std::int64_t cpu_load_percent = 0;  // 1-minute load average times 100: 150 is 1.5
  std::int64_t free_memory_mb = 0;    // memory that is free even of caches

  COX_FIELDS(cpu_load_percent, free_memory_mb);
  bool operator==(const NodeLoad&) const = default;
};

struct NodeEvent {
  std::string node;
  Wall at{};
  std::string what;  // "not responding", "returned", "drained", "resumed", "failure", "forgiven"
  std::string why;
  std::string actor;

  COX_FIELDS(node, at, what, why, actor);
};

struct Node {
  std::string name;
  NodeResources total;
  std::vector<std::string> features;
  std::string address;       // numeric
  std::string log_endpoint;  // where clients read the output of its ranks from its worker
  std::string log_key;       // CURVE public key (Z85) of that endpoint
  std::string boot_id;
  std::string version;
  bool drained = false;  // no new work
  // Its heartbeats arrive (node_timeout); after a silence, return_beats of them first.
  bool responding = false;
  std::string reason;  // why it is drained or silent
  Wall changed{};
  std::int64_t weight = 1;  // nodes of less weight are used first, if several fit a job equally
  DrainedBy drained_by = DrainedBy::Nobody;
  std::vector<Wall> returned{};  // when it recently responded again after a silence, oldest first
  std::vector<NodeFailure> failures{};  // recent failures, oldest first
  bool set_down = false;  // scontrol update state=DOWN: it is drained and its jobs were ended
  std::string reason_by;  // who drained it: "user root", "controller"; empty: not drained
  // The identity of its worker's spool folder, random and made with the folder. Empty: not known.
  std::string spool_id{};

  COX_FIELDS(name, total, features, address, log_endpoint, log_key, boot_id, version, drained,
             responding, reason, changed, weight, drained_by, returned, failures, set_down,
             reason_by, spool_id);
  bool operator==(const Node&) const = default;
};

}  // namespace cox
