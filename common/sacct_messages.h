// What sacct asks and is answered: jobs of all times, with their attempts and steps;
// client_messages.h has the rest. It is read from the store, ended jobs and live ones alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/attempt.h"
#include "common/ids.h"
#include "common/job.h"
#include "common/step.h"
#include "common/time.h"

namespace cox {

// Jobs that were in one of the states at some time between the two moments, as sacct means it. All
// lists: empty is any.
struct ListAccounting {
  static constexpr int tag = 40;
  std::vector<JobId> ids;            // named ones are told whenever they were
  std::vector<std::string> tasks{};  // as in ListJobs
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  std::vector<std::string> partitions;
  std::vector<std::string> qos;
  std::vector<std::string> names;
  std::vector<std::string> nodes;  // that it ran on
  std::vector<JobState> states;
  Wall since{};            // Wall{}: since ever
  Wall until{};            // Wall{}: now
  bool steps = true;       // with their attempts' steps
  bool all_runs{};         // every attempt, as sacct --duplicates; else the newest
  std::int64_t after = 0;  // the page begins behind this id

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.ids, self.tasks, self.users, self.accounts, self.partitions, self.qos, self.names,
          self.nodes, self.states, self.since, self.until, self.steps, self.all_runs, self.after);
  }
};

// One run of a job; of one that never began the attempt's number is 0.
struct JobRecord {
  Job job;
  Attempt attempt;
  std::vector<Step> steps;  // by number
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.job, self.attempt, self.steps);
  }
};

struct AccountingPage {
  static constexpr int tag = 113;
  std::vector<JobRecord> records;  // by the job's id, and oldest first
  bool more = false;
  std::string cluster;
  Wall now{};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.records, self.more, self.cluster, self.now);
  }
};

}  // namespace cox
