// A short row for long lists of jobs, sent instead of a JobView.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/job/job.h"

namespace cox {

// What lists of jobs usually show. The fields have the names of JobView, Job and JobSpec.
struct JobSummary {
  JobId id;
  JobState state = JobState::Pending;
  JobForm form = JobForm::Batch;
  bool held = false;
  WaitReason reason = WaitReason::None;
  JobId array_job;
  std::int64_t array_task = -1;
  ArrayTasks array_tasks;
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
  COX_FIELDS(id, state, form, held, reason, array_job, array_task, array_tasks, array_limit, name,
             user_name, uid, account, qos, reservation, licences, partition, nodes, nodes_asked,
             tasks, cpus_per_task, time_limit_s, cpus, priority, ran_ms, left_ms, submitted,
             started, ended, expected_start, components);
};

}  // namespace cox
