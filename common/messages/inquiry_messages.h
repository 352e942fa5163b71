// The requests of sprio, sdiag and scontrol that are not about single jobs or nodes, and the
// replies. client_messages.h has all other messages of clients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/messages/partition_messages.h"

namespace cox {

// Lists the pending jobs with the parts of their priority, for sprio.
struct ListPriorities {
  static constexpr int tag = 41;
  std::vector<JobId> ids;            // empty: all
  std::vector<std::string> tasks{};  // as in ListJobs
  std::string user_name;             // empty: all
  std::string partition;             // empty: all
  JobId after;                       // last id of the page before; 0: the first page
  COX_FIELDS(ids, tasks, user_name, partition, after);
};

struct PriorityFactor {
  std::string name;  // "age", "fairshare", "nice"
  double value = 0;  // what it adds to the priority; in `weights`: its weight
  COX_FIELDS(name, value);
};

struct JobPriority {
  JobId id;
  std::string job_name;  // id as people write it: "17_4"
  std::string user_name;
  std::string account;
  std::string partition;
  std::string qos;
  std::int64_t tier = 0;  // tier of its QOS, which decides before the priority does
  double priority = 0;    // sum of the factors' values
  std::vector<PriorityFactor> factors;
  // After how many seconds in the queue it goes first (schedule/queue/order.h); 0: never.
  std::int64_t first_after_s = 0;
  COX_FIELDS(id, job_name, user_name, account, partition, qos, tier, priority, factors,
             first_after_s);
};

struct PriorityList {
  static constexpr int tag = 114;
  std::vector<JobPriority> jobs;        // by id
  std::vector<PriorityFactor> weights;  // the configured weight of each factor
  bool more = false;
  COX_FIELDS(jobs, weights, more);
};

// Returns the controller's configuration.
struct ShowConfiguration {
  static constexpr int tag = 42;
  COX_FIELDS();
};

// A switch or a block. `nodes` are all nodes below it, `switches` the switches one level below.
struct SwitchView {
  std::string name;
  std::int64_t level = 0;  // 0: a leaf
  std::string nodes;       // hostlists: nodes, switches
  std::string switches;
  COX_FIELDS(name, level, nodes, switches);
};

struct Configuration {
  static constexpr int tag = 115;
  std::vector<NamedValue> settings;  // with Slurm's name of a setting if Slurm has it
  Wall now{};
  std::vector<SwitchView> switches{};  // the leaves first
  COX_FIELDS(settings, now, switches);
};

// Returns statistics of the controller since its start, for sdiag.
struct ShowStatistics {
  static constexpr int tag = 43;
  COX_FIELDS();
};

struct Statistics {
  static constexpr int tag = 116;
  Wall since{};
  Wall now{};
  std::vector<NamedValue> values;
  COX_FIELDS(since, now, values);
};

// Returns the script of a batch job. Only the job's owner and operators may read it.
struct ReadScript {
  static constexpr int tag = 44;
  JobId id;
  std::int64_t task = -1;  // as in ShowJob
  COX_FIELDS(id, task);
};

struct Script {
  static constexpr int tag = 117;
  std::string text;
  COX_FIELDS(text);
};

}  // namespace cox
