// A node: the row of cox.node, the controller's memory of it, and what clients are shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/resources.h"

namespace cox {

// Who keeps new work away from a node; only the same gives it work again, or a person.
enum class DrainedBy : std::uint8_t {
  Nobody,
  Person,
  HealthCheck,   // its worker: a check of its own fails
  Failures,      // the controller: too much has failed there for the node's reasons
  KillTask,      // the controller: processes there outlive SIGKILL
  PrologEpilog,  // the controller: a prolog or an epilog failed there
};
std::string_view name(DrainedBy by);

// Something failed there for the node's reasons.
struct NodeFailure {
  JobId job;  // whose attempt; of an array its id; 0: the node itself was lost
  Wall at{};

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.job, self.at);
  }
  bool operator==(const NodeFailure&) const = default;
};

// The load that the node's operating system reports. It is a momentary estimate, not state.
struct NodeLoad {
  std::int64_t cpu_load_percent = 0;  // 1-minute load average times 100: 150 is 1.5
  std::int64_t free_memory_mb = 0;    // unused memory, not even used as a cache

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.cpu_load_percent, self.free_memory_mb);
  }
  bool operator==(const NodeLoad&) const = default;
};

struct NodeEvent {
  std::string node;
  Wall at{};
  std::string what;  // "not responding", "returned", "drained", "resumed", "failure", "forgiven"
  std::string why;
  std::string actor;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.node, self.at, self.what, self.why, self.actor);
  }
};

struct Node {
  std::string name;
  NodeResources total;
  std::vector<std::string> features;
  std::string address;       // numeric
  std::string log_endpoint;  // where its worker answers readers of logs
  std::string log_key;       // CURVE public key (Z85) of that endpoint
  std::string boot_id;
  std::string version;
  bool drained = false;     // no new work
  bool responding = false;  // heard within node_timeout, and often enough since it was not
  std::string reason;       // of the drain or the silence
  Wall changed{};
  std::int64_t weight = 1;  // of nodes that would do the lighter are taken first
  DrainedBy drained_by = DrainedBy::Nobody;
  std::vector<Wall> returned{};         // from silence, lately; oldest first
  std::vector<NodeFailure> failures{};  // likewise
  bool set_down = false;                // by an operator: drained, and its jobs are ended
  std::string reason_by;                // who drained it, as an event's actor; of no drain empty

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.total, self.features, self.address, self.log_endpoint, self.log_key,
          self.boot_id, self.version, self.drained, self.responding, self.reason, self.changed,
          self.weight, self.drained_by, self.returned, self.failures, self.set_down,
          self.reason_by);
  }
  bool operator==(const Node&) const = default;
};

}  // namespace cox
