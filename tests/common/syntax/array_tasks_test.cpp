#include "common/syntax/array_tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "common/base/limits.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

std::string refusal_of(const std::string& text) {
  const auto wish = parse_array(text);
  return wish ? "(not refused)" : wish.refusal().fact;
}

TEST(ArrayTasks, AreFormattedInOneNormalForm) {
  for (const auto& [text, form] :
       std::vector<std::pair<std::string, std::string>>{{"0-999%50", "0-999%50"},
                                                        {"1,3,5-7", "1,3,5-7"},
                                                        {"0-15:4", "0-12:4"},
                                                        {"7,5-6,5", "5-7"},
                                                        {"0-8:2,1-9:2", "0-9"},
                                                        {"3", "3"},
                                                        {"0-1:5", "0"},
                                                        {"0,5,10,15", "0-15:5"},
                                                        {"4000000", "4000000"}}) {
    const auto wish = parse_array(text);
    ASSERT_TRUE(wish.ok()) << text << ": " << wish.refusal().fact;
    EXPECT_EQ(format_array(*wish), form);
  }
}

TEST(ArrayTasks, InvalidTasksAreRefused) {
  for (const auto& [text, fact] : std::vector<std::pair<std::string, std::string>>{
           {"", "the number of a task"},
           {"a", "the number of a task"},
           {"-1", "the number of a task"},
           {"1-", "the number of a task"},
           {"1,,2", "the number of a task"},
           {"5-1", "runs backwards"},
           {"0-9:0", "the step of"},
           {"4:2", "has a step but no range"},
           {"0-9%0", "how many tasks may run at once"},
           {"0-9%", "how many tasks may run at once"},
           {"0-4000001", "the number of a task"},
           {"0-100000", "more than 100000 tasks, the limit"}})
    EXPECT_NE(refusal_of(text).find(fact), std::string::npos) << text << ": " << refusal_of(text);
  EXPECT_NE(refusal_of(std::string(5000, '1')).find("the limit is 4096"), std::string::npos);
}

// Checks with random sets of task numbers that a formatted set is parsed back to the same set, and
// that difference, intersection, lookup and removal act like those of std::set.
TEST(ArrayTasks, BehaveLikeSetsAndAreParsedAsFormattedForRandomTasks) {
  std::mt19937_64 random(4711);
  const auto some = [&](std::size_t most) {
    std::set<std::int64_t> tasks;
    for (std::size_t i = random() % most + 1; i > 0; --i) {
      const auto first = static_cast<std::int64_t>(random() % 300);
      const auto step = static_cast<std::int64_t>(random() % 4 + 1);
      for (auto k = static_cast<std::int64_t>(random() % 12); k >= 0; --k)
        tasks.insert(first + k * step);
    }
    return tasks;
  };
  const auto of = [](const std::set<std::int64_t>& tasks) {
    return ArrayTasks({tasks.begin(), tasks.end()});
  };
  for (int round = 0; round < 2'000; ++round) {
    const auto a = some(12);
    const auto b = some(round % 2 == 0 ? 2 : 20);
    ArrayTasks tasks = of(a);
    const auto read = parse_array_tasks(format_array_tasks(tasks));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->all(), std::vector<std::int64_t>(a.begin(), a.end()));
    EXPECT_EQ(tasks.count(), std::ssize(a));
    EXPECT_EQ(tasks.first(), *a.begin());
    EXPECT_EQ(tasks.last(), *a.rbegin());
    std::vector<std::int64_t> left, common;
    std::ranges::set_difference(a, b, std::back_inserter(left));
    std::ranges::set_intersection(a, b, std::back_inserter(common));
    EXPECT_EQ(tasks.without(of(b)).all(), left);
    EXPECT_EQ(tasks.common_with(of(b)).all(), common);
    for (const std::int64_t task : b) {
      EXPECT_EQ(tasks.contains(task), a.contains(task));
      tasks.remove(task);
    }
    EXPECT_EQ(tasks.all(), left);
    EXPECT_EQ(tasks.empty(), left.empty());
    if (left.empty()) continue;
    const auto again = parse_array_tasks(format_array_tasks(tasks));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->all(), left) << format_array_tasks(tasks);
  }
}

TEST(JobRef, NamesAJobOrATaskOrSeveralTasks) {
  for (const auto& [text, id, tasks] :
       std::vector<std::tuple<std::string, int, std::string>>{{"17", 17, ""},
                                                              {"17_4", 17, "4"},
                                                              {"17_[1-3,7]", 17, "1-3,7"},
                                                              {"17_[4-9%2]", 17, "4-9"},
                                                              {"17_[4]", 17, "4"}}) {
    const auto ref = parse_job_ref(text);
    ASSERT_TRUE(ref.ok()) << text;
    EXPECT_EQ(*ref, (JobRef{JobId{id}, tasks}));
  }
  for (const char* text : {"", "x", "0", "-1", "17_", "17_x", "17_1-3", "17_[", "17_[]", "_4"})
    EXPECT_FALSE(parse_job_ref(text).ok()) << text;
}

TEST(JobRef, NamesAComponentOnlyWhereComponentsAreShown) {
  EXPECT_EQ(*parse_component_ref("17+1"), (JobRef{JobId{17}, "", 1}));
  EXPECT_EQ(*parse_component_ref("17_4"), (JobRef{JobId{17}, "4"}));
  for (const char* text : {"17+", "17+x", "17+16", "17_4+1", "+1", "17+1+1"})
    EXPECT_FALSE(parse_component_ref(text).ok()) << text;
  for (const char* text : {"17+0", "17+1", "17+"}) EXPECT_FALSE(parse_job_ref(text).ok()) << text;
  EXPECT_FALSE(parse_step_ref("17+1.0").ok());
  EXPECT_EQ(parse_job_ref("17+1").refusal().hint, "name the job: 17");
}

TEST(JobRef, MayNameAStep) {
  EXPECT_EQ(*parse_step_ref("17.0"), (StepRef{{JobId{17}, ""}, 0}));
  EXPECT_EQ(*parse_step_ref("17_4.12"), (StepRef{{JobId{17}, "4"}, 12}));
  EXPECT_EQ(*parse_step_ref("17"), (StepRef{{JobId{17}, ""}, -1}));
  for (const char* text : {"17.", "17.x", ".1", "17.-1", "17.1.2"})
    EXPECT_FALSE(parse_step_ref(text).ok()) << text;
}

TEST(JobRef, IsShownAsSlurmShowsIt) {
  Job job;
  job.id = job.array_job = JobId{17};
  set_tasks(job, ArrayTasks({4, 5, 6, 9}));
  EXPECT_EQ(shown_id(job), "17_[4-6,9]");
  job.array_limit = 2;
  EXPECT_EQ(shown_id(job), "17_[4-6,9%2]");
  EXPECT_EQ(task_count(job), 4);
  EXPECT_EQ(command_id(job), "17_[4-6,9]");
  EXPECT_EQ(parse_job_ref(command_id(job))->tasks, "4-6,9");
  std::vector<std::int64_t> many;
  for (std::int64_t i = 0; i < 200; ++i) many.push_back(i * i);
  set_tasks(job, ArrayTasks(many));
  EXPECT_LT(shown_id(job).size(), 80u);
  EXPECT_TRUE(shown_id(job).ends_with(",...%2]")) << shown_id(job);
  EXPECT_EQ(command_id(job), "17_0") << "a shortened list is not valid in a command";
  EXPECT_FALSE(names_all_tasks(job));
  const auto pasted = parse_job_ref(shown_id(job));
  ASSERT_FALSE(pasted.ok());
  EXPECT_EQ(pasted.refusal().hint, "name the row by one of its tasks, like 17_0");
  set_tasks(job, ArrayTasks({4}));
  EXPECT_EQ(shown_id(job), "17_4");
  EXPECT_EQ(job.array_task, 4);
  EXPECT_EQ(task_count(job), 1);
}

}  // namespace
}  // namespace cox
