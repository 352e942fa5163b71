// Finds the job id of an array task, for requests that only take job ids: checkpoints belong to the
// job id of a task.
#pragma once

#include <cstdint>
#include <variant>

#include "client/io/ask.h"
#include "client/job_lines.h"

namespace cox {

struct NoJobOfTask {
  Refusal why;
  int exit_code = 0;
};

// Requests the job id of the task from the controller.
std::variant<JobId, NoJobOfTask> job_of_task(Asker& controller, JobId array, std::int64_t task);

// Returns the reason why the id cannot name the owner of checkpoints: it is that of an array, of
// which each task has its own. If there is no such job, the request itself will be refused.
std::optional<NoJobOfTask> refuse_whole_array(Asker& controller, JobId id);

// Replaces the tasks in the options by their job ids. Returns the reason if that fails, or if an id
// without a task is that of an array.
std::optional<NoJobOfTask> name_tasks_by_jobs(Asker& controller, JobsOptions& options);

}  // namespace cox
