// Tests of the suite that runs over both stores: the store in memory behaves like the one on
// PostgreSQL.
#include "common/base/limits.h"
#include "tests/store/store_suite.h"

namespace cox::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Every, StoreSuite,
                         testing::Values(Kind{"memory", memory_database},
                                         Kind{"postgres", postgres_database}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(StoreSuite, AnEmptyDatabaseHasTheDefaultQos) {
  Controller controller(*database);
  EXPECT_EQ(controller.loaded.term, Term{1});
  EXPECT_EQ(controller.loaded.turn, TurnNumber{0});
  EXPECT_EQ(controller.loaded.next_job, JobId{1});
  const std::vector<Qos> tiers = {{"critical", 3, PreemptMode::Off, 60'000, {}, {}},
                                  {"standard", 2, PreemptMode::Checkpoint, 60'000, {}, {}},
                                  {"besteffort", 1, PreemptMode::Requeue, 0, {}, {}}};
  EXPECT_EQ(controller.loaded.qos, tiers);
  EXPECT_TRUE(controller.loaded.jobs.empty());
}

TEST_P(StoreSuite, EveryFieldOfJobsAttemptsCheckpointsAndNodesIsLoadedAsStored) {
  Job running = a_job(1);
  Job waiting = a_job(2);
  waiting.dependencies = {{DependencyKind::AfterOk, JobId{7}, 0, true},
                          {DependencyKind::After, JobId{8}, 300, false},
                          {DependencyKind::Singleton, {}, 0, false},
                          {DependencyKind::AfterOk, JobId{9}, 0, false, 12},
                          {DependencyKind::AfterCorr, JobId{9}, 0, false}};
  const auto added = JobAdded{running, Blob{running.spec->script_hash, "#!/bin/sh\n"}, {}};
  {
    Controller controller(*database);
    controller.commit({added, change(running, JobState::Configuring),
                       change(running, JobState::Running), AttemptAdded{an_attempt(1, 1)},
                       CheckpointAdded{a_checkpoint(1, 1, 10)}, NodeChanged{a_node("n1")},
                       JobAdded{waiting, {}, {}}, JobForgotten{JobId{7}}});
  }
  Controller again(*database);
  EXPECT_EQ(again.loaded.jobs, (std::vector<Job>{running, waiting}));
  EXPECT_EQ(again.loaded.attempts, std::vector<Attempt>{an_attempt(1, 1)});
  EXPECT_EQ(again.loaded.checkpoints, std::vector<Checkpoint>{a_checkpoint(1, 1, 10)});
  EXPECT_EQ(again.loaded.nodes, std::vector<Node>{a_node("n1")});
  EXPECT_EQ(again.loaded.turn, TurnNumber{1});
}

TEST_P(StoreSuite, ChangedDependenciesOfAJobAreStored) {
  Controller controller(*database);
  Job waiting = a_job(1);
  waiting.dependencies = {{DependencyKind::AfterAny, JobId{7}}, {DependencyKind::After, JobId{8}}};
  controller.commit({JobAdded{waiting, {}, {}}});
  waiting.dependencies = {{DependencyKind::After, JobId{8}}};
  controller.commit({JobChanged{waiting, waiting.state, waiting.attempt}});
  EXPECT_EQ(load(controller.store(), false).jobs, std::vector<Job>{waiting});
  Job starts = waiting;
  EXPECT_EQ(controller.commit_refused({change(starts, JobState::Configuring)}).sqlstate, "23514")
      << "a job with open dependencies cannot start";
}

TEST_P(StoreSuite, EmptyAndUnsetFieldsAreLoadedAsTheyWereStored) {
  Job bare;
  bare.spec.change().qos = "standard";  // refers to the table of QOS, so it may not be empty
  bare.id = JobId{1};
  bare.attempt = AttemptNumber{1};
  bare.submitted = at(0);
  Attempt attempt;
  attempt.key = {JobId{1}, AttemptNumber{1}};
  attempt.began = at(0);
  Node node;
  node.name = "n";
  Controller controller(*database);
  controller.commit({JobAdded{bare, {}, {}}, AttemptAdded{attempt}, NodeChanged{node}});
  const Snapshot reloaded = load(controller.store(), false);
  EXPECT_EQ(reloaded.jobs, std::vector<Job>{bare});
  EXPECT_EQ(reloaded.attempts, std::vector<Attempt>{attempt});
  EXPECT_EQ(reloaded.nodes, std::vector<Node>{node});
}

TEST_P(StoreSuite, LaterChangesOfAttemptsAndCheckpointsReplaceTheirRows) {
  Controller controller(*database);
  Job job = a_job(1);
  job.attempt = AttemptNumber{1};
  Attempt attempt = an_attempt(1, 1);
  Checkpoint checkpoint = a_checkpoint(1, 1, 10);
  controller.commit({JobAdded{job, {}, {}}, AttemptAdded{attempt}, CheckpointAdded{checkpoint}});
  attempt.ended = at(8);
  attempt.nodes[1].phase = NodePhase::Gone;
  attempt.ranks[1].exit_signal = 9;
  attempt.nodes[1].suspension = 4;
  attempt.nodes[1].given_back = at(7);
  attempt.suspension = {4, false};
  attempt.suspended_at = {at(7)};
  attempt.suspended_ms = 2'500;
  attempt.resumed = at(8);
  attempt.ranks[1].saved = {{30, 1, 1, true, true}};
  attempt.ranks[1].asked_to_stop = false;
  attempt.ranks[1].save_unknown = true;
  attempt.finished = false;
  attempt.saves_set_aside = true;
  attempt.resume_job_step = 4;
  attempt.resume_command_hash = "beef";
  checkpoint.damaged = true;
  checkpoint.damaged_in = AttemptNumber{4};
  checkpoint.by_exit = false;
  checkpoint.set_aside = true;
  checkpoint.job_step = 4;
  checkpoint.command_hash = "beef";
  controller.commit({AttemptChanged{attempt}, CheckpointChanged{checkpoint}});
  const Snapshot reloaded = load(controller.store(), false);
  EXPECT_EQ(reloaded.attempts, std::vector<Attempt>{attempt});
  EXPECT_EQ(reloaded.checkpoints, std::vector<Checkpoint>{checkpoint});
  checkpoint.pruned = true;
  controller.commit({CheckpointChanged{checkpoint}});
  EXPECT_TRUE(load(controller.store(), false).checkpoints.empty());
}

TEST_P(StoreSuite, ALaterRowOfANodeReplacesTheFormerOne) {
  Controller controller(*database);
  Node node = a_node("n1");
  controller.commit({NodeChanged{node}});
  node.weight = 9;
  controller.commit({NodeChanged{node}});
  EXPECT_EQ(load(controller.store(), false).nodes, std::vector<Node>{node});
}

TEST_P(StoreSuite, APendingReasonIsStoredUntilItIsRemoved) {
  Controller controller(*database);
  JobWait wait{
      JobId{1}, "Resources", "2 nodes are busy", {"one", "it's {\"two\"}"}, at(60), at(1), at(2),
      at(50),   at(1)};
  wait.priority = 12.5;
  wait.priority_of_age = 1000;
  wait.age_full_s = 3600;
  JobWait bare{JobId{2}, "Priority", "", {}, {}, at(1), at(1), {}, {}};
  controller.commit(
      {JobAdded{a_job(1), {}, {}}, JobAdded{a_job(2), {}, {}}, WaitPut{wait}, WaitPut{bare}});
  EXPECT_EQ(load(controller.store(), false).waits, (std::vector<JobWait>{wait, bare}));
  wait.detail = "1 node is busy";
  wait.expected_start = Wall{};
  controller.commit({WaitPut{wait}, WaitRemoved{JobId{2}}, WaitRemoved{JobId{7}}});
  EXPECT_EQ(load(controller.store(), false).waits, std::vector<JobWait>{wait});
  controller.commit({WaitRemoved{JobId{1}}, WaitPut{wait}, WaitRemoved{JobId{1}}});
  EXPECT_TRUE(load(controller.store(), false).waits.empty());
  EXPECT_EQ(
      controller.commit_refused({WaitPut{{JobId{9}, "None", "", {}, {}, at(1), at(1)}}}).sqlstate,
      "23503")
      << "of a missing job";
}

TEST_P(StoreSuite, TheNewestEstimatesAreLoadedOldestFirst) {
  Controller controller(*database);
  const StartEstimate late{JobId{1}, AttemptNumber{1}, at(10), at(30), at(1)};
  const StartEstimate early{JobId{1}, AttemptNumber{2}, at(10), at(20), at(2)};
  controller.commit({JobAdded{a_job(1), {}, {}}, EstimateResolved{late}, EstimateResolved{early}});
  EXPECT_EQ(load(controller.store(), false).estimates, (std::vector<StartEstimate>{early, late}));
  EXPECT_EQ(controller.commit_refused({EstimateResolved{late}}).sqlstate, "23505");
  StartEstimate orphan = late;
  orphan.job = JobId{9};
  EXPECT_EQ(controller.commit_refused({EstimateResolved{orphan}}).sqlstate, "23503");
}

TEST_P(StoreSuite, EveryReasonToStopCanBeStored) {
  Controller controller(*database);
  Job job = a_job(1);
  job.attempt = AttemptNumber{1};
  Attempt attempt = an_attempt(1, 1);
  controller.commit({JobAdded{job, {}, {}}, AttemptAdded{attempt}});
  for (int why = 0; why <= static_cast<int>(StopWhy::Deadline); ++why) {
    attempt.stop.why = static_cast<StopWhy>(why);
    controller.commit({AttemptChanged{attempt}});
    EXPECT_EQ(load(controller.store(), false).attempts, std::vector<Attempt>{attempt})
        << name(attempt.stop.why);
  }
}

TEST_P(StoreSuite, AllChangesInTheLifeOfAJobFitIntoOneTurn) {
  Controller controller(*database);
  Job job = a_job(1);
  Attempt first = an_attempt(1, 1), second = an_attempt(1, 2);
  std::vector<Change> life = {JobAdded{job, {}, {}}};
  for (const auto state : {JobState::Configuring, JobState::Running, JobState::Suspended,
                           JobState::Running, JobState::Suspended, JobState::Signaling,
                           JobState::Completing, JobState::Pending, JobState::Configuring})
    life.push_back(change(job, state));
  life.push_back(AttemptAdded{first});
  first.ended = at(6);
  life.push_back(AttemptChanged{first});
  life.push_back(AttemptAdded{second});
  controller.commit(life);
  const Snapshot reloaded = load(controller.store(), false);
  EXPECT_EQ(reloaded.jobs, std::vector<Job>{job});
  EXPECT_EQ(reloaded.attempts, (std::vector<Attempt>{first, second}));
}

TEST_P(StoreSuite, ASecondControllerSupersedesTheFirst) {
  Controller first(*database);
  first.commit({JobAdded{a_job(1), {}, {}}});
  Controller second(*database);
  EXPECT_EQ(second.loaded.term, Term{2});
  first.store().commit(first.turn({JobAdded{a_job(2), {}, {}}}));
  next<Superseded>(first.store());
  second.commit({JobAdded{a_job(3), {}, {}}});
  EXPECT_EQ(load(second.store(), false).jobs, (std::vector<Job>{a_job(1), a_job(3)}));
}

TEST_P(StoreSuite, JobIdsAreNeverIssuedAgain) {
  std::int64_t last_issued = 0;
  for (int restarts = 0; restarts < 3; ++restarts) {
    Controller controller(*database);
    EXPECT_GT(controller.loaded.next_job.value, last_issued);
    last_issued = controller.loaded.next_job.value;
    controller.commit({JobAdded{a_job(last_issued), {}, {}}});
    EXPECT_GT(load(controller.store(), false).next_job.value, last_issued);
  }
  const auto idle = Controller(*database).loaded.next_job;
  EXPECT_EQ(Controller(*database).loaded.next_job, idle) << "a term without new jobs skips no id";
}

TEST_P(StoreSuite, JobsThatEndedLongAgoAreNotLoaded) {
  Controller controller(*database);
  Job job = a_job(1);
  controller.commit({JobAdded{job, {}, {}}, AttemptAdded{an_attempt(1, 1)}});
  controller.commit({change(job, JobState::Cancelled)});
  EXPECT_EQ(load(controller.store(), false, at(9)).jobs, std::vector<Job>{job});
  const Snapshot later = load(controller.store(), false, at(10));
  EXPECT_TRUE(later.jobs.empty());
  EXPECT_TRUE(later.attempts.empty());
  controller.store().read_job(5, JobId{1}, false);
  const JobRead read = next<JobRead>(controller.store());
  EXPECT_EQ(read.ticket, 5);
  EXPECT_EQ(read.jobs, std::vector<Job>{job});
  EXPECT_EQ(read.attempts, std::vector<Attempt>{an_attempt(1, 1)});
}

TEST_P(StoreSuite, AJobThatOthersDependOnIsLoadedHoweverLongAgoItEnded) {
  Controller controller(*database);
  Job ended = a_job(1);
  Job waiting = a_job(2);
  waiting.dependencies = {{DependencyKind::AfterAny, JobId{1}}};
  controller.commit(
      {JobAdded{ended, {}, {}}, JobAdded{waiting, {}, {}}, AttemptAdded{an_attempt(1, 1)}});
  controller.commit({change(ended, JobState::Cancelled)});
  const Snapshot later = load(controller.store(), false, at(10));
  EXPECT_EQ(later.jobs, (std::vector<Job>{ended, waiting}));
  EXPECT_TRUE(later.attempts.empty());
}

TEST_P(StoreSuite, AJobIsFoundByItsRequestId) {
  Controller controller(*database);
  controller.commit({JobAdded{a_job(1), {}, {}}, AttemptAdded{an_attempt(1, 1)},
                     CheckpointAdded{a_checkpoint(1, 1, 10)}});
  controller.store().read_request(1, "request-1");
  const JobRead found = next<JobRead>(controller.store());
  EXPECT_EQ(found.jobs, std::vector<Job>{a_job(1)});
  EXPECT_EQ(found.checkpoints, std::vector<Checkpoint>{a_checkpoint(1, 1, 10)});
  for (const std::string unknown : {"request-2", "", "' OR true --"}) {
    controller.store().read_request(2, unknown);
    EXPECT_TRUE(next<JobRead>(controller.store()).jobs.empty()) << unknown;
  }
}

TEST_P(StoreSuite, ATaskOfAnArrayIsFoundByItsNumber) {
  Controller controller(*database);
  Job row = a_job(1);
  row.array_job = JobId{1};
  row.array_task = -1;
  row.array_tasks = *parse_array_tasks("0-3,8-16:4");
  row.array_limit = 2;
  Job task = a_job(2);
  task.request_id.clear();
  task.array_job = JobId{1};
  task.array_task = 4;
  task.array_tasks = {};
  controller.commit({JobAdded{row, {}, {}}, JobAdded{task, {}, {}}});
  EXPECT_EQ(load(controller.store(), false).jobs, (std::vector<Job>{row, task}));
  controller.store().read_task(1, JobId{1}, 4);
  EXPECT_EQ(next<JobRead>(controller.store()).jobs, std::vector<Job>{task});
  for (const std::int64_t other : {1, 12}) {
    controller.store().read_task(2, JobId{1}, other);
    EXPECT_EQ(next<JobRead>(controller.store()).jobs, std::vector<Job>{row})
        << "the row that has this task";
  }
  for (const std::int64_t other : {5, 13, 20, -1}) {
    controller.store().read_task(2, JobId{1}, other);
    EXPECT_TRUE(next<JobRead>(controller.store()).jobs.empty()) << other;
  }
}

TEST_P(StoreSuite, AnArrayIsReadWithAllItsRowsAndTheirHistory) {
  Controller controller(*database);
  Job row = a_job(1);
  row.array_job = JobId{1};
  row.array_task = 7;
  row.array_tasks = {};
  Job task = a_job(2);
  task.request_id.clear();
  task.array_job = JobId{1};
  task.array_task = -1;
  task.array_tasks = *parse_array_tasks("4-6");
  Job alone = a_job(3);
  alone.array_job = {};
  alone.array_task = -1;
  alone.array_tasks = {};
  JobEvent runs = an_event(1, "runs");
  runs.attempt = AttemptNumber{1};
  controller.commit({JobAdded{row, {}, {}}, JobAdded{task, {}, {}}, JobAdded{alone, {}, {}},
                     EventAdded{an_event(1, "submitted")}, EventAdded{an_event(3, "another's")},
                     EventAdded{an_event(2, "split off")}, EventAdded{runs}});
  const auto read = [&](std::int64_t id) {
    controller.store().read_job(1, JobId{id}, true);
    return next<JobRead>(controller.store()).rows;
  };
  EXPECT_EQ(read(1), (std::vector<ArrayRow>{array_row(row), array_row(task)}));
  EXPECT_TRUE(read(2).empty()) << "a task alone returns no other rows";
  EXPECT_TRUE(read(3).empty());
  const auto history = [&](std::int64_t id) {
    controller.store().read_array_history(2, JobId{id}, 0);
    const HistoryRead page = next<HistoryRead>(controller.store());
    std::string text;
    for (std::size_t i = 0; i < page.events.size(); ++i)
      text += page.job_names.at(i) + " " + page.events[i].what + "; ";
    return text;
  };
  EXPECT_EQ(history(1), "1 submitted; 1_7 runs; 1_[4-6] split off; ");
  EXPECT_EQ(history(3), "3 another's; ");
}

// The whole array is loaded, since another job may depend on all its tasks.
TEST_P(StoreSuite, AllTasksOfAnArrayAreLoadedUntilTheLastHasEnded) {
  Controller controller(*database);
  std::vector<Job> jobs = {a_job(1), a_job(2), a_job(3)};
  for (Job& job : jobs) {
    if (job.id != JobId{1}) job.request_id.clear();
    job.array_job = JobId{1};
    job.array_task = job.id.value;
  }
  Job ended = jobs[1];
  Job last = jobs[2];
  controller.commit(
      {JobAdded{jobs[0], {}, {}}, JobAdded{jobs[1], {}, {}}, JobAdded{jobs[2], {}, {}}});
  controller.commit({change(ended, JobState::Cancelled)});
  EXPECT_EQ(load(controller.store(), false, at(1'000'000)).jobs,
            (std::vector<Job>{jobs[0], ended, jobs[2]}));
  controller.commit({change(jobs[0], JobState::Cancelled), change(last, JobState::Cancelled)});
  EXPECT_TRUE(load(controller.store(), false, at(1'000'000)).jobs.empty());
}

TEST_P(StoreSuite, HistoryIsReadInOrderAndInPages) {
  Controller controller(*database);
  std::vector<Change> changes = {JobAdded{a_job(1), {}, {}}};
  const std::size_t events = limits::page_rows_max + 10;
  for (std::size_t i = 0; i < events; ++i) {
    changes.push_back(EventAdded{an_event(1, std::to_string(i))});
    changes.push_back(EventAdded{an_event(2, "of another job")});
  }
  controller.commit(changes);
  std::size_t seen = 0;
  std::int64_t after = 0;
  for (bool more = true; more;) {
    controller.store().read_history(3, JobId{1}, after);
    const HistoryRead page = next<HistoryRead>(controller.store());
    more = page.more;
    EXPECT_EQ(page.events.size(), more ? limits::page_rows_max : 10);
    for (const JobEvent& event : page.events) {
      EXPECT_GT(event.sequence, after);
      after = event.sequence;
      JobEvent expected = an_event(1, std::to_string(seen++));
      expected.sequence = event.sequence;
      EXPECT_EQ(event, expected);
    }
  }
  EXPECT_EQ(seen, events);
}

TEST_P(StoreSuite, BlobsAreStoredOnceAndByteForByte) {
  Controller controller(*database);
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  const Blob script{"hash-1", "#!/bin/sh\n"}, environment{"hash-2", bytes};
  Job second = a_job(2);
  const auto committed = controller.commit(
      {JobAdded{a_job(1), script, environment}, JobAdded{second, script, Blob{"hash-3", ""}}},
      {"hash-2", "no such hash", "hash-1", "hash-3"});
  ASSERT_EQ(committed.blobs.size(), 3u);
  EXPECT_EQ(committed.blobs[0].content, bytes);
  EXPECT_EQ(committed.blobs[1].content, "#!/bin/sh\n");
  EXPECT_EQ(committed.blobs[2].content, "");
  EXPECT_EQ(controller.commit({}, {"hash-2"}).blobs.at(0).content, bytes);
}

TEST_P(StoreSuite, HostileTextIsStoredAsText) {
  Controller controller(*database);
  std::vector<Change> changes;
  std::vector<Job> jobs;
  for (const std::string text :
       {"'; DROP TABLE cox.job; --", "%s%n$1 $$", "back\\slash \\x41 \\\\", "\"{},NULL\"",
        "line\nfeed\ttab\x01", "snowman \xE2\x98\x83 \xF0\x9F\x9A\xA3", " ", "NULL", "null"}) {
    Job job = a_job(static_cast<std::int64_t>(jobs.size()) + 1);
    job.spec.change().name = text;
    job.spec.change().work_dir = job.why = text;
    job.spec.change().command = {text, text};
    job.avoid_nodes = {text};
    jobs.push_back(job);
    changes.push_back(JobAdded{job, {}, {}});
  }
  controller.commit(changes);
  EXPECT_EQ(load(controller.store(), false).jobs, jobs);
}

TEST_P(StoreSuite, TextThatIsNotUtf8IsRejectedAndNotChanged) {
  Controller controller(*database);
  using namespace std::string_literals;
  for (const std::string& text : {"\xFF"s, "a\xC3"s, "\xED\xA0\x80"s, "\xC0\xAF"s, "a\0b"s}) {
    Job job = a_job(1);
    job.spec.change().work_dir = text;
    EXPECT_TRUE(controller.commit_refused({JobAdded{job, {}, {}}}).sqlstate.starts_with("22"));
    job = a_job(1);
    job.spec.change().command = {text};
    EXPECT_TRUE(controller.commit_refused({JobAdded{job, {}, {}}}).sqlstate.starts_with("22"));
  }
  EXPECT_TRUE(load(controller.store(), false).jobs.empty());
}

}  // namespace
}  // namespace cox::test
