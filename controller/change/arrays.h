// An index of the job arrays in memory: the rows of each array, and the row of each task. Part of
// Cluster, which updates it when changes are applied. A row stands for all tasks that do not differ
// yet; a task that starts, or that a user names alone, gets a row of its own (split.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/job/job_ref.h"
#include "common/messages/client_messages.h"

namespace cox {

// The state of a task, and its exit if it has ended.
struct TaskFate {
  JobState state = JobState::Pending;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  auto operator<=>(const TaskFate&) const = default;
};
TaskFate fate_of(const Job& job);

// A row of a job array: its id, its state, its tasks and its end, without the rest of the job. Also
// read from PostgreSQL for arrays that are no longer in memory.
struct ArrayRow {
  JobId id;
  TaskFate fate;
  std::int64_t task = -1;  // -1: the row stands for several tasks
  ArrayTasks tasks;
  Wall ended{};  // unset until the row's tasks have ended
  bool operator==(const ArrayRow&) const = default;
};
ArrayRow array_row(const Job& job);
// Returns the name under which history shows an event of the row: "17_4". Events before the first
// attempt of the array's first row are shown as the array's ("17"), since that row then stood for
// many tasks.
std::string command_id(JobId array, const ArrayRow& row, AttemptNumber attempt);

// Returns the tasks of these rows, grouped by state and exit.
std::vector<TaskGroup> task_groups(const std::vector<ArrayRow>& rows);

class Arrays {
 public:
  // Adds the row or updates it to this state. REQUIRES: the job belongs to an array.
  void put(const Job& job);
  void forget(const Job& job);

  bool contains(JobId array) const { return arrays_.contains(array); }
  // Returns the ids of the array's rows; empty if there is no such array.
  const std::set<JobId>& rows(JobId array) const { return of(array).rows; }
  const std::set<JobId>& unfinished(JobId array) const { return of(array).unfinished; }
  bool is_over(JobId array) const { return of(array).unfinished.empty(); }
  bool has_begun(JobId array) const { return of(array).not_begun.empty(); }
  // Returns the ids of the rows that have ended in a state other than COMPLETED.
  const std::set<JobId>& failed(JobId array) const { return of(array).failed; }

  // Returns how many tasks of the array are in each state, ended tasks also by exit.
  const std::map<TaskFate, std::int64_t>& fates(JobId array) const { return of(array).fates; }

  // Returns the id of the row that stands for the task; nullopt if the array never had this task.
  std::optional<JobId> row_of(JobId array, std::int64_t task) const;

  // Which of the requested tasks have ended, and how.
  struct Ended {
    ArrayTasks well;       // COMPLETED
    ArrayTasks otherwise;  // ended in a state other than COMPLETED
  };
  Ended ended_among(JobId array, const ArrayTasks& tasks) const;
  bool has_ended_among(JobId array, const ArrayTasks& tasks) const;

 private:
  struct Rows {
    std::set<JobId> rows;
    std::set<JobId> unfinished;
    std::set<JobId> not_begun;
    std::set<JobId> failed;
    std::map<std::int64_t, JobId> alone;  // the row of each task that has one of its own
    std::map<JobId, ArrayTasks> several;  // the tasks of each row that stands for several
    std::map<std::int64_t, bool> ended;   // whether a task of `alone` that has ended is COMPLETED
    // The ended rows of `several`; their tasks never ran.
    std::map<JobId, ArrayTasks> ended_several;
    std::map<TaskFate, std::int64_t> fates;  // number of tasks
    // What each row adds to `fates`: a state, and a number of tasks.
    std::map<JobId, std::pair<TaskFate, std::int64_t>> counted;
  };
  const Rows& of(JobId array) const;
  static void count(Rows& array, const Job& job, std::int64_t tasks);

  std::map<JobId, Rows> arrays_;
};

}  // namespace cox
