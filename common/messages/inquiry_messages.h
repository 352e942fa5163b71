// What sprio, sdiag and scontrol ask beside jobs and nodes; client_messages.h has the rest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/messages/partition_messages.h"

namespace cox {

// What the priority of each pending job is made of.
struct ListPriorities {
  static constexpr int tag = 41;
  std::vector<JobId> ids;            // empty: all
  std::vector<std::string> tasks{};  // as in ListJobs
  std::string user_name;             // empty: all
  std::string partition;             // empty: all
  JobId after;                       // the page begins behind this id
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.ids, self.tasks, self.user_name, self.partition, self.after);
  }
};

struct PriorityFactor {
  std::string name;  // "age", "fairshare", "nice"
  double value = 0;  // what it adds
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.value);
  }
};

struct JobPriority {
  JobId id;
  std::string job_name;  // as people write its id: "17_4"
  std::string user_name;
  std::string account;
  std::string partition;
  std::string qos;
  std::int64_t tier = 0;  // what comes before all factors: that of its QOS
  double priority = 0;    // their sum
  std::vector<PriorityFactor> factors;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.job_name, self.user_name, self.account, self.partition, self.qos, self.tier,
          self.priority, self.factors);
  }
};

struct PriorityList {
  static constexpr int tag = 114;
  std::vector<JobPriority> jobs;        // by id
  std::vector<PriorityFactor> weights;  // of the factors, as configured
  bool more = false;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.jobs, self.weights, self.more);
  }
};

// How the controller is set up.
struct ShowConfiguration {
  static constexpr int tag = 42;
  template <class Self, class Visit>
  static void fields(Self&, Visit&& visit) {
    visit();
  }
};

// A switch, or a block: all nodes below it, and the switches one below it.
struct SwitchView {
  std::string name;
  std::int64_t level = 0;  // 0: a leaf
  std::string nodes;       // hostlists, both
  std::string switches;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.level, self.nodes, self.switches);
  }
};

struct Configuration {
  static constexpr int tag = 115;
  std::vector<NamedValue> settings;  // by Slurm's names where it has one
  Wall now{};
  std::vector<SwitchView> switches{};  // the leaves first
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.settings, self.now, self.switches);
  }
};

// What the controller has done since it started.
struct ShowStatistics {
  static constexpr int tag = 43;
  template <class Self, class Visit>
  static void fields(Self&, Visit&& visit) {
    visit();
  }
};

struct Statistics {
  static constexpr int tag = 116;
  Wall since{};
  Wall now{};
  std::vector<NamedValue> values;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.since, self.now, self.values);
  }
};

// A batch job's script, for its owner and operators.
struct ReadScript {
  static constexpr int tag = 44;
  JobId id;
  std::int64_t task = -1;  // as in ShowJob
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.task);
  }
};

struct Script {
  static constexpr int tag = 117;
  std::string text;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.text);
  }
};

}  // namespace cox
