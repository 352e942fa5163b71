// Tests which lines srun prints for the ends of tasks, when, and its exit code.
#include "client/step/task_ends.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

namespace cox {
namespace {

using EndLines = std::vector<std::string>;

Boot end_at(std::int64_t ms) {
  return Boot{Milliseconds{ms}};
}

TaskEnded exited_task(std::int32_t rank, std::int32_t exit_code) {
  TaskEnded ended;
  ended.rank = rank;
  ended.exit_code = exit_code;
  return ended;
}

TaskEnded killed_task(std::int32_t rank, std::int32_t signal, bool core_dumped) {
  TaskEnded ended;
  ended.rank = rank;
  ended.exit_signal = signal;
  ended.core_dumped = core_dumped;
  return ended;
}

TEST(TaskEnds, ranks_are_listed_in_order_and_as_ranges) {
  EXPECT_EQ(rank_list({}), "");
  EXPECT_EQ(rank_list({7}), "7");
  EXPECT_EQ(rank_list({1, 0}), "0-1");
  EXPECT_EQ(rank_list({7, 3, 0, 2, 1}), "0-3,7");
  EXPECT_EQ(rank_list({0, 2, 4, 5}), "0,2,4-5");
  EXPECT_EQ(task_list({3}), "task 3");
  EXPECT_EQ(task_list({2, 0, 1}), "tasks 0-2");
}

TEST(TaskEnds, that_are_equal_on_a_node_share_a_line) {
  TaskEnds ends;
  TaskEnded out_of_memory = killed_task(5, SIGKILL, false);
  out_of_memory.out_of_memory = true;
  TaskEnded never_ran = exited_task(6, 2);
  never_ran.note = "no such\nprogram";
  for (const TaskEnded& ended :
       {exited_task(1, 3), exited_task(0, 3), exited_task(2, 0), killed_task(3, SIGTERM, false),
        killed_task(4, SIGSEGV, true), out_of_memory, never_ran})
    ends.add(0, ended, end_at(0));
  EXPECT_EQ(ends.report_node(1, "n2"), EndLines{});
  EXPECT_EQ(ends.report_node(0, "n1"),
            (EndLines{"n1: task 6: no such?program", "n1: task 6: Exited with exit code 2",
                      "n1: tasks 0-1: Exited with exit code 3", "n1: task 5: Out Of Memory",
                      "n1: task 4: Segmentation fault (core dumped)", "n1: task 3: Terminated"}));
  EXPECT_EQ(ends.report_node(0, "n1"), EndLines{}) << "each line comes once";
}

TEST(TaskEnds, of_each_node_are_reported_a_second_after_the_first_failure_on_the_node) {
  TaskEnds ends;
  EXPECT_EQ(ends.wakeup(), std::nullopt);
  ends.add(0, exited_task(0, 0), end_at(5));
  EXPECT_EQ(ends.wakeup(), std::nullopt) << "a successful task has no line";
  ends.add(1, exited_task(4, 1), end_at(100));
  ends.add(0, exited_task(1, 1), end_at(50));
  ends.add(0, exited_task(2, 1), end_at(900));
  EXPECT_EQ(ends.wakeup(), end_at(1'050));
  EXPECT_EQ(ends.due({"n1", "n2"}, end_at(1'049)), EndLines{});
  EXPECT_EQ(ends.due({"n1", "n2"}, end_at(1'050)),
            EndLines{"n1: tasks 1-2: Exited with exit code 1"});
  EXPECT_EQ(ends.wakeup(), end_at(1'100));
  EXPECT_EQ(ends.due({"n1", "n2"}, end_at(1'100)), EndLines{"n2: task 4: Exited with exit code 1"});
  EXPECT_EQ(ends.wakeup(), std::nullopt);
}

TEST(TaskEnds, yield_the_highest_exit_code) {
  TaskEnds ends;
  EXPECT_EQ(ends.exit_code(), 0);
  ends.add(0, exited_task(0, 3), end_at(0));
  ends.add(0, exited_task(1, 2), end_at(0));
  EXPECT_EQ(ends.exit_code(), 3);
  ends.count(killed_task(2, SIGTERM, false));
  EXPECT_EQ(ends.exit_code(), 128 + SIGTERM);
  ends.at_least(1);
  EXPECT_EQ(ends.exit_code(), 128 + SIGTERM);
  ends.at_least(200);
  EXPECT_EQ(ends.exit_code(), 200);
  EXPECT_EQ(ends.report_node(0, "n1").size(), 2u) << "a task that is only counted has no line";
  EXPECT_FALSE(ended_badly(exited_task(0, 0)));
  EXPECT_TRUE(ended_badly(exited_task(0, 1)));
  EXPECT_TRUE(ended_badly(killed_task(0, SIGTERM, false)));
}

}  // namespace
}  // namespace cox
