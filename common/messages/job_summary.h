// A row of a long list, as it travels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/job/job.h"

namespace cox {

// Of a JobView what long lists show most; the names are those of JobView, Job and JobSpec.
struct JobSummary {
  JobId id;
  JobState state = JobState::Pending;
  JobForm form = JobForm::Batch;
  bool held = false;
  WaitReason reason = WaitReason::None;
  JobId array_job;
  std::int64_t array_task = -1;
  std::string array_tasks;
  std::int64_t array_limit = 0;
  std::string name;
  std::string user_name;
  std::uint32_t uid = 0;
  std::string account;
  std::string qos;
  std::string reservation;
  std::string licences;
  std::string partition;
  std::vector<std::string> nodes;
  std::int64_t nodes_asked = 0;
  std::int64_t tasks = 0;
  std::int64_t cpus_per_task = 0;
  std::int64_t time_limit_s = 0;
  std::int64_t cpus = 0;
  double priority = 0;
  std::int64_t ran_ms = 0;
  std::int64_t left_ms = -1;
  Wall submitted{};
  Wall started{};
  Wall ended{};
  Wall expected_start{};
  std::vector<JobSize> components;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.state, self.form, self.held, self.reason, self.array_job, self.array_task,
          self.array_tasks, self.array_limit, self.name, self.user_name, self.uid, self.account,
          self.qos, self.reservation, self.licences, self.partition, self.nodes, self.nodes_asked,
          self.tasks, self.cpus_per_task, self.time_limit_s, self.cpus, self.priority, self.ran_ms,
          self.left_ms, self.submitted, self.started, self.ended, self.expected_start,
          self.components);
  }
};

}  // namespace cox
