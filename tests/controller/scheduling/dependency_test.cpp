// Tests jobs that wait for other jobs or for a time of day, in the controller.
#include <gtest/gtest.h>

#include "common/base/moment_text.h"
#include "controller/scheduling/ineligible.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class StartConditions : public testing::Test, public Bench {
 protected:
  JobId after(const std::string& dependency, const std::string& job_name = "train") {
    return submit({.with = [&](JobSpec& s) {
      s.dependency = dependency;
      s.name = job_name;
    }});
  }
  JobId task(JobId array, std::int64_t number) {
    return controller->cluster().jobs().arrays().row_of(array, number).value_or(JobId{});
  }
  std::string on(const std::string& kind, JobId id) {
    return kind + ":" + std::to_string(id.value);
  }

  JobDetail detail(JobId id) { return std::get<JobDetail>(ask(ShowJob{id}).body); }
  std::string reason(JobId id) { return std::string(name(detail(id).view.reason)); }

  // Runs the job and ends it with this exit code.
  void run(JobId id, int code) {
    ready(id);
    finish(id, code);
  }
};

// For each kind of dependency: the state of the dependent job after the other job completed (exit
// code 0), failed (1) or was cancelled.
TEST_F(StartConditions, EachTypeOfDependencyWaitsForItsKindOfEnd) {
  struct Row {
    const char* kind;
    const char* completed;
    const char* failed;
    const char* cancelled;
  };
  node("n1", 1);
  for (const Row& row : {Row{"after", "CONFIGURING", "CONFIGURING", "CONFIGURING"},
                         Row{"afterany", "CONFIGURING", "CONFIGURING", "CONFIGURING"},
                         Row{"afterok", "CONFIGURING", "PENDING", "PENDING"},
                         Row{"afternotok", "PENDING", "CONFIGURING", "CONFIGURING"},
                         Row{"aftercorr", "CONFIGURING", "PENDING", "PENDING"}}) {
    for (const auto& [end, state_then] :
         {std::pair{0, row.completed}, {1, row.failed}, {-1, row.cancelled}}) {
      const JobId first = submit({.with = [&](JobSpec& s) { s.hold = end < 0; }});
      const JobId second = after(on(row.kind, first));
      EXPECT_EQ(reason(second), "Dependency");
      if (end < 0) ask(ActOnJobs{JobVerb::Cancel, {first}});
      if (end >= 0) run(first, end);
      EXPECT_EQ(state(second), state_then) << row.kind << " and exit code " << end;
      if (state(second) == "PENDING") {
        EXPECT_EQ(reason(second), "DependencyNeverSatisfied");
      }
      ask(ActOnJobs{JobVerb::Cancel, {second}});
      if (state(second) != "CANCELLED") finish(second, 0);
    }
  }
}

TEST_F(StartConditions, ADependencyOfTypeAfterIsMetOnceTheOtherJobRunsOrADelayLater) {
  node("n1", 3);
  const JobId first = submit({});
  const JobId second = after(on("after", first));
  const JobId third = after(on("after", first) + "+2");
  EXPECT_EQ(state(second), "PENDING");
  ready(first);
  EXPECT_EQ(state(second), "CONFIGURING");
  EXPECT_EQ(reason(third), "BeginTime");
  EXPECT_EQ(detail(third).why.at(0), "does not start before " +
                                         moment_text(now.wall + Milliseconds{120'000}) +
                                         ": 2 min after job 1 (RUNNING) began");
  EXPECT_EQ(detail(third).view.expected_start, now.wall + Milliseconds{120'000});
  pass_with_beats(Milliseconds{119'000}, {"n1"});
  EXPECT_EQ(state(third), "PENDING");
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(state(third), "CONFIGURING");
}

TEST_F(StartConditions, AllDependenciesMustBeMetOrAnyOfThemIfJoinedByAQuestionMark) {
  node("n1", 4);
  const JobId good = submit({});
  const JobId bad = submit({});
  const JobId both = after(on("afterany", good) + "," + on("afterany", bad));
  const JobId any = after(on("afterok", bad) + "?" + on("afterok", good));
  const JobId neither = after(on("afterok", bad) + "?" + on("afternotok", good));
  run(bad, 1);
  EXPECT_EQ(reason(both), "Dependency");
  EXPECT_EQ(detail(both).why.at(0), "waits for job 1 (CONFIGURING) to end");
  EXPECT_EQ(reason(any), "Dependency") << "the other dependency can still be met";
  run(good, 0);
  EXPECT_EQ(state(both), "CONFIGURING");
  EXPECT_EQ(state(any), "CONFIGURING");
  EXPECT_EQ(reason(neither), "DependencyNeverSatisfied");
  EXPECT_EQ(
      detail(neither).why.at(0),
      "waits in vain for job 2 (FAILED) to complete successfully or for job 1 (COMPLETED) to fail; "
      "`cox cancel 5`, and submit it again");
}

TEST_F(StartConditions, ASingletonWaitsForTheEarlierJobsOfItsName) {
  node("n1", 4);
  const JobId first = after("", "daily");
  const JobId other = after("", "weekly");
  const JobId second = after("singleton", "daily");
  const JobId third = after("singleton", "daily");
  EXPECT_EQ(state(other), "CONFIGURING");
  EXPECT_EQ(detail(second).why.at(0), "waits for job 1 (CONFIGURING) of ada/daily to end");
  EXPECT_EQ(detail(third).why.at(0),
            "waits for job 1 (CONFIGURING) of ada/daily, and others, to end");
  run(first, 1);
  EXPECT_EQ(state(second), "CONFIGURING");
  EXPECT_EQ(reason(third), "Dependency");
  restart();
  EXPECT_EQ(reason(third), "Dependency") << "as the database has it";
  node("n1", 4);
  run(second, 0);
  EXPECT_EQ(state(third), "CONFIGURING");
}

TEST_F(StartConditions, ASingletonWaitsForAllTasksOfAnEarlierArray) {
  node("n1", 2);
  const JobId array = submit({.with = [](JobSpec& s) {
    s.name = "daily";
    s.array = "0-2";
  }});
  const JobId next = after("singleton", "daily");
  EXPECT_EQ(detail(next).why.at(0), "waits for job 1_2 (PENDING) of ada/daily, and others, to end");
  run(task(array, 0), 0);
  run(array, 0);
  EXPECT_EQ(detail(next).why.at(0), "waits for job 1_1 (CONFIGURING) of ada/daily to end")
      << "its row is younger than the singleton's would be by its id";
  run(task(array, 1), 0);
  EXPECT_EQ(state(next), "CONFIGURING");
}

TEST_F(StartConditions, AJobThatWaitsInVainShowsTheTaskThatFailed) {
  node("n1", 4);
  const JobId array = submit({.with = [](JobSpec& s) { s.array = "2-5"; }});
  const JobId all = after(on("afterok", array));
  const JobId one = after(on("afterok", array) + "_3");
  const JobId fails = after(on("afternotok", array));
  const JobId each = submit({.with = [&](JobSpec& s) {
    s.array = "2-5";
    s.dependency = on("aftercorr", array);
  }});
  run(task(array, 2), 0);
  EXPECT_EQ(detail(all).why.at(0),
            "waits for array 1 (3 of its tasks have not ended) to complete successfully");
  run(task(array, 3), 1);
  run(task(array, 4), 0);
  ask(ActOnJobs{JobVerb::Cancel, {array}, {"5"}});
  finish(task(array, 5), 1);
  const std::string fact =
      "waits in vain for array 1 to complete successfully: task 3 of array 1 (1_3) FAILED, and 1 "
      "more did "
      "not complete successfully";
  EXPECT_EQ(detail(all).view.reason_detail, fact);
  EXPECT_EQ(detail(all).why.at(0), fact + "; `cox cancel 5`, and submit it again");
  EXPECT_EQ(detail(one).view.reason_detail,
            "waits in vain for job 1_3 (FAILED) to complete successfully");
  EXPECT_EQ(state(fails), "CONFIGURING");
  EXPECT_EQ(detail(task(each, 3)).view.reason_detail,
            "waits in vain for the same task of array 1 to complete successfully: task 3 of array "
            "1 (1_3) FAILED");
  EXPECT_EQ(database->tables.waits.at(all).reason, "DependencyNeverSatisfied");
  EXPECT_EQ(database->tables.waits.at(all).lines,
            std::vector<std::string>{fact + "; `cox cancel 5`, and submit it again"})
      << "for SQL too";

  pass_with_beats(config.min_job_age + Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(detail(all).view.reason_detail, fact) << "the text is kept";
  EXPECT_EQ(controller->cluster().job(array), nullptr) << "no job waits for it";
  restart();
  EXPECT_EQ(detail(all).view.reason_detail, fact);
  EXPECT_EQ(controller->cluster().job(array), nullptr) << "nor is it loaded again";
}

// All tasks of an array wait for a dependency that can no longer be met. Then a user holds some of
// them, which splits these off into a row of their own.
TEST_F(StartConditions, ArrayTasksSplitOffWhileTheyWaitInVainKeepThePendingReason) {
  node("n1", 1);
  const JobId first = submit({});
  const JobId array = submit({.with = [&](JobSpec& s) {
    s.array = "0-4";
    s.dependency = on("afterok", first);
  }});
  run(first, 1);
  const std::string fact = "waits in vain for job 1 (FAILED) to complete successfully";
  ask(ActOnJobs{JobVerb::Hold, {array}, {"1-2"}});
  pass_with_beats(config.min_job_age + Milliseconds{10'000}, {"n1"});
  ASSERT_EQ(controller->cluster().job(first), nullptr);
  ask(ActOnJobs{JobVerb::Release, {array}, {"1-2"}});
  ask(ActOnJobs{JobVerb::Hold, {array}, {"4"}});
  for (const auto& [number, name] :
       {std::pair{0, "2_[0,3]"}, {1, "2_[1-2]"}, {3, "2_[0,3]"}, {4, "2_4"}}) {
    const JobWait& row = database->tables.waits.at(task(array, number));
    EXPECT_EQ(row.detail, fact) << number;
    EXPECT_EQ(row.lines,
              std::vector<std::string>{fact + "; `cox cancel " + name + "`, and submit it again"});
  }
  EXPECT_EQ(detail(task(array, 1)).view.reason_detail, fact);
  restart();
  ask(ActOnJobs{JobVerb::Release, {array}, {"4"}});
  EXPECT_EQ(detail(task(array, 4)).view.reason_detail, fact);
  EXPECT_EQ(database->tables.waits.size(), 3u) << "one a row, as it was written";
}

// The database has no pending reasons, as if an older version had written it.
TEST_F(StartConditions, AJobThatHasLongWaitedInVainShowsTheReasonAfterARestart) {
  node("n1", 1);
  const JobId first = submit({});
  const JobId vain = after(on("afterok", first));
  run(first, 1);
  pass_with_beats(config.min_job_age + Milliseconds{1'000}, {"n1"});
  database->tables.waits.clear();
  restart();
  const std::string fact = "waits in vain for job 1 (FAILED) to complete successfully";
  EXPECT_EQ(database->tables.waits.at(vain).detail, fact);
  EXPECT_EQ(database->tables.waits.at(vain).reason, "DependencyNeverSatisfied");
  pass(Milliseconds{1'000});
  EXPECT_EQ(controller->cluster().job(first), nullptr) << "no job waits for it";
  EXPECT_EQ(detail(vain).view.reason_detail, fact);
}

// All 100,000 jobs have the same name, so each waits for all jobs before it. Counting these for
// each job would take minutes.
TEST_F(StartConditions, VeryManySingletonsShowWhichJobTheyWaitFor) {
  constexpr std::int64_t jobs = 100'000;
  JobSpec spec;
  spec.partition = "main";
  spec.qos = "standard";
  spec.nodes = spec.tasks = 1;
  spec.user_name = "ada";
  spec.name = "daily";
  spec.dependency = "singleton";
  const Shared<ParsedSpec> shared(spec);
  for (std::int64_t i = 1; i <= jobs; ++i) {
    Job one;
    one.id = JobId{i};
    one.spec = shared;
    if (i > 1) one.dependencies = {{DependencyKind::Singleton, JobId{}, 0, false}};
    one.submitted = one.eligible = now.wall;
    database->tables.jobs[one.id] = std::move(one);
  }
  restart();
  for (const auto& [id, e] : controller->cluster().jobs().all()) {
    const auto why = why_ineligible(controller->cluster(), e.job, now);
    if (id == JobId{1}) continue;
    ASSERT_EQ(why->detail, "waits for job 1 (PENDING) of ada/daily" +
                               std::string(id == JobId{2} ? "" : ", and others,") + " to end");
  }
}

TEST_F(StartConditions, TheReplyToTheSubmissionOfAJobThatWaitsInVainSaysSo) {
  node("n1", 1);
  const JobId good = submit({});
  run(good, 0);
  const auto note = [&](const std::string& dependency, std::optional<bool> kill = {}) {
    SubmitJob s;
    s.request_id = dependency + (kill ? "!" : "");
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.dependency = dependency;
    s.spec.kill_on_invalid_dependency = kill;
    return std::get<Submitted>(ask(s).body).note;
  };
  EXPECT_EQ(note("afternotok:1"),
            "job 2 waits in vain for job 1 (COMPLETED) to fail; `cox cancel "
            "2` ends it");
  EXPECT_EQ(note("afternotok:1", true).substr(0, 56),
            "job 3 has ended: waits in vain for job 1 (COMPLETED) to ");
  EXPECT_EQ(note("afterok:1"), "");
}

TEST_F(StartConditions, AJobThatCanNeverStartIsCancelledIfThatIsAskedFor) {
  node("n1", 1);
  const JobId first = submit({});
  const auto kills = [&](JobSpec& s) {
    s.dependency = on("afterok", first);
    s.kill_on_invalid_dependency = true;
  };
  const JobId second = submit({.with = kills});
  const JobId third = after(on("afternotok", second));
  run(first, 1);
  EXPECT_EQ(state(second), "CANCELLED");
  EXPECT_EQ(job(second).job.why,
            "waits in vain for job 1 (FAILED) to complete successfully; it ends because of "
            "--kill-on-invalid-dep");
  EXPECT_EQ(state(third), "CONFIGURING") << "its end is an end as any other";
  const JobId late = submit({.with = kills});
  EXPECT_EQ(state(late), "CANCELLED") << "it was too late from the start";

  config.kill_invalid_depend = true;
  restart();
  const JobId other = after(on("afterok", first));
  EXPECT_EQ(state(other), "CANCELLED") << "as the cluster is configured";
  EXPECT_EQ(job(other).job.why,
            "waits in vain for job 1 (FAILED) to complete successfully; it ends because of "
            "kill_invalid_depend");
}

TEST_F(StartConditions, ADependencyOnAJobThatIsNoLongerInMemoryIsResolved) {
  node("n1", 1);
  const JobId good = submit({});
  run(good, 0);
  const JobId bad = submit({});
  run(bad, 1);
  pass_with_beats(config.min_job_age + Milliseconds{1'000}, {"n1"});
  ASSERT_EQ(controller->cluster().job(good), nullptr);
  ASSERT_EQ(controller->cluster().job(bad), nullptr);
  const JobId next = after(on("afterok", good) + "," + on("afternotok", bad));
  EXPECT_EQ(state(next), "CONFIGURING");
  EXPECT_EQ(reason(after(on("afterok", bad))), "DependencyNeverSatisfied");
}

TEST_F(StartConditions, AJobDependsOnlyOnJobsSubmittedBefore) {
  const auto refusal = [&](const std::string& dependency) {
    SubmitJob s;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.dependency = dependency;
    return refusal_of(ask(s));
  };
  node("n1", 1);
  const JobId first = submit({});
  EXPECT_EQ(refusal("afterok:2"), "--dependency names job 2, which does not exist")
      << "it would be the job itself";
  EXPECT_EQ(refusal("afterok:1,nonsense"),
            "--dependency: \"nonsense\" is not a type of dependency");
  EXPECT_EQ(state(first), "CONFIGURING");
}

TEST_F(StartConditions, H20AChainOfVeryManyResolvesLinkByLink) {
  constexpr std::int64_t links = 100'000;
  for (std::int64_t i = 1; i <= links; ++i) {
    Job link;
    link.id = JobId{i};
    JobSpec spec;
    spec.partition = "main";
    spec.qos = "standard";
    spec.nodes = spec.tasks = 1;
    spec.kill_on_invalid_dependency = true;
    if (i > 1) link.dependencies = {{DependencyKind::AfterOk, JobId{i - 1}, 0, false}};
    if (i > 1) spec.dependency = on("afterok", JobId{i - 1});
    link.held = i == 1;
    link.spec = std::move(spec);
    link.submitted = link.eligible = now.wall;
    database->tables.jobs[link.id] = std::move(link);
  }
  restart();
  EXPECT_EQ(reason(JobId{links}), "Dependency");
  ask(ActOnJobs{JobVerb::Cancel, {JobId{1}}});
  EXPECT_EQ(state(JobId{links}), "CANCELLED");
  EXPECT_TRUE(controller->cluster().jobs().unfinished().empty());
}

TEST_F(StartConditions, AJobBeginsAtItsBeginTimeAlsoAfterARestart) {
  node("n1", 1);
  const auto later = [&](JobSpec& s) { s.begin = now.wall + Milliseconds{60'000}; };
  const JobId id = submit({.with = later});
  EXPECT_EQ(reason(id), "BeginTime");
  EXPECT_EQ(detail(id).view.expected_start, now.wall + Milliseconds{60'000});
  restart();
  node("n1", 1);
  pass_with_beats(Milliseconds{59'000}, {"n1"});
  EXPECT_EQ(state(id), "PENDING");
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(state(id), "CONFIGURING");
}

TEST_F(StartConditions, APendingJobThatCanNoLongerEndByItsDeadlineEndsAsDeadline) {
  node("n1", 1);
  const auto by = [&](std::int64_t seconds) {
    return [this, seconds](JobSpec& s) { s.deadline = now.wall + Milliseconds{seconds * 1000}; };
  };
  const JobId runs = submit({.time_limit_s = 300, .with = by(400)});
  const JobId waits = submit({.time_limit_s = 300, .with = by(400)});
  ready(runs);
  pass_with_beats(Milliseconds{100'000}, {"n1"});
  EXPECT_EQ(state(waits), "PENDING") << "it might still end in time";
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(state(waits), "DEADLINE");
  EXPECT_EQ(state(runs), "RUNNING");
}

TEST_F(StartConditions, AJobThatWouldMissItsDeadlineHasNoExpectedStart) {
  node("n1", 1);
  ready(submit({.time_limit_s = 300}));
  const Wall deadline = now.wall + Milliseconds{400'000};
  const JobId waits =
      submit({.time_limit_s = 300, .with = [=](JobSpec& s) { s.deadline = deadline; }});
  const JobDetail shown = detail(waits);
  EXPECT_EQ(shown.view.expected_start, Wall{});
  const std::string late = "it would start at " + moment_text(now.wall + Milliseconds{300'000}) +
                           " as things stand, too late to end by its deadline: at " +
                           moment_text(now.wall + Milliseconds{100'000}) +
                           " it ends as DEADLINE, unless it starts sooner";
  EXPECT_TRUE(shown.view.reason_detail.ends_with(late)) << shown.view.reason_detail;
  EXPECT_EQ(shown.why.back(), late);
}

TEST_F(StartConditions, APendingReasonDependencyShowsWhenTheOtherJobEndsAtTheLatest) {
  node("n1", 1);
  const JobId first = submit({.time_limit_s = 300});
  ready(first);
  const JobId next = after(on("afterany", first));
  const std::string end = moment_text(now.wall + Milliseconds{300'000}) + " at the latest";
  const std::string waits = "waits for job 1 (RUNNING) to end; ";
  EXPECT_EQ(detail(next).why.at(0), waits + "its present attempt ends by " + end);
  ask(UpdateJobs{{first}, {""}, {"Requeue"}, {"0"}});
  EXPECT_EQ(detail(next).why.at(0), waits + "it ends by " + end);
  const auto shows_limit = [&](const std::string& kind) {
    return detail(after(on(kind, first))).why.at(0).find("; it ends by ") != std::string::npos;
  };
  EXPECT_TRUE(shows_limit("afterok") && shows_limit("afternotok"));
  EXPECT_FALSE(shows_limit("after")) << "a time limit does not bound its start";
}

TEST_F(StartConditions, ARunningJobIsStoppedAtItsDeadline) {
  node("n1", 1);
  const JobId id =
      submit({.with = [&](JobSpec& s) { s.deadline = now.wall + Milliseconds{60'500}; }});
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  ready(id);
  take<Stop>();
  pass_with_beats(Milliseconds{59'000}, {"n1"});
  EXPECT_TRUE(take<Stop>().empty());
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(take<Stop>().front().second.order.why, StopWhy::Deadline);
  finish(id, 143);
  EXPECT_EQ(state(id), "DEADLINE");
}

TEST_F(StartConditions, ATestShowsDependenciesAsASubmissionWould) {
  node("n1", 1);
  const JobId old = submit({});
  run(old, 0);
  pass_with_beats(config.min_job_age + Milliseconds{1'000}, {"n1"});
  const auto tested = [&](const std::string& dependency) {
    TestJob test;
    test.spec.command = {"train"};
    test.spec.work_dir = "/home/u";
    test.spec.name = "daily";
    test.spec.dependency = dependency;
    return std::get<JobTested>(ask(test).body);
  };
  EXPECT_TRUE(tested(on("afterok", old)).starts_now);
  EXPECT_TRUE(tested("singleton").starts_now);
  const JobId daily = after("", "daily");
  EXPECT_EQ(tested("singleton").view.reason, WaitReason::Dependency);
  EXPECT_EQ(tested(on("afterok", daily)).view.reason_detail,
            "waits for job 2 (CONFIGURING) to complete successfully");
}

TEST_F(StartConditions, AtADeadlineWithoutAWarningNoJobIsAskedToSave) {
  node("n1", 1);
  const JobId id =
      submit({.with = [&](JobSpec& s) { s.deadline = now.wall + Milliseconds{60'000}; }});
  ready(id);
  take<Stop>();
  pass_with_beats(Milliseconds{60'000}, {"n1"});
  const auto stops = take<Stop>();
  ASSERT_FALSE(stops.empty());
  EXPECT_EQ(stops.front().second.order.why, StopWhy::Deadline);
  EXPECT_FALSE(stops.front().second.order.ask_checkpoint) << "there is no time left to save in";
}

TEST_F(StartConditions, AReleasedJobStartsEvenIfTheClockWasSetBack) {
  node("n1", 1);
  const JobId id = submit({.with = [](JobSpec& s) { s.hold = true; }});
  now.wall -= std::chrono::hours{1};
  ask(ActOnJobs{JobVerb::Release, {id}});
  EXPECT_EQ(state(id), "CONFIGURING");
}

TEST_F(StartConditions, ADeadlineThatCannotBeMetIsRefused) {
  node("n1", 1);
  SubmitJob s;
  s.spec.command = {"train"};
  s.spec.work_dir = "/home/u";
  s.spec.time_limit_s = 300;
  s.spec.deadline = now.wall + Milliseconds{200'000};
  EXPECT_EQ(refusal_of(ask(s)),
            "it cannot end by its deadline: 00:03:20 is left for a time limit of 00:05:00");
  s.spec.time_min_s = 100;
  s.request_id = "shorter";
  EXPECT_TRUE(std::holds_alternative<Submitted>(ask(s).body)) << "a shorter limit will do";
  EXPECT_EQ(attempt(JobId{1}).time_limit_s, 202) << "the deadline itself ends it";
}

}  // namespace
}  // namespace cox
