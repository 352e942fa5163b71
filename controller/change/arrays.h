// The job arrays in memory: which rows there are of each, and where each of its tasks is. An index
// that Cluster keeps beside the rows, and it follows from them. A row stands for all tasks that do
// not differ yet; a task that starts, or is meant alone, is a row of its own (split.h).
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

// How a task stands; of one that has ended, how it did.
struct TaskFate {
  JobState state = JobState::Pending;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  auto operator<=>(const TaskFate&) const = default;
};
TaskFate fate_of(const Job& job);

// What is known of a row of an array that memory has forgotten.
struct ArrayRow {
  JobId id;
  TaskFate fate;
  std::int64_t task = -1;  // -1: several
  std::string tasks;
  bool operator==(const ArrayRow&) const = default;
};
ArrayRow array_row(const Job& job);
// Whose an event of it was: before its first attempt the array's first row stood for many tasks.
std::string told_id(JobId array, const ArrayRow& row, AttemptNumber attempt);

// How all tasks of these rows stand, and which they are.
std::vector<TaskGroup> task_groups(const std::vector<ArrayRow>& rows);

class Arrays {
 public:
  // REQUIRES: it is of an array; as it is now.
  void put(const Job& job);
  void forget(const Job& job);

  bool contains(JobId array) const { return arrays_.contains(array); }
  // None: there is no such array.
  const std::set<JobId>& rows(JobId array) const { return of(array).rows; }
  const std::set<JobId>& unfinished(JobId array) const { return of(array).unfinished; }
  bool is_over(JobId array) const { return of(array).unfinished.empty(); }
  bool has_begun(JobId array) const { return of(array).not_begun.empty(); }
  // Rows that have ended otherwise than well.
  const std::set<JobId>& failed(JobId array) const { return of(array).failed; }

  // How many of its tasks stand how.
  const std::map<TaskFate, std::int64_t>& fates(JobId array) const { return of(array).fates; }

  // The row that stands for it; nothing when there never was such a task.
  std::optional<JobId> row_of(JobId array, std::int64_t task) const;

  // Of these tasks those that have ended, well or otherwise.
  struct Ended {
    ArrayTasks well;
    ArrayTasks otherwise;
  };
  Ended ended_among(JobId array, const ArrayTasks& tasks) const;
  bool has_ended_among(JobId array, const ArrayTasks& tasks) const;

 private:
  struct Rows {
    std::set<JobId> rows;
    std::set<JobId> unfinished;
    std::set<JobId> not_begun;
    std::set<JobId> failed;
    std::map<std::int64_t, JobId> alone;        // tasks that are rows of their own
    std::map<JobId, ArrayTasks> several;        // what the other rows stand for
    std::map<std::int64_t, bool> ended;         // of `alone`: whether well
    std::map<JobId, ArrayTasks> ended_several;  // of `several`: never well, they have not run
    std::map<TaskFate, std::int64_t> fates;     // so many tasks each
    std::map<JobId, std::pair<TaskFate, std::int64_t>> counted;  // of a row, in `fates`
  };
  const Rows& of(JobId array) const;
  static void count(Rows& array, const Job& job, std::int64_t tasks);

  std::map<JobId, Rows> arrays_;
};

}  // namespace cox
