// The job id of a task of an array, for requests that take job ids alone: checkpoints belong to
// the job id of a task.
#pragma once

#include <cstdint>
#include <variant>

#include "client/io/ask.h"

namespace cox {

struct NoJobOfTask {
  Refusal why;
  int exit_code = 0;
};

// Asks the controller which job id the task has.
std::variant<JobId, NoJobOfTask> job_of_task(Asker& controller, JobId array, std::int64_t task);

// Replaces the tasks in the options by their job ids. Returns why it could not.
std::optional<NoJobOfTask> name_tasks_by_jobs(Asker& controller, Options& options);

}  // namespace cox
