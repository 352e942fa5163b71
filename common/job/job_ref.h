// How people name jobs: 17, a task of an array as 17_4, several as 17_[1-3,7]; and how a row of
// the queue is shown, which may stand for many tasks. Pure.
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
  std::string tasks;  // of the array with this id, as parse_array_tasks reads them; empty: all
  bool operator==(const JobRef&) const = default;
};

Result<JobRef> parse_job_ref(std::string_view text);

// A step of a job, 17.0 or 17_4.0; or a job.
struct StepRef {
  JobRef job;
  std::int32_t step = -1;
  bool operator==(const StepRef&) const = default;
};
Result<StepRef> parse_step_ref(std::string_view text);
std::string format_job_ref(JobId id, std::string_view tasks);

// "17", "17_4", of a component that is shown apart "17+1", and of a row that stands for several
// "17_[4-9%2]", cut as Slurm cuts it.
std::string shown_id(const Job& job);

// The same as commands take it, without how many may run: "17_[4-9]". Where that is too long to
// be read, the first of its tasks, which names the row too: "17_4".
std::string told_id(const Job& job);
bool is_told_whole(const Job& job);  // its told_id names all that it stands for

inline bool is_of_array(const Job& job) {
  return job.array_job != JobId{};
}
// The row that bears the array's id.
inline bool is_first_of_array(const Job& job) {
  return is_of_array(job) && job.array_job == job.id;
}
inline bool stands_for_several(const Job& job) {
  return !job.array_tasks.empty();
}

// Those that the row stands for. REQUIRES: it is of an array.
ArrayTasks tasks_of(const Job& job);
// It stands for so many jobs.
std::int64_t task_count(const Job& job);
// It stands for these from now on. REQUIRES: it is of an array, and there are some.
void set_tasks(Job& job, const ArrayTasks& tasks);

}  // namespace cox
