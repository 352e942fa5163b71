// Finds the job id of an array task, for requests that only take job ids: checkpoints belong to the
// job id of a task.
#pragma once

#include <cstdint>
#include <optional>
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

// Refuses a job id that means an array of several tasks as a whole: each task has its own
// checkpoints. Accepts an id that the controller does not know.
std::optional<NoJobOfTask> refuse_whole_array(Asker& controller, JobId job);

// Replaces the tasks in the options by their job ids, and refuses whole arrays. Returns the reason
// if that fails.
std::optional<NoJobOfTask> name_tasks_by_jobs(Asker& controller, JobsOptions& options);

}  // namespace cox
