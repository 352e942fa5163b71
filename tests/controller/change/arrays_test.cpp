// Tests the index of job arrays: which row has a task, and the states of all tasks of an array.
#include "controller/change/arrays.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

constexpr JobId array_id{1};
constexpr Wall noon = wall_from_ms(1'700'000'000'000);

Job row(std::int64_t id, const std::string& tasks, JobState state, std::int32_t exit_code = 0) {
  Job job;
  job.id = JobId{id};
  job.array_job = array_id;
  set_tasks(job, *parse_array_tasks(tasks));
  job.state = state;
  job.exit_code = exit_code;
  if (state != JobState::Pending && state != JobState::Cancelled) job.started = noon;
  return job;
}

std::string ids(const std::set<JobId>& rows) {
  std::string text;
  for (const JobId id : rows) text += std::to_string(id.value) + " ";
  return text;
}

// Returns the number of the array's tasks in each state, with exit codes other than 0 in brackets,
// such as "PENDING 6, FAILED(7) 1".
std::string fates_text(const Arrays& arrays) {
  std::string text;
  for (const auto& [fate, count] : arrays.fates(array_id))
    text += (text.empty() ? "" : ", ") + std::string(name(fate.state)) +
            (fate.exit_code == 0 ? "" : "(" + std::to_string(fate.exit_code) + ")") + " " +
            std::to_string(count);
  return text;
}

class ArraysIndex : public testing::Test {
 protected:
  ArraysIndex() {
    for (const Job& job : rows) arrays.put(job);
  }
  // Returns which of these tasks completed successfully and which ended otherwise, such as "well 1,
  // otherwise 2-3".
  std::string ended(const std::string& tasks) const {
    const Arrays::Ended found = arrays.ended_among(array_id, *parse_array_tasks(tasks));
    return "well " + format_array_tasks(found.well) + ", otherwise " +
           format_array_tasks(found.otherwise);
  }
  bool has_ended(const std::string& tasks) const {
    return arrays.has_ended_among(array_id, *parse_array_tasks(tasks));
  }
  std::int64_t row_of(std::int64_t task) const {
    return arrays.row_of(array_id, task).value_or(JobId{-1}).value;
  }

  const std::vector<Job> rows{row(1, "4-9", JobState::Pending), row(2, "0", JobState::Running),
                              row(3, "1", JobState::Completed), row(4, "2", JobState::Failed, 7),
                              row(5, "3", JobState::Cancelled)};
  Arrays arrays;
};

TEST_F(ArraysIndex, EachTaskIsInOneRowAndCountedByItsStateAndExitCode) {
  EXPECT_EQ(ids(arrays.rows(array_id)), "1 2 3 4 5 ");
  EXPECT_EQ(ids(arrays.unfinished(array_id)), "1 2 ");
  EXPECT_EQ(ids(arrays.failed(array_id)), "4 5 ");
  EXPECT_EQ(fates_text(arrays), "PENDING 6, RUNNING 1, COMPLETED 1, FAILED(7) 1, CANCELLED 1");
  EXPECT_EQ(row_of(0), 2);
  EXPECT_EQ(row_of(4), 1);
  EXPECT_EQ(row_of(9), 1);
  EXPECT_EQ(row_of(10), -1);
  EXPECT_FALSE(arrays.row_of(JobId{2}, 0)) << "that is no array";
  EXPECT_FALSE(arrays.is_over(array_id));
  EXPECT_FALSE(arrays.has_begun(array_id)) << "some tasks wait";
}

TEST_F(ArraysIndex, TasksThatHaveEndedAreKnownByTheirOutcome) {
  EXPECT_EQ(ended("0-9"), "well 1, otherwise 2-3");
  EXPECT_EQ(ended("0-1"), "well 1, otherwise ");
  EXPECT_EQ(ended("3-8"), "well , otherwise 3");
  EXPECT_EQ(ended("0-8:2"), "well , otherwise 2") << "every second one";
  EXPECT_TRUE(has_ended("0-1"));
  EXPECT_TRUE(has_ended("3"));
  EXPECT_FALSE(has_ended("0"));
  EXPECT_FALSE(has_ended("4-9"));
  EXPECT_FALSE(has_ended("0-8:4"));
}

TEST_F(ArraysIndex, TasksThatBeginOrEndMoveToOtherRowsAndAreCountedAnew) {
  arrays.put(row(6, "4", JobState::Running));
  arrays.put(row(1, "5-9", JobState::Pending));
  EXPECT_EQ(row_of(4), 6);
  EXPECT_EQ(row_of(5), 1);
  EXPECT_EQ(fates_text(arrays), "PENDING 5, RUNNING 2, COMPLETED 1, FAILED(7) 1, CANCELLED 1");
  arrays.put(row(1, "5-9", JobState::Cancelled));
  EXPECT_TRUE(arrays.has_begun(array_id)) << "all that have not ended run";
  EXPECT_FALSE(arrays.is_over(array_id));
  EXPECT_EQ(ended("0-9"), "well 1, otherwise 2-3,5-9");
  EXPECT_TRUE(has_ended("9"));
  EXPECT_FALSE(has_ended("4"));
  EXPECT_EQ(ids(arrays.failed(array_id)), "1 4 5 ");
  arrays.put(row(6, "4", JobState::Completed));
  arrays.put(row(2, "0", JobState::Completed));
  EXPECT_TRUE(arrays.is_over(array_id));
  EXPECT_EQ(fates_text(arrays), "COMPLETED 3, FAILED(7) 1, CANCELLED 6");
}

TEST_F(ArraysIndex, ARequeuedTaskHasNotEnded) {
  Job again = row(4, "2", JobState::Pending);
  arrays.put(again);
  EXPECT_EQ(ended("0-9"), "well 1, otherwise 3");
  EXPECT_EQ(ids(arrays.unfinished(array_id)), "1 2 4 ");
  EXPECT_EQ(ids(arrays.failed(array_id)), "5 ");
  EXPECT_EQ(fates_text(arrays), "PENDING 7, RUNNING 1, COMPLETED 1, CANCELLED 1");
}

TEST_F(ArraysIndex, AForgottenRowAndItsTasksAreNoLongerFoundOrCounted) {
  arrays.forget(rows[2]);
  EXPECT_EQ(ids(arrays.rows(array_id)), "1 2 4 5 ");
  EXPECT_EQ(row_of(1), -1);
  EXPECT_EQ(ended("0-9"), "well , otherwise 2-3");
  EXPECT_EQ(fates_text(arrays), "PENDING 6, RUNNING 1, FAILED(7) 1, CANCELLED 1");
  arrays.forget(rows[0]);
  EXPECT_EQ(row_of(4), -1);
  EXPECT_EQ(ids(arrays.unfinished(array_id)), "2 ");
  arrays.put(row(7, "5-6", JobState::Cancelled));
  arrays.forget(row(7, "5-6", JobState::Cancelled));
  EXPECT_FALSE(has_ended("5-6"));
  for (const std::size_t i : {1U, 3U, 4U}) {
    EXPECT_TRUE(arrays.contains(array_id));
    arrays.forget(rows[i]);
  }
  EXPECT_FALSE(arrays.contains(array_id));
  EXPECT_TRUE(arrays.fates(array_id).empty());
}

TEST(ArrayRows, RowsAreGroupedByTheStateAndExitCodeOfTheirTasks) {
  std::vector<ArrayRow> rows;
  for (const Job& job : {row(1, "4-6", JobState::Pending), row(2, "0", JobState::Failed, 7),
                         row(3, "9", JobState::Pending), row(4, "1", JobState::Failed, 8),
                         row(5, "2", JobState::Failed, 7)})
    rows.push_back(array_row(job));
  std::string text;
  for (const TaskGroup& group : task_groups(rows))
    text += std::to_string(group.count) + " " + std::string(name(group.state)) + " " +
            std::to_string(group.exit_code) + ": " + group.tasks + "\n";
  EXPECT_EQ(text, "4 PENDING 0: 4-6,9\n2 FAILED 7: 0,2\n1 FAILED 8: 1\n");
  Job running = row(6, "3", JobState::Running, 9);
  EXPECT_EQ(fate_of(running), (TaskFate{JobState::Running, 0, 0})) << "its last attempt's code";
}

TEST(ArrayRows, AnEventOfTheArraysOwnRowNamesTheArrayUntilItHasAnAttempt) {
  const ArrayRow first = array_row(row(1, "0", JobState::Running));
  EXPECT_EQ(command_id(array_id, first, AttemptNumber{0}), "1");
  EXPECT_EQ(command_id(array_id, first, AttemptNumber{1}), "1_0");
  const ArrayRow other = array_row(row(2, "3", JobState::Running));
  EXPECT_EQ(command_id(array_id, other, AttemptNumber{0}), "1_3");
  ArrayRow of_none;
  of_none.id = JobId{5};
  EXPECT_EQ(command_id(JobId{5}, of_none, AttemptNumber{2}), "5");
}

}  // namespace
}  // namespace cox
