// Tests changes of submitted jobs: they are validated like a submission, stored, and recorded in
// the history.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "tests/controller/array_story.h"

namespace cox {
namespace {

class JobUpdates : public JobArrays {
 protected:
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  // Changes settings of a job, or of some tasks of an array. Returns the refusal, or "".
  std::string change(JobId id, const Pairs& changes, const std::string& tasks = "") {
    UpdateJobs update{{id}, {tasks}, {}, {}};
    for (const auto& [name, value] : changes) {
      update.names.push_back(name);
      update.values.push_back(value);
    }
    const auto acted = std::get<Acted>(ask(update).body);
    return acted.outcomes.at(0).refused ? acted.outcomes[0].refused->fact : "";
  }
  std::string last_note(JobId id) {
    std::string note;
    for (const JobEvent& event : database->tables.events)
      if (event.job == id) note = event.what + ": " + event.why + " by " + event.actor;
    return note;
  }
  const JobSpec& spec(JobId id) { return *job(id).job.spec; }
};

TEST_F(JobUpdates, TimeLimitNameAndNiceOfAPendingJobCanBeChanged) {
  const JobId id = submit({.time_limit_s = 60});
  EXPECT_EQ(change(id, {{"TimeLimit", "2:00:00"}, {"jobname", "deep"}, {"Nice", "-5"}}), "");
  EXPECT_EQ(spec(id).time_limit_s, 7200);
  EXPECT_EQ(spec(id).name, "deep");
  EXPECT_EQ(spec(id).nice, -5);
  EXPECT_EQ(last_note(id), "update: TimeLimit=2:00:00 JobName=deep Nice=-5 by user ada");
  EXPECT_EQ(change(id, {{"TimeLimit", "-30"}}), "");
  EXPECT_EQ(spec(id).time_limit_s, 5400);
  restart();
  EXPECT_EQ(spec(id).time_limit_s, 5400) << "as the database has it";
  node("n1", 4);
  EXPECT_EQ(state(id), "CONFIGURING");
  EXPECT_EQ(take<Prepare>().back().second.launch.spec.name, "deep");
}

TEST_F(JobUpdates, ChangesAreValidatedLikeASubmissionAndAppliedTogetherOrNotAtAll) {
  node("n1", 1);
  submit({});
  const JobId id = submit({});
  EXPECT_NE(change(id, {{"Name", "huge"}, {"NumNodes", "3"}}).find("can never run it"),
            std::string::npos);
  EXPECT_EQ(spec(id).name, "train");
  EXPECT_NE(change(id, {{"Partition", "nowhere"}}).find("there is no partition \"nowhere\""),
            std::string::npos);
  EXPECT_EQ(change(id, {{"QOS", "gold"}}), "there is no QOS \"gold\"");
  EXPECT_EQ(change(id, {{"TimeLimit", "soon"}}).substr(0, 24), "Invalid TimeLimit value:");
  EXPECT_EQ(change(id, {{"Priority", "7"}}).substr(0, 23), "Invalid Priority value:");
  EXPECT_EQ(change(id, {{"NumCPUs", "7"}}), "Update of this parameter is not supported: NumCPUs");
  user = "eve";
  EXPECT_EQ(change(id, {{"QOS", "critical"}}), "");
  EXPECT_EQ(spec(id).user_name, "ada")
      << "an operator changes the job, and its owner stays the same";
  EXPECT_EQ(spec(id).qos, "critical");
}

TEST_F(JobUpdates, ChangesOfNodeOptionsRecomputeTheCpusPerTask) {
  node("n1", 4, {"fast"});
  node("n2", 4);
  const JobId id = submit({.nodes = 2, .tasks = 4, .with = [](JobSpec& s) {
                             s.hold = true;
                             s.min_cpus = 4;
                           }});
  EXPECT_EQ(spec(id).cpus_per_task, 2);
  EXPECT_EQ(change(id, {{"MinCPUsNode", "2"}}), "");
  EXPECT_EQ(spec(id).cpus_per_task, 1);
  EXPECT_EQ(change(id, {{"MinCPUsNode", "3"}, {"Contiguous", "yes"}}), "");
  EXPECT_EQ(spec(id).cpus_per_task, 2);
  EXPECT_TRUE(spec(id).contiguous);
  EXPECT_NE(change(id, {{"MinCPUsNode", "9"}}).find("at least 9 CPUs on a node"),
            std::string::npos);
  EXPECT_EQ(spec(id).min_cpus, 3);
  EXPECT_EQ(change(id, {{"Prefer", "slow"}}),
            "Invalid preferred feature specification: with --prefer=slow it asks for a node with "
            "feature slow; no node of the cluster has it; available features: fast");
  EXPECT_EQ(change(id, {{"NumNodes", "1"}, {"NumTasks", "1"}, {"Prefer", "fast"}}), "");
  EXPECT_EQ(spec(id).cpus_per_task, 3);
  EXPECT_EQ(spec(id).prefer, "fast");
  restart();
  EXPECT_EQ(spec(id).prefer, "fast") << "as the database has it";
}

TEST_F(JobUpdates, TheTimeLimitAndTheNameOfARunningJobCanBeChanged) {
  node("n1", 4);
  const JobId id = submit({.time_limit_s = 600});
  ready(id);
  EXPECT_EQ(
      change(id, {{"NumNodes", "2"}}),
      "Job is no longer pending execution: NumNodes can be changed only while the job is pending");
  EXPECT_EQ(change(id, {{"TimeLimit", "+10"}, {"Name", "longer"}}), "");
  pass_with_beats(Milliseconds{700'000}, {"n1"});
  EXPECT_EQ(state(id), "RUNNING");
  EXPECT_EQ(change(id, {{"EndTime", moment_text(now.wall + std::chrono::seconds{60})}}), "");
  pass_with_beats(Milliseconds{70'000}, {"n1"});
  EXPECT_EQ(job(id).live_attempt()->stop.why, StopWhy::TimeLimit);
  finish(id, 0);
  EXPECT_EQ(change(id, {{"Name", "late"}}).substr(0, 38), "Job/step already completing or complet");
}

TEST_F(JobUpdates, DependenciesAndStartTimesCanBeChanged) {
  const JobId first = submit({}), second = submit({});
  const std::string on_first = "afterok:" + std::to_string(first.value);
  const std::string on_second = "afterok:" + std::to_string(second.value);
  EXPECT_EQ(change(first, {{"Dependency", on_second}}).substr(0, 22), "Job dependency problem");
  EXPECT_EQ(change(second, {{"Dependency", on_first}}), "");
  node("n1", 4);
  EXPECT_EQ(state(first), "CONFIGURING");
  EXPECT_EQ(state(second), "PENDING");
  EXPECT_EQ(change(second, {{"Dependency", ""}}), "");
  EXPECT_EQ(state(second), "CONFIGURING");

  const JobId third = submit({.with = [](JobSpec& s) { s.hold = true; }});
  const Wall later = now.wall + std::chrono::seconds{60};
  EXPECT_EQ(change(third, {{"StartTime", moment_text(later)}, {"Priority", "-1"}}), "");
  EXPECT_EQ(state(third), "PENDING");
  pass_with_beats(Milliseconds{62'000}, {"n1"});
  EXPECT_EQ(state(third), "CONFIGURING");
}

TEST_F(JobUpdates, AllTasksOrSomeTasksOfAnArrayCanBeChanged) {
  node("n1", 1);
  const JobId id = array("0-5");
  EXPECT_EQ(change(id, {{"TimeLimit", "5"}}), "");
  EXPECT_EQ(spec(task(id, 4)).time_limit_s, 300);
  EXPECT_EQ(spec(task(id, 0)).time_limit_s, 300) << "a running task is changed too";
  EXPECT_EQ(change(id, {{"Nice", "9"}}, "2-3"), "");
  EXPECT_EQ(rows(id), "1_[1,4-5] PENDING 1_0 CONFIGURING 1_[2-3] PENDING");
  EXPECT_EQ(spec(task(id, 2)).nice, 9);
  EXPECT_EQ(spec(task(id, 5)).nice, 0);
  EXPECT_EQ(change(id, {{"Priority", "0"}}), "");
  for (const std::int64_t number : {2, 5}) EXPECT_TRUE(job(task(id, number)).job.held);
}

TEST_F(JobUpdates, AChangeOfSeveralEndedTasksReportsTheFirstFailure) {
  node("n1", 4);
  const JobId id = array("0-1");
  for (const std::int64_t number : {0, 1}) end_task(id, number);
  const auto acted =
      std::get<Acted>(ask(UpdateJobs{{id}, {"0-1"}, {"TimeLimit"}, {"9"}}).body).outcomes.at(0);
  EXPECT_EQ(acted.what, "1_[0-1]");
  EXPECT_EQ(acted.refused->fact, "Job/step already completing or completed: job 1_1 has ended")
      << "the row that bears the id of the array is the first";
  EXPECT_EQ(acted.refused->hint, "see `cox history 1_1`");
}

TEST_F(JobUpdates, ARenamedJobBlocksNoSingletonOfItsOldName) {
  node("n1", 4);
  const auto named = [](const std::string& name, const std::string& dependency, bool hold) {
    return [=](JobSpec& s) { s.name = name, s.dependency = dependency, s.hold = hold; };
  };
  const JobId held = submit({.with = named("daily", "", true)});
  const JobId first = submit({.with = named("daily", "singleton", false)});
  const JobId second = submit({.with = named("weekly", "singleton", false)});
  EXPECT_EQ(state(first), "PENDING");
  EXPECT_EQ(state(second), "CONFIGURING") << "it is the first of its name";
  EXPECT_EQ(change(held, {{"JobName", "weekly"}}), "");
  EXPECT_EQ(state(first), "CONFIGURING");
  const JobId third = submit({.with = named("weekly", "singleton", false)});
  end(second);
  EXPECT_EQ(state(third), "PENDING") << "it waits for the renamed job";
  EXPECT_EQ(change(held, {{"JobName", "daily"}}), "");
  EXPECT_EQ(state(third), "CONFIGURING");
}

TEST_F(JobUpdates, ADeadlineIsCheckedAgainstTheChangedTimeLimit) {
  const JobId id = submit({.time_limit_s = 120, .with = [&](JobSpec& s) {
                             s.deadline = now.wall + Milliseconds{300'000};
                           }});
  EXPECT_EQ(change(id, {{"TimeLimit", "1"}}), "");
  pass(Milliseconds{240'000});
  EXPECT_EQ(state(id), "PENDING") << "it may still start, at the last moment";
  pass(Milliseconds{1});
  EXPECT_EQ(state(id), "DEADLINE");
}

TEST_F(JobUpdates, OnlyAnOperatorGivesARunningJobMoreTime) {
  node("n1", 4);
  const JobId id = submit({.time_limit_s = 600});
  ready(id);
  const auto as = [&](std::uint32_t uid, const std::string& limit) {
    return std::get<Acted>(ask_as(uid, UpdateJobs{{id}, {}, {"TimeLimit"}, {limit}}).body)
        .outcomes.at(0);
  };
  EXPECT_EQ(as(2000, "5").refused->fact, "job 1 belongs to ada");
  config.owner_uid = 7;
  restart();
  EXPECT_EQ(as(1000, "10").done, "changed: TimeLimit=10") << "no longer than before";
  EXPECT_EQ(as(1000, "9").done, "changed: TimeLimit=9");
  for (const char* longer : {"10", "UNLIMITED"})
    EXPECT_EQ(as(1000, longer).refused->fact,
              "Access/permission denied: only an operator can give a running job more time");
  EXPECT_EQ(as(7, "10").done, "changed: TimeLimit=10");
  EXPECT_EQ(as(7, "UNLIMITED").done, "changed: TimeLimit=UNLIMITED");
  EXPECT_EQ(as(1000, "9").done, "changed: TimeLimit=9") << "it had none";
}

TEST_F(JobUpdates, TheNameOfARunningJobIsPrintableAndBounded) {
  node("n1", 4);
  const JobId id = submit({});
  ready(id);
  const std::string longest(limits::name_bytes_max, 'x');
  EXPECT_EQ(change(id, {{"JobName", longest}}), "");
  EXPECT_EQ(spec(id).name, longest);
  for (const std::string& wrong : {longest + "x", std::string("a\tb"), std::string("\xff")})
    EXPECT_EQ(change(id, {{"JobName", wrong}}), "the name is empty, longer than " +
                                                    std::to_string(limits::name_bytes_max) +
                                                    " bytes, or not printable");
  EXPECT_EQ(spec(id).name, longest);
}

TEST_F(JobUpdates, AChangeOfAWrongJobOrTaskIsRefusedWithAHint) {
  node("n1", 1);
  const JobId id = array("0-3%2");
  const JobId plain = submit({});
  const auto outcome = [&](JobId job, const std::string& tasks, const std::string& name,
                           const std::string& value) {
    const auto one =
        std::get<Acted>(ask(UpdateJobs{{job}, {tasks}, {name}, {value}}).body).outcomes.at(0);
    return one.refused ? one.refused->fact + " / " + one.refused->hint : one.done;
  };
  EXPECT_EQ(outcome(JobId{99}, "", "Nice", "1"),
            "there is no job 99 in the queue / see `cox queue`");
  EXPECT_EQ(
      outcome(id, "1", "ArrayTaskThrottle", "1"),
      "1_1 names tasks, and ArrayTaskThrottle applies to the whole array / name the array: 1");
  EXPECT_EQ(outcome(plain, "1", "Nice", "1"), "job 3 is not a job array / name it without tasks");
  EXPECT_EQ(outcome(id, "7", "Nice", "1"), "there is no job 1_7 / the tasks of array 1 are 0-3");
  EXPECT_EQ(outcome(id, "", "ArrayTaskThrottle", "3"), "3 of its tasks may run at once");
  EXPECT_EQ(outcome(id, "", "ArrayTaskThrottle", "0"), "any number of its tasks may run at once");
  EXPECT_EQ(outcome(id, "", "Nice", "3"), "changed: Nice=3");
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  finish(task(id, 0), 0);
  EXPECT_EQ(outcome(id, "", "ArrayTaskThrottle", "3"),
            "all tasks of array 1 have ended / see `cox history 1`");
}

TEST_F(JobUpdates, ChangesOfPendingTasksAreRefusedIfAllTasksRun) {
  node("n1", 2);
  const JobId id = array("0-1");
  ready(task(id, 0));
  ready(task(id, 1));
  const auto answer = std::get<Acted>(ask(UpdateJobs{{id}, {""}, {"Nice"}, {"1"}}).body);
  ASSERT_EQ(answer.outcomes.size(), 1U);
  ASSERT_TRUE(answer.outcomes[0].refused);
  EXPECT_EQ(answer.outcomes[0].refused->fact,
            "Job is no longer pending execution: no pending task of 1 is left to change");
  EXPECT_EQ(answer.outcomes[0].refused->hint, "see `cox show job 1`");
}

TEST_F(JobUpdates, TheReplyToAChangeNamesTheTasksThatHaveEnded) {
  node("n1", 1);
  const JobId id = array("0-3");
  end_task(id, 0);
  ready(task(id, 1));
  const auto acted = [&](const std::string& tasks) {
    const auto answer = std::get<Acted>(ask(UpdateJobs{{id}, {tasks}, {"TimeLimit"}, {"5"}}).body);
    std::string text;
    for (const auto& one : answer.outcomes)
      text += one.what + " " + (one.refused ? one.refused->fact : one.done) + "\n";
    return text;
  };
  const std::string ended = "Job/step already completing or completed: job 1_0 has ended\n";
  EXPECT_EQ(acted("0"), "1_0 " + ended);
  EXPECT_EQ(acted("0-2"), "1_0 " + ended + "1_[1-2] changed: TimeLimit=5\n");
  EXPECT_EQ(acted(""), "1_0 " + ended + "1_[1-3] changed: TimeLimit=5\n");
  EXPECT_EQ(spec(task(id, 2)).time_limit_s, 300);
  EXPECT_EQ(acted("9"), "1_9 there is no job 1_9\n");
}

}  // namespace
}  // namespace cox
