// Tests job arrays in the controller: one row stands for all tasks until one of them differs.
#include <gtest/gtest.h>

#include "tests/controller/array_story.h"

namespace cox {
namespace {

TEST_F(JobArrays, ARowStandsForTheTasksThatDoNotDiffer) {
  node("n1", 2);
  const JobId id = array("0-4");
  EXPECT_EQ(rows(id), "1_[2-4] PENDING 1_0 CONFIGURING 1_1 CONFIGURING");
  EXPECT_EQ(task(id, 0), JobId{2}) << "each has its own id";
  end_task(id, 0);
  EXPECT_EQ(rows(id), "1_[3-4] PENDING 1_0 COMPLETED 1_1 CONFIGURING 1_2 CONFIGURING");
  end_task(id, 1);
  EXPECT_EQ(job(id).job.array_task, 4) << "the last that is left has the array's id";
  end_task(id, 2);
  EXPECT_EQ(state(id), "CONFIGURING");
  end_task(id, 3);
  EXPECT_EQ(detail(id).tasks_left, 1);
  end(id, 3);
  EXPECT_EQ(rows(id), "1_4 FAILED 1_0 COMPLETED 1_1 COMPLETED 1_2 COMPLETED 1_3 COMPLETED");
  EXPECT_EQ(detail(id).tasks_left, 0);
  EXPECT_EQ(detail(id).tasks_failed, 1);
}

TEST_F(JobArrays, WorkersReceiveTheArrayAndTheTaskNumber) {
  node("n1", 1);
  const JobId id = array("5-9:2");
  const auto prepares = take<Prepare>();
  ASSERT_EQ(prepares.size(), 1u);
  EXPECT_EQ(prepares[0].second.launch.array_job, id);
  EXPECT_EQ(prepares[0].second.launch.array_task, 5);
  EXPECT_EQ(prepares[0].second.launch.key.job, task(id, 5));
  bool found = false;
  for (const JobEvent& event : database->tables.events)
    found = found || (event.job == task(id, 5) && event.why == "task 5 of array 1");
  EXPECT_TRUE(found);
}

TEST_F(JobArrays, AnArrayOfOneTaskIsOneRowWithItsTaskNumber) {
  node("n1", 1);
  const JobId id = array("7");
  EXPECT_EQ(rows(id), "1_7 CONFIGURING");
  end(id);
  EXPECT_EQ(rows(id), "1_7 COMPLETED");
}

TEST_F(JobArrays, NoMoreTasksRunAtOnceThanTheThrottleAllows) {
  node("n1", 8);
  const JobId id = array("0-9%3");
  EXPECT_EQ(running(id), 3);
  EXPECT_EQ(detail(id).view.reason, WaitReason::JobArrayTaskLimit);
  EXPECT_EQ(detail(id).view.reason_detail,
            "ArrayTaskThrottle of array 1 is 3: 3 in use by jobs 1_0, 1_1, 1_2 of "
            "ada, and it asks for 1");
  const JobId other = submit({});
  EXPECT_EQ(state(other), "CONFIGURING") << "the array does not block other jobs";
  end_task(id, 0);
  EXPECT_EQ(running(id), 3);
  EXPECT_EQ(update(id, "arraytaskthrottle", "5"), "5 of its tasks may run at once");
  EXPECT_EQ(running(id), 5);
  EXPECT_EQ(update(id, "ArrayTaskThrottle", "1"), "1 of its tasks may run at once");
  EXPECT_EQ(running(id), 5) << "no running task is stopped";
  for (const std::int64_t number : {1, 2, 3, 4}) end_task(id, number);
  EXPECT_EQ(running(id), 1);
  restart();
  node("n1", 8);
  EXPECT_EQ(running(id), 1) << "as the database has it";
  EXPECT_EQ(update(id, "ArrayTaskThrottle", "0"), "any number of its tasks may run at once");
  EXPECT_EQ(running(id), 5);
}

TEST_F(JobArrays, AnArrayWhoseTaskListIsTooLongForARowIsRefused) {
  EXPECT_NE(refused({.with = [](JobSpec& s) { s.array = "1-4000:3,2-4000:3"; }})
                .find("--array has, written out, "),
            std::string::npos);
}

TEST_F(JobArrays, InvalidChangesOfAnArrayAreRefused) {
  node("n1", 1);
  const JobId alone = submit({});
  const JobId id = array("0-3");
  EXPECT_EQ(update(alone, "ArrayTaskThrottle", "2"),
            "job 1 is not an array, and ArrayTaskThrottle is for whole arrays");
  EXPECT_NE(update(id, "ArrayTaskThrottle", "x").find("ArrayTaskThrottle: "), std::string::npos);
  EXPECT_EQ(update(id, "Colour", "red"), "Update of this parameter is not supported: Colour=red");
  EXPECT_EQ(update(JobId{99}, "ArrayTaskThrottle", "2"), "there is no job 99 in the queue");
}

TEST_F(JobArrays, OneTaskSomeTasksOrAllTasksOfAnArrayAreCancelled) {
  node("n1", 1);
  const JobId id = array("0-9");
  EXPECT_EQ(act(JobVerb::Cancel, id, "4"), "1_4: cancelled");
  EXPECT_EQ(act(JobVerb::Cancel, id, "0,6-8"),
            "1_[0,6-8]: 3 tasks: cancelled; 1 task: being cancelled");
  EXPECT_EQ(rows(id), "1_[1-3,5,9] PENDING 1_0 COMPLETING 1_4 CANCELLED 1_[6-8] CANCELLED");
  EXPECT_EQ(act(JobVerb::Cancel, id, "10"), "1_10: refused: array 1 has no task 10");
  EXPECT_EQ(act(JobVerb::Cancel, id, "4"), "1_4: had already ended: CANCELLED");
  finish(task(id, 0), 1);
  EXPECT_EQ(state_of(id, 1), "CONFIGURING");
  EXPECT_EQ(act(JobVerb::Cancel, id), "1: 4 tasks: cancelled; 1 task: being cancelled");
  finish(task(id, 1), 1);
  EXPECT_TRUE(controller->cluster().jobs().arrays().is_over(id));
  EXPECT_EQ(act(JobVerb::Cancel, id), "1: had already ended: 10 CANCELLED");
  EXPECT_EQ(controller->cluster().jobs().unfinished_count(), 0);
}

TEST_F(JobArrays, SomeTasksOfAnArrayAreHeldAndReleased) {
  const JobId id = array("0-5");
  EXPECT_EQ(act(JobVerb::Hold, id, "1,3"), "1_[1,3]: held");
  EXPECT_EQ(act(JobVerb::Hold, id, "1,2"), "1_[1,2]: 1 task: held; 1 task: was held already");
  EXPECT_EQ(rows(id), "1_[0,4-5] PENDING 1_[1,3] PENDING 1_2 PENDING");
  node("n1", 8);
  EXPECT_EQ(running(id), 3);
  EXPECT_EQ(act(JobVerb::Release, id, "3"), "1_3: released");
  EXPECT_EQ(state_of(id, 3), "CONFIGURING");
  EXPECT_EQ(state_of(id, 1), "PENDING");
  EXPECT_EQ(act(JobVerb::Release, id).substr(0, 3), "1: ");
  EXPECT_EQ(running(id), 6);
}

TEST_F(JobArrays, ARequeuedTaskKeepsItsNumberAndResumesFromItsCheckpoint) {
  node("n1", 1);
  const JobId id = array("0-2", [](JobSpec& s) { s.checkpoint_signal = 10; });
  const JobId first = task(id, 0);
  ready(first);
  EXPECT_EQ(act(JobVerb::Requeue, id), "1: asked to save and stop; it is requeued afterwards");
  EXPECT_EQ(act(JobVerb::Requeue, id, "2"), "1_2: is already pending");
  EXPECT_EQ(rows(id), "1_[1-2] PENDING 1_0 SIGNALING");
  finish(first, 75, true, 5);
  EXPECT_EQ(task(id, 0), first);
  end_task(id, 1);
  end_task(id, 2);
  pass_with_beats(Milliseconds{5'000}, {"n1"});
  EXPECT_EQ(state(first), "CONFIGURING");
  EXPECT_EQ(attempt(first).resume, (ResumeFrom{AttemptNumber{1}, 5}));
  EXPECT_EQ(job(first).job.array_task, 0);
}

TEST_F(JobArrays, EachTaskOfAnArrayPreemptsOneVictimAndTakesItsRoom) {
  node("n1", 1);
  node("n2", 1);
  const JobId low = array("0-1", {}, "besteffort");
  for (const std::int64_t number : {0, 1}) ready(task(low, number));
  const JobId high = array("0-4", {}, "critical");
  EXPECT_EQ(running(low), 2) << "both are preempted, one for each task";
  EXPECT_EQ(state_of(low, 0), "COMPLETING");
  EXPECT_EQ(state_of(low, 1), "COMPLETING");
  finish(task(low, 0), 1);
  finish(task(low, 1), 1);
  EXPECT_EQ(running(high), 2);
  EXPECT_EQ(state_of(high, 0), "CONFIGURING");
  EXPECT_EQ(state_of(high, 1), "CONFIGURING");
  EXPECT_EQ(state_of(low, 0), "PENDING");
  EXPECT_EQ(state_of(low, 1), "PENDING");
  for (const std::int64_t number : {0, 1, 2, 3, 4}) end_task(high, number);
  EXPECT_EQ(running(low), 2) << "they resume as the same tasks";
  EXPECT_EQ(attempt(task(low, 0)).key.attempt, AttemptNumber{2});
}

TEST_F(JobArrays, ArraysSurviveARestart) {
  node("n1", 2);
  const JobId id = array("0-9%2");
  ready(task(id, 0));
  act(JobVerb::Hold, id, "7-8");
  const std::string before = rows(id);
  restart();
  EXPECT_EQ(rows(id), before);
  node("n1", 2);
  EXPECT_EQ(controller->cluster().jobs().unfinished_count(), 10);
}

TEST_F(JobArrays, PendingTasksOfALargeArrayShareOneRow) {
  const JobId id = array("0-99999");
  EXPECT_EQ(controller->cluster().jobs().all().size(), 1u);
  EXPECT_EQ(database->tables.jobs.size(), 1u);
  EXPECT_EQ(controller->engine(now).queue().size(), 1u);
  EXPECT_EQ(controller->cluster().jobs().unfinished_count(), 100'000);
  EXPECT_EQ(std::get<ClusterView>(ask(ShowCluster{}).body).jobs_pending, 100'000);
  EXPECT_EQ(database->tables.events.size(), 1u);
  act(JobVerb::Hold, id, "20000-79999");
  EXPECT_EQ(database->tables.jobs.size(), 2u) << "a part of it is a row too";
  act(JobVerb::Cancel, id, "50000");
  EXPECT_EQ(database->tables.jobs.size(), 3u);
  node("n1", 4);
  EXPECT_EQ(database->tables.jobs.size(), 7u);
  EXPECT_EQ(rows(id).substr(0, 29), "1_[4-19999,80000-99999] PENDI");
  act(JobVerb::Cancel, id);
  EXPECT_EQ(database->tables.jobs.size(), 7u);
  EXPECT_EQ(controller->cluster().jobs().unfinished_count(), 4);
}

TEST_F(JobArrays, EachTaskCountsAgainstSubmitLimits) {
  database->tables.qos[1].limits.max_submit_jobs_per_user = 10;
  restart();
  node("n1", 1);
  const JobId id = array("0-7");
  const auto with_tasks = [](const std::string& tasks) {
    return Ask{.with = [tasks](JobSpec& s) { s.array = tasks; }};
  };
  EXPECT_EQ(refused(with_tasks("0-2")),
            "QOS standard has MaxSubmitJobsPerUser=10, and ada has 8 jobs that wait or run; the "
            "array asks for 3 tasks more");
  EXPECT_EQ(refused(with_tasks("0-1")), "");
  act(JobVerb::Cancel, id, "2-6");
  EXPECT_EQ(refused(with_tasks("0-4")), "");
  EXPECT_NE(refused(with_tasks("4-1")).find("--array: "), std::string::npos);
  EXPECT_NE(refused(with_tasks("0-1")), "");
}

TEST_F(JobArrays, TheTasksOfAnArrayAreForgottenTogether) {
  config.min_job_age = Milliseconds{60'000};
  restart();
  node("n1", 1);
  const JobId id = array("0-1");
  end_task(id, 0, 1);
  ready(task(id, 1));
  pass_with_beats(Milliseconds{120'000}, {"n1"});
  EXPECT_EQ(state_of(id, 0), "FAILED") << "another job may depend on the array";
  restart();
  node("n1", 1);
  EXPECT_EQ(state_of(id, 0), "FAILED");
  EXPECT_EQ(state_of(id, 1), "CONFIGURING");
  end_task(id, 1);
  pass_with_beats(Milliseconds{120'000}, {"n1"});
  EXPECT_TRUE(controller->cluster().jobs().all().empty());
  EXPECT_FALSE(controller->cluster().jobs().arrays().contains(id));
  EXPECT_EQ(detail(id, 0).view.job.array_task, 0) << "the database has not forgotten it";
  EXPECT_FALSE(std::get<HistoryPage>(ask(ShowHistory{id, 0, 0}).body).events.empty());
  EXPECT_EQ(refusal_of(ask(ShowJob{id, 7})), "there never was a job 1_7");
  const JobId other = array("0-1");
  EXPECT_EQ(refusal_of(ask(ShowJob{other, 7})),
            "array " + std::to_string(other.value) + " has no task 7");
  EXPECT_NE(
      refused({.with = [](JobSpec& s) { s.dependency = "afterok:1"; }}).find("ended so long ago"),
      std::string::npos);
  EXPECT_EQ(refused({.with = [](JobSpec& s) { s.dependency = "afterany:1"; }}), "");
}

TEST_F(JobArrays, AnArrayIsListedByItsIdAndATaskByItsNumber) {
  node("n1", 1);
  const JobId id = array("0-5");
  const auto listed = [&](std::vector<std::string> tasks) {
    std::string text;
    const ListJobs ask_for{{id}, {}, "", "", {}, std::move(tasks)};
    const auto list = std::get<JobList>(ask(ask_for).body);
    for (const JobView& view : list.jobs) text += (text.empty() ? "" : " ") + shown_id(view.job);
    return text;
  };
  EXPECT_EQ(listed({}), "1_[1-5] 1_0");
  EXPECT_EQ(listed({"0"}), "1_0");
  EXPECT_EQ(listed({"3-4"}), "1_[1-5]");
  EXPECT_EQ(detail(id, 0).view.job.id, task(id, 0));
  EXPECT_EQ(detail(id, 3).view.job.id, id);
}

// ---- dependencies

class DependentArrays : public JobArrays {
 protected:
  JobId after(const std::string& dependency, const std::string& tasks = "") {
    return submit({.with = [&](JobSpec& s) {
      s.dependency = dependency;
      s.array = tasks;
    }});
  }
  std::string reason(JobId id, std::int64_t number = -1) {
    return std::string(name(detail(id, number).view.reason));
  }
};

TEST_F(DependentArrays, ADependencyOnAnArrayWaitsForAllOfItsTasks) {
  node("n1", 9);
  const JobId id = array("0-2");
  const JobId begun = after("after:1");
  const JobId any = after("afterany:1");
  const JobId ok = after("afterok:1");
  const JobId bad = after("afternotok:1");
  EXPECT_EQ(detail(any).why.at(0), "waits for array 1 (3 of its tasks have not ended) to end");
  for (const std::int64_t number : {0, 1}) ready(task(id, number));
  EXPECT_EQ(reason(begun), "Dependency");
  ready(task(id, 2));
  EXPECT_EQ(state(begun), "CONFIGURING");
  finish(task(id, 0), 0);
  finish(task(id, 1), 1);
  EXPECT_EQ(reason(any), "Dependency");
  EXPECT_EQ(reason(ok), "Dependency");
  finish(task(id, 2), 0);
  EXPECT_EQ(state(any), "CONFIGURING");
  EXPECT_EQ(reason(ok), "DependencyNeverSatisfied");
  EXPECT_EQ(state(bad), "CONFIGURING");
}

TEST_F(DependentArrays, ATaskThatEndedLongBeforeTheOthersIsStillKnownWhenTheyEnd) {
  config.node_timeout = std::chrono::hours{1'000};
  config.lease = Milliseconds{0};
  restart();
  node("n1", 2);
  const JobId id = array("0-1");
  end_task(id, 0, 3);
  pass(config.min_job_age * 2);
  asked_to_stop = false;  // it ended before the order to stop, for a late launch, had come
  end_task(id, 1);
  pass(Milliseconds{0});
  const JobId after =
      submit({.with = [&](JobSpec& s) { s.dependency = "afterok:" + std::to_string(id.value); }});
  EXPECT_EQ(state(after), "PENDING");
  EXPECT_EQ(name(detail(after).view.reason), "DependencyNeverSatisfied");
  restart();
  EXPECT_EQ(rows(id), "1_1 COMPLETED 1_0 FAILED") << "loaded as it is kept";
}

TEST_F(DependentArrays, ADependencyOnATaskWaitsForThatTaskOnly) {
  node("n1", 1);
  const JobId id = array("0-2");
  const JobId first = after("afterok:1_0");
  const JobId last = after("afterany:1_2");
  EXPECT_EQ(detail(first).why.at(0), "waits for job 1_0 (CONFIGURING) to complete successfully");
  EXPECT_EQ(refused({.with = [](JobSpec& s) { s.dependency = "afterok:1_3"; }}),
            "array 1 has no task 3");
  act(JobVerb::Hold, id, "1");
  end_task(id, 0);
  EXPECT_TRUE(state_of(id, 2) == "CONFIGURING" && job(id).job.array_task == 2)
      << "the last one has the array's id";
  EXPECT_NE(reason(first), "Dependency");
  EXPECT_EQ(reason(last), "Dependency");
  restart();
  node("n1", 1);
  end(id);
  EXPECT_NE(reason(last), "Dependency") << "though task 1 is left";
  EXPECT_FALSE(controller->cluster().jobs().arrays().is_over(id));
}

TEST_F(DependentArrays, TheCancellationOfTasksDecidesDependenciesOnThoseTasks) {
  node("n1", 1);
  const JobId id = array("0-5");
  const JobId three = after("afterany:1_3");
  const JobId four = after("afterok:1_4");
  act(JobVerb::Cancel, id, "3-4");
  EXPECT_NE(reason(three), "Dependency");
  EXPECT_EQ(reason(four), "DependencyNeverSatisfied");
}

TEST_F(DependentArrays, AftercorrMakesEachTaskWaitForItsCounterpart) {
  node("n1", 20);
  const JobId a = array("0-5");
  const JobId b = after("aftercorr:1", "0-3,5");
  EXPECT_EQ(rows(b), std::to_string(b.value) + "_[0-3,5] PENDING");
  EXPECT_EQ(detail(b).why.at(0), "waits for the same tasks of array 1 to complete successfully");
  end_task(a, 2);
  EXPECT_EQ(state_of(b, 2), "CONFIGURING");
  EXPECT_EQ(reason(b), "Dependency");
  end_task(a, 1, 1);
  EXPECT_EQ(state_of(b, 1), "PENDING");
  EXPECT_EQ(reason(b, 1), "DependencyNeverSatisfied");
  restart();
  node("n1", 20);
  EXPECT_EQ(reason(b, 0), "Dependency");
  for (const std::int64_t number : {0, 3, 4, 5}) end_task(a, number);
  for (const std::int64_t number : {0, 3, 5}) EXPECT_EQ(state_of(b, number), "CONFIGURING");
  std::size_t jobs = 0;
  for (const auto& [id, one] : database->tables.jobs) jobs += one.array_job == b ? 1 : 0;
  EXPECT_EQ(jobs, 5u) << "each is released once";
  EXPECT_EQ(state_of(b, 1), "PENDING");
  EXPECT_EQ(refused({.with = [](JobSpec& s) { s.dependency = "aftercorr:1", s.array = "0-6"; }}),
            "array 1 has no task 6");
}

TEST_F(DependentArrays, AftercorrIsDecidedAtOnceForTasksWhoseCounterpartsHaveEnded) {
  node("n1", 4);
  const JobId a = array("0-3");
  end_task(a, 0);
  end_task(a, 1, 1);
  act(JobVerb::Cancel, a, "2");
  finish(task(a, 2), 1);
  const JobId b = after("aftercorr:1", "0-3");
  EXPECT_EQ(state_of(b, 0), "CONFIGURING");
  EXPECT_EQ(reason(b, 1), "DependencyNeverSatisfied");
  EXPECT_EQ(reason(b, 2), "DependencyNeverSatisfied");
  EXPECT_EQ(reason(b, 3), "Dependency");
  const JobId alone = after("aftercorr:1");
  EXPECT_EQ(job(alone).job.dependencies->at(0).kind, DependencyKind::AfterOk) << "as in Slurm";
}

TEST_F(DependentArrays, TheReplyToASubmissionNamesTheTasksThatAftercorrKeepsFromStarting) {
  node("n1", 4);
  const JobId a = array("0-3");
  end_task(a, 0);
  end_task(a, 1, 1);
  end_task(a, 2, 1);
  const auto submitted = [&](const std::string& tasks, bool kill = false) {
    SubmitJob s;
    s.request_id = tasks + (kill ? "!" : "");
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.array = tasks;
    s.spec.dependency = "aftercorr:1";
    s.spec.kill_on_invalid_dependency = kill;
    return std::get<Submitted>(ask(s).body);
  };
  const std::string why =
      "waits in vain for the same tasks of array 1 to complete successfully: task 1 of array 1 "
      "(1_1) FAILED, and 1 more did not complete successfully";
  const Submitted all = submitted("0-3");
  const std::string two = std::to_string(all.id.value) + "_[1-2]";
  EXPECT_EQ(all.note, "job " + two + " " + why + "; `cox cancel " + two + "` ends it");
  const Submitted killed = submitted("0-2", true);
  EXPECT_EQ(killed.note,
            "job " + std::to_string(killed.id.value) + "_[1-2] " + why + " and is cancelled");
  EXPECT_EQ(submitted("0,3").note, "");
}

TEST_F(DependentArrays, ATaskThatCanNeverStartIsCancelledIfItsJobAsksForThat) {
  node("n1", 9);
  const JobId a = array("0-2");
  const JobId b = submit({.with = [](JobSpec& s) {
    s.dependency = "aftercorr:1";
    s.array = "0-2";
    s.kill_on_invalid_dependency = true;
  }});
  end_task(a, 1, 1);
  EXPECT_EQ(state_of(b, 1), "CANCELLED");
  EXPECT_EQ(state_of(b, 0), "PENDING");
}

}  // namespace
}  // namespace cox
