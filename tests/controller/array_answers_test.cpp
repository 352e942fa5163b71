// Tests replies about job arrays: about a whole array, about one row of the queue, which may stand
// for several tasks, and how texts name tasks.
#include <gtest/gtest.h>

#include <set>

#include "tests/controller/array_story.h"

namespace cox {
namespace {

TEST_F(JobArrays, AnArrayIsShownAsAWhole) {
  node("n1", 2);
  const JobId id = array("0-4");
  const auto standing = [&](const JobDetail& of) { return task_counts_text(of.tasks); };
  const auto waits = [&] { return std::get<JobDetail>(ask(WaitJob{id, -1, 0}).body); };
  EXPECT_EQ(standing(detail(id)), "3 PENDING, 2 CONFIGURING");
  end_task(id, 0);
  end_task(id, 1, 3);
  act(JobVerb::Cancel, id, "4");
  EXPECT_EQ(standing(waits()), "2 CONFIGURING, 1 COMPLETED, 1 FAILED, 1 CANCELLED");
  EXPECT_EQ(waits().tasks_left, 2);
  EXPECT_EQ(waits().tasks_failed, 2);
  EXPECT_TRUE(waits().tasks.front().tasks.empty()) << "the request did not ask which";
  EXPECT_EQ(detail(id).tasks.at(0).tasks, "2-3");
  EXPECT_EQ(detail(id).tasks.at(2).tasks, "1");
  EXPECT_EQ(detail(id).tasks.at(2).exit_code, 3);
  EXPECT_TRUE(detail(id, 4).tasks.empty()) << "the task that bears the array's id is one alone";
  end_task(id, 2);
  pass(Milliseconds{2'000});
  end_task(id, 3);
  const Wall last = job(task(id, 3)).job.ended;
  EXPECT_TRUE(job(id).job.ended < last) << "task 4, which has the array's id, was cancelled before";
  EXPECT_TRUE(waits().view.job.ended == last && detail(id).view.job.ended == last);
  EXPECT_EQ(act(JobVerb::Cancel, id), "1: had already ended: 3 COMPLETED, 1 FAILED, 1 CANCELLED");
  EXPECT_EQ(act(JobVerb::Hold, id),
            "1: refused: array 1 has ended: 3 COMPLETED, 1 FAILED, 1 CANCELLED");
  pass_with_beats(config.min_job_age + Milliseconds{1'000}, {"n1"});
  ASSERT_EQ(controller->cluster().job(id), nullptr) << "only the database has it";
  EXPECT_EQ(standing(detail(id)), "3 COMPLETED, 1 FAILED, 1 CANCELLED");
  EXPECT_EQ(standing(waits()), "3 COMPLETED, 1 FAILED, 1 CANCELLED");
  EXPECT_TRUE(waits().view.job.ended == last && detail(id).view.job.ended == last);
  EXPECT_EQ(detail(id).tasks.at(0).tasks, "0,2-3");
  EXPECT_TRUE(detail(id, 4).tasks.empty());
}

TEST_F(JobArrays, ALogOfAnArrayNeedsATaskNumber) {
  node("n1", 2);
  const JobId id = array("0-4");
  const auto log = [&](std::int64_t task) { return ask(LocateLog{id, {}, 0, false, task}); };
  for (const std::int64_t number : {0, 1}) end_task(id, number, static_cast<int>(number));
  const std::string fact =
      "array 1 has 5 tasks, and each has its own log: 1 PENDING, 2 CONFIGURING, "
      "1 COMPLETED, 1 FAILED";
  EXPECT_EQ(refusal_of(log(-1)), fact);
  EXPECT_EQ(std::get<Refused>(log(-1).body).why.hint,
            "name one, like `cox logs 1_0`; `cox show job 1` lists them");
  EXPECT_EQ(std::get<LogPlace>(log(1).body).path, "/home/u/slurm-1_1.0.out");
  EXPECT_EQ(refusal_of(log(4)), "job 1_4 has not run yet");
}

TEST_F(JobArrays, TheHistoryOfAnArrayNamesTheTaskOfEachEvent) {
  node("n1", 1);
  const JobId id = array("0-1");
  end_task(id, 0);
  end_task(id, 1, 1);
  const JobId task_0 = task(id, 0);
  const auto history = [&](std::int64_t task) {
    const HistoryPage page = std::get<HistoryPage>(ask(ShowHistory{id, 0, task}).body);
    std::set<std::string> whose(page.job_names.begin(), page.job_names.end());
    for (std::size_t i = 0; i < page.events.size() && !page.job_names.empty(); ++i)
      EXPECT_EQ(page.job_names[i] == "1_0", page.events[i].job == task_0) << i;
    return whose;
  };
  EXPECT_EQ(history(-1), (std::set<std::string>{"1", "1_0", "1_1"}));
  EXPECT_TRUE(history(1).empty()) << "the history of one task names no tasks";
  const JobId alone = submit({});
  end(alone);
  pass_with_beats(config.min_job_age + Milliseconds{1'000}, {"n1"});
  ASSERT_EQ(controller->cluster().job(id), nullptr);
  EXPECT_EQ(history(-1), (std::set<std::string>{"1", "1_0", "1_1"})) << "forgotten or not";
  const auto page = std::get<HistoryPage>(ask(ShowHistory{alone}).body);
  EXPECT_EQ(std::set<std::string>(page.job_names.begin(), page.job_names.end()),
            std::set<std::string>{"3"});
}

TEST_F(JobArrays, ARowOfAnArrayIsAddressedAsTheQueueShowsIt) {
  const JobId id = array("0-5%2");
  act(JobVerb::Hold, id, "1-2");
  const auto row = [&](const std::string& tasks, std::int64_t first) {
    return ask(ShowJob{id, first, tasks});
  };
  EXPECT_EQ(shown_id(std::get<JobDetail>(row("1-2", 1).body).view.job), "1_[1-2]");
  EXPECT_EQ(shown_id(std::get<JobDetail>(row("0,3-5", 0).body).view.job), "1_[0,3-5%2]");
  EXPECT_EQ(refusal_of(row("0-1", 0)),
            "1_[0-1] is not one row of the queue, so its tasks may differ");
  EXPECT_EQ(std::get<Refused>(row("0-1", 0).body).why.hint,
            "name one of them, like 1_0, or a row as `cox queue 1` shows it: 1_[0,3-5]");
  EXPECT_EQ(refusal_of(ask(WaitJob{id, -1, 0, 0, "0-1"})), refusal_of(row("0-1", 0)));
  EXPECT_EQ(refusal_of(ask(LocateLog{id, {}, 0, false, 1, "1-2"})), "job 1_[1-2] has not run yet");
  EXPECT_TRUE(std::holds_alternative<HistoryPage>(ask(ShowHistory{id, 0, 1, "1-2"}).body));
  EXPECT_EQ(detail(id, 1).why.at(0),
            "held by a user; `cox history 1_[1-2]` shows who and when; `cox release 1_[1-2]` "
            "releases it");
  act(JobVerb::Cancel, id);
  pass_with_beats(config.min_job_age + Milliseconds{1'000}, {});
  ASSERT_EQ(controller->cluster().job(id), nullptr) << "only the database has it";
  EXPECT_EQ(shown_id(std::get<JobDetail>(row("1-2", 1).body).view.job), "1_[1-2]");
  EXPECT_EQ(shown_id(detail(id, 4).view.job), "1_[0,3-5%2]");
  const auto history = [&](const std::string& tasks) { return ask(ShowHistory{id, 0, 0, tasks}); };
  EXPECT_EQ(refusal_of(history("0-1")), refusal_of(row("0-1", 0)))
      << "the same for an array that only the database has";
  EXPECT_TRUE(std::holds_alternative<HistoryPage>(history("0,3-5").body));
}

// One row of the array has the 40 held tasks, no two of which are adjacent.
TEST_F(JobArrays, ARowOfScatteredArrayTasksIsNamedByOneTask) {
  const JobId id = array("0-2000");
  std::string scattered;
  for (std::int64_t i = 1; i <= 40; ++i)
    scattered += (i == 1 ? "" : ",") + std::to_string(i * i + 1);
  act(JobVerb::Hold, id, scattered);
  EXPECT_EQ(detail(id, 2).why.at(0),
            "held by a user; `cox history 1_2` shows who and when; `cox release 1_2` releases one "
            "of its 40 tasks, and likewise each of the others");
  const Reply wrong = ask(ShowJob{id, 2, "2-3"});
  EXPECT_EQ(std::get<Refused>(wrong.body).why.hint,
            "name one of them, like 1_2; the reply is about its whole row");
  EXPECT_EQ(refusal_of(ask(LocateLog{id, {}, 0, false, 2, scattered})), "job 1_2 has not run yet");
  EXPECT_TRUE(
      std::get<Refused>(ask(LocateLog{id, {}, 0, false, 2, scattered}).body).why.hint.find("...") ==
      std::string::npos);
}

TEST_F(JobArrays, TextsNameTasksByArrayAndNumberInsteadOfTheirIds) {
  node("n1", 1);
  const JobId low = array("0-1", {}, "besteffort");
  ready(task(low, 0));
  const JobId waits = submit({.qos = "besteffort"});
  std::string why;
  for (const std::string& line : detail(waits).why) why += line + "\n";
  EXPECT_NE(why.find("job 1_0 of ada holds 1 CPU on n1"), std::string::npos) << why;
  EXPECT_EQ(std::get<NodeList>(ask(ListNodes{}).body).nodes.at(0).job_names,
            std::vector<std::string>{"1_0"});
  const JobId high = array("3-5", {}, "critical");
  finish(task(low, 0), 1);
  EXPECT_EQ(state_of(high, 3), "CONFIGURING");
  bool found = false;
  for (const JobEvent& event : database->tables.events)
    found = found || (event.job == task(low, 0) &&
                      event.why.find("preempted by job " + std::to_string(high.value) + "_3 (") !=
                          std::string::npos);
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace cox
