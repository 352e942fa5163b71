// How people name jobs: 17, a task of an array as 17_4, several tasks as 17_[1-3,7]. Also how a row
// of the queue is named, which may stand for many tasks of an array. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/job/job.h"
#include "common/syntax/array_tasks.h"

namespace cox {

struct JobRef {
  JobId id;
  std::string tasks;  // tasks of the array `id` as in parse_array_tasks(); empty: all, or no array
  std::int64_t component = -1;  // of a heterogeneous job; -1: the whole job
  bool operator==(const JobRef&) const = default;
};

// Parses the name of a job or of array tasks. Refuses the name of a component (17+1): components
// start, change and end only together, so most commands take no less than the job.
Result<JobRef> parse_job_ref(std::string_view text);
// Also parses the name of a component, for commands that show components by themselves.
Result<JobRef> parse_component_ref(std::string_view text);

// A step of a job, such as 17.0 or 17_4.0; or a job, with step -1.
struct StepRef {
  JobRef job;
  std::int32_t step = -1;
  bool operator==(const StepRef&) const = default;
};
Result<StepRef> parse_step_ref(std::string_view text);
std::string format_job_ref(JobId id, std::string_view tasks);

// Returns the id as lists show it: "17", "17_4", "17+1" for a component that is shown separately,
// "17_[4-9%2]" for a row of several tasks. A long list of tasks is cut where Slurm cuts it.
std::string shown_id(const Job& job);

// Returns the id in the form that commands accept, without the limit of running tasks: "17_[4-9]".
// If that is too long, returns the id of the row's first task, "17_4". Commands that show a job
// then show the whole row; scancel and others act only on that task.
std::string command_id(const Job& job);
bool names_all_tasks(const Job& job);  // whether command_id() lists all tasks of the row

inline bool is_of_array(const Job& job) {
  return job.array_job != JobId{};
}
// Returns whether this is the first row of an array: the row that has the array's id.
inline bool is_first_of_array(const Job& job) {
  return is_of_array(job) && job.array_job == job.id;
}
inline bool has_several_tasks(const Job& job) {
  return !job.array_tasks.empty();
}

// Returns the tasks that the row stands for. REQUIRES: the job belongs to an array.
ArrayTasks tasks_of(const Job& job);
// Returns how many jobs the row stands for: its number of tasks, or 1.
std::int64_t task_count(const Job& job);
// Sets the tasks that the row stands for. REQUIRES: the job belongs to an array; `tasks` is not
// empty.
void set_tasks(Job& job, const ArrayTasks& tasks);

}  // namespace cox
