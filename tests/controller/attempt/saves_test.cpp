// Tests saves that a node reports only after its lease has ended and its attempt is over: they
// become checkpoints until the job starts again.
#include "controller/attempt/saves.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/job/save_words.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

using Steps = std::vector<std::int64_t>;

class LateSaves : public testing::Test, public Bench {
 public:
  // Runs a gang with rank 0 on n1 and rank 1 on n2, which both save step 10. Then n2 is silent
  // until its lease has ended, and rank 0 saves these steps and exits with 75. The job waits for a
  // second node.
  JobId lost_on_n2(const Steps& of_rank_0) {
    node("n1", 1);
    node("n2", 1);
    const JobId id = submit({.nodes = 2, .tasks = 2, .checkpoint_signal = 10});
    ready(id);
    report(id, 0, {10}, NodePhase::Running);
    report(id, 1, {10}, NodePhase::Running);
    EXPECT_EQ(committed(id), Steps{10});
    const auto lost = config.lease + config.lease_grace + config.kill_wait + config.lease_margin;
    pass_with_beats(lost + Milliseconds{5'000}, {"n1"});
    report(id, 0, of_rank_0, NodePhase::Gone);
    EXPECT_EQ(state(id), "PENDING");
    return id;
  }
  // Returns what rank 0 on n1 or rank 1 on n2 reports of attempt 1.
  AttemptStatus status_with(JobId id, std::int32_t rank, const Steps& steps, NodePhase phase) {
    AttemptStatus s;
    s.key = {id, AttemptNumber{1}};
    s.phase = phase;
    RankStatus one;
    one.rank = rank;
    one.phase = phase == NodePhase::Gone ? RankPhase::Exited : RankPhase::Running;
    one.exit_code = phase == NodePhase::Gone ? exit_code_saved : 0;
    for (const std::int64_t step : steps) one.saved.push_back({step, 10, 1, true});
    s.ranks = {one};
    return s;
  }
  void report(JobId id, std::int32_t rank, const Steps& steps, NodePhase phase) {
    status(rank == 0 ? "n1" : "n2", status_with(id, rank, steps, phase));
  }
  // Lets n2 send heartbeats until it is used again.
  void let_n2_return() { pass_with_beats(Milliseconds{60'000}, {"n1", "n2"}); }
  // Returns the steps of all checkpoints of the job, also of pruned ones.
  Steps committed(JobId id) const {
    Steps steps;
    for (const JobEvent& event : database->tables.events)
      if (event.job == id && event.what == "checkpoint" && event.why.starts_with("step "))
        steps.push_back(std::stoll(event.why.substr(5)));
    return steps;
  }
  std::vector<std::string> whys_of(JobId id, const std::string& what) const {
    std::vector<std::string> whys;
    for (const JobEvent& event : database->tables.events)
      if (event.job == id && event.what == what) whys.push_back(event.why);
    return whys;
  }
  std::int64_t resumes_from(JobId id) const {
    const auto& resume = attempt(id).resume;
    return resume ? resume->step : -1;
  }
};

TEST_F(LateSaves, WhatASilentNodeReportsBeforeTheJobStartsAgainBecomesACheckpoint) {
  const JobId id = lost_on_n2({10, 20, 30});
  ASSERT_EQ(whys_of(id, "lost_save").size(), 1u);
  EXPECT_NE(attempt(id).outcome.find(lost_save_begins), std::string::npos);
  report(id, 1, {10, 20, 30}, NodePhase::Gone);
  EXPECT_EQ(committed(id), (Steps{10, 20, 30}));
  EXPECT_EQ(job(id).checkpoints.back().step, 30);
  EXPECT_EQ(attempt(id).outcome.find(lost_save_begins), std::string::npos) << attempt(id).outcome;
  EXPECT_FALSE(attempt(id).outcome.ends_with("; "));
  const auto lost = whys_of(id, "lost_save");
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[1],
            "node n2 has reported late what attempt 1 saved: its save did become a checkpoint");
  EXPECT_EQ(whys_of(id, "stale_completion").size(), 1u);
  EXPECT_EQ(state(id), "PENDING");
  let_n2_return();
  EXPECT_EQ(attempt(id).key.attempt.value, 2);
  EXPECT_EQ(resumes_from(id), 30);
}

TEST_F(LateSaves, AHeartbeatIsNotTakenForTheReportThatItAnnounces) {
  const JobId id = lost_on_n2({10, 20});
  const AttemptStatus gone = status_with(id, 1, {10, 20}, NodePhase::Gone);
  take<StatusAck>();
  for (int times = 0; times < 60; ++times) {
    beat("n2", {{gone.key, revisions["n2"] + 1, NodePhase::Gone, 0}});
    beat_as_is("n1");
    pass(Milliseconds{1'000});
  }
  EXPECT_TRUE(take<StatusAck>().empty()) << "the worker would forget what it saved";
  EXPECT_EQ(state(id), "PENDING") << "n2 gets no work before it has reported";
  status("n2", gone);
  EXPECT_EQ(take<StatusAck>().size(), 1u);
  EXPECT_EQ(committed(id), (Steps{10, 20}));
  let_n2_return();
  EXPECT_EQ(resumes_from(id), 20);
}

TEST_F(LateSaves, AHelloWithTheLateReportCountsToo) {
  const JobId id = lost_on_n2({10, 20});
  WorkerHello hello;
  hello.node = *controller->cluster().node("n2");
  hello.session = "another";
  hello.started_ms = 1;
  hello.number = ++numbers["n2"];
  hello.term_seen = controller->cluster().term();
  hello.attempts = {status_with(id, 1, {10, 20}, NodePhase::Gone)};
  hello.attempts[0].revision = ++revisions["n2"];
  deliver("n2", hello);
  EXPECT_EQ(committed(id), (Steps{10, 20}));
  EXPECT_EQ(whys_of(id, "stale_completion").size(), 1u);
}

TEST_F(LateSaves, AfterATakeoverTheRowsOfTheRanksAreEnough) {
  const JobId id = lost_on_n2({10, 20});
  restart();
  node("n1", 1);
  node("n2", 1);
  report(id, 1, {10, 20}, NodePhase::Gone);
  EXPECT_EQ(committed(id), (Steps{10, 20}));
}

TEST_F(LateSaves, OnceTheJobHasStartedAgainALateReportChangesNothing) {
  const JobId id = lost_on_n2({10, 20});
  node("n3", 1);
  ASSERT_EQ(attempt(id).key.attempt.value, 2);
  ASSERT_EQ(resumes_from(id), 10);
  report(id, 1, {10, 20}, NodePhase::Gone);
  EXPECT_EQ(committed(id), Steps{10});
  EXPECT_EQ(job(id).checkpoints.back().step, 10);
  EXPECT_EQ(whys_of(id, "lost_save").size(), 1u);
}

TEST_F(LateSaves, AStepThatARankLacksStaysNoCheckpointAndTheTextSaysWhichRank) {
  const JobId id = lost_on_n2({10, 20, 30});
  report(id, 1, {10, 20}, NodePhase::Gone);
  EXPECT_EQ(committed(id), (Steps{10, 20}));
  const std::string text =
      "its save did not become a checkpoint: rank 0 saved step 30, rank 1 reported no save after "
      "step 20; lost: not known";
  const auto lost = whys_of(id, "lost_save");
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[1], "node n2 has reported late what attempt 1 saved: " + text);
  EXPECT_TRUE(attempt(id).outcome.ends_with("; " + text)) << attempt(id).outcome;
}

TEST_F(LateSaves, ARepeatedReportIsRecordedOnce) {
  const JobId id = lost_on_n2({10, 20});
  AttemptStatus gone = status_with(id, 1, {10, 20}, NodePhase::Gone);
  gone.revision = ++revisions["n2"];
  take<StatusAck>();
  for (int times = 0; times < 3; ++times)
    deliver("n2", StatusReport{"n2", gone, session["n2"], ++numbers["n2"]});
  EXPECT_EQ(take<StatusAck>().size(), 3u);
  EXPECT_EQ(committed(id), (Steps{10, 20}));
  EXPECT_EQ(whys_of(id, "lost_save").size(), 2u);
}

TEST_F(LateSaves, IfTheOwnerLetsTheJobBeginAnewALateSaveIsSetAside) {
  const JobId id = lost_on_n2({10, 20});
  ask(ActOnJobs{JobVerb::Hold, {id}});
  ask(ActOnJobs{JobVerb::BeginAnew, {id}});
  report(id, 1, {10, 20}, NodePhase::Gone);
  ASSERT_EQ(job(id).checkpoints.back().step, 20);
  EXPECT_TRUE(job(id).checkpoints.back().set_aside);
  let_n2_return();
  EXPECT_EQ(attempt(id).key.attempt.value, 2);
  EXPECT_EQ(resumes_from(id), -1);
}

TEST_F(LateSaves, FoldersOfAWaitingJobAreNoOrphansUntilItStartsAgain) {
  const JobId id = lost_on_n2({10, 20});
  const auto live = [&] {
    return std::get<CheckpointList>(ask(ListCheckpoints{}).body).live_folders;
  };
  const std::string folder = "/checkpoints/1-" + job(id).job.identity.text() + "/attempt-";
  EXPECT_EQ(live(), std::vector<std::string>{folder + "1"});
  let_n2_return();
  ASSERT_EQ(attempt(id).key.attempt.value, 2);
  EXPECT_EQ(live(), std::vector<std::string>{folder + "2"});
}

}  // namespace
}  // namespace cox
