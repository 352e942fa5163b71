// Tests how the ranks of a gang end it, when the gang has ended, and what the history records about
// its start, its saves and its end.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class GangEnds : public testing::Test, public Bench {
 protected:
  void SetUp() override {
    node("n1", 2);
    node("n2", 2);
  }
  // Returns a running job of four ranks, two on each node.
  JobId gang(const std::function<void(JobSpec&)>& with = {}) {
    const JobId id = submit({.nodes = 2, .tasks = 4, .checkpoint_signal = 10, .with = with});
    ready(id);
    return id;
  }
  static RankStatus running(std::int32_t rank) {
    RankStatus one;
    one.rank = rank;
    one.phase = RankPhase::Running;
    return one;
  }
  static RankStatus exited(std::int32_t rank, std::int32_t code, Wall ended) {
    RankStatus one = running(rank);
    one.phase = RankPhase::Exited;
    one.exit_code = code;
    one.ended = ended;
    return one;
  }
  void reports(JobId id, const std::string& name, NodePhase phase, std::vector<RankStatus> ranks,
               const std::string& note = "") {
    AttemptStatus s = status_of(id, phase);
    s.ranks = std::move(ranks);
    s.note = note;
    status(name, s);
  }
  // Returns the reasons of the events with this name in the job's history.
  std::vector<std::string> history(JobId id, const std::string& what) {
    std::vector<std::string> reasons;
    for (const JobEvent& event : database->tables.events)
      if (event.job == id && event.what == what) reasons.push_back(event.why);
    return reasons;
  }
  std::string order() {
    const auto stops = take<Stop>();
    if (stops.empty()) return "none";
    const StopOrder& last = stops.back().second.order;
    return std::string(name(last.why)) + ": " + last.detail +
           (last.ask_checkpoint ? ", asked to save" : "");
  }

  using Reasons = std::vector<std::string>;
};

TEST_F(GangEnds, TheStartOfAJobRecordsHowManyNodesAreReady) {
  const JobId id = gang();
  EXPECT_EQ(job(id).job.why, "all 2 nodes are ready");
  const JobId single = submit({.nodes = 1, .tasks = 1});
  EXPECT_EQ(state(single), "PENDING");
  finish(id, 0);
  ready(single);
  EXPECT_EQ(job(single).job.why, "its node is ready");
}

TEST_F(GangEnds, TheFirstFailedRankEndsTheGangWithTheNoteOfItsNode) {
  const JobId id = gang();
  reports(id, "n1", NodePhase::Running, {running(0), running(1)}, "no such command");
  take<Stop>();
  reports(id, "n2", NodePhase::Running, {running(2), exited(3, 9, now.wall)}, "out of disk");
  EXPECT_EQ(order(),
            std::string(name(StopWhy::RankFailed)) + ": rank 3 exited with 9: out of disk");
  EXPECT_EQ(job(id).job.exit_code, 9);
  reports(id, "n1", NodePhase::Running, {running(0), exited(1, 7, now.wall)});
  EXPECT_EQ(job(id).job.exit_code, 9) << "the first failure counts";
  finish(id, 143);
  EXPECT_EQ(state(id), "FAILED");
  EXPECT_EQ(job(id).job.exit_code, 9);
}

TEST_F(GangEnds, ARankWhoseSaveItsNodeCouldNotReadFailsAsByAFaultOfTheNode) {
  std::string node;
  const auto end_of = [&](bool save_unknown, bool requeue) {
    const JobId id =
        submit({.nodes = 1, .tasks = 1, .with = [&](JobSpec& spec) { spec.requeue = requeue; }});
    ready(id);
    take<Stop>();
    node = nodes(id);
    RankStatus rank = exited(0, 1, now.wall);
    rank.save_unknown = save_unknown;
    reports(id, node, NodePhase::Running, {rank}, "rank 0: the folder is away");
    const std::string why = order();
    reports(id, node, NodePhase::Gone, {rank});
    EXPECT_TRUE(controller->cluster().node(node)->failures.empty()) << "the storage is at fault";
    return why + " -> " + state(id);
  };
  const std::string failed = "rank 0 exited with 1: rank 0: the folder is away";
  const auto lost = [&] {
    return std::string(name(StopWhy::NodeLost)) + ": node " + node +
           " could not read or write what rank 0 saved; " + failed;
  };
  EXPECT_EQ(end_of(false, true),
            std::string(name(StopWhy::RankFailed)) + ": " + failed + " -> FAILED");
  std::string end = end_of(true, false);
  EXPECT_EQ(end, lost() + " -> NODE_FAIL");
  end = end_of(true, true);
  EXPECT_EQ(end, lost() + " -> CONFIGURING") << "it has begun again";
}

TEST_F(GangEnds, ARankThatFailsWhileItsNodeDoesNotSeeTheFolderFailsAsByAFaultOfTheNode) {
  const auto order_of = [&](int checkpoint_signal) {
    const JobId id = submit({.nodes = 1, .tasks = 1, .checkpoint_signal = checkpoint_signal});
    ready(id);
    take<Stop>();
    const std::string name = nodes(id);
    WorkerHello blind;
    blind.node = *controller->cluster().node(name);
    blind.session = session[name];
    blind.number = ++numbers[name];
    blind.term_seen = controller->cluster().term();
    blind.shares_checkpoints = false;
    blind.attempts = {status_of(id, NodePhase::Running)};
    deliver(name, blind);
    reports(id, name, NodePhase::Running, {exited(0, 1, now.wall)});
    return order().substr(0, 8);
  };
  EXPECT_EQ(order_of(10), "nodelost");
  EXPECT_EQ(order_of(0), "rankfail") << "it does not save";
}

TEST_F(GangEnds, OnlyANoteOfTheFailedRanksNodeIsNamedAsTheCause) {
  const JobId id = gang();
  take<Stop>();
  reports(id, "n1", NodePhase::Running, {running(0), running(1)}, "no room");
  reports(id, "n2", NodePhase::Running, {exited(2, 9, now.wall), running(3)});
  EXPECT_EQ(order(), std::string(name(StopWhy::RankFailed)) + ": rank 2 exited with 9");
}

TEST_F(GangEnds, AfterTheFailureOfARankNoCheckpointIsWaitedFor) {
  const JobId id = gang();
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  EXPECT_EQ(order(), std::string(name(StopWhy::Preempt)) + ": preempted by ada, asked to save");
  ASSERT_EQ(state(id), "SIGNALING");
  reports(id, "n1", NodePhase::Running, {running(0), exited(1, 9, now.wall)});
  EXPECT_EQ(history(id, "stop"),
            Reasons{"rank 1 exited with 9 before it saved, so the checkpoint cannot complete"});
  EXPECT_EQ(order(), std::string(name(StopWhy::Preempt)) + ": preempted by ada");
  EXPECT_EQ(state(id), "COMPLETING");
}

// Each node takes back what its tasks have said when they save again; all gangs save with rank 0.
TEST_F(GangEnds, TheNodeWithRank0SaysWhetherTheJobIsFinished) {
  const auto finished_after = [&](std::vector<std::pair<std::string, bool>> said) {
    const JobId id = gang();
    for (const auto& [name, finished] : said) {
      AttemptStatus s = status_of(id, NodePhase::Running);
      s.finished = finished;
      status(name, s);
    }
    const bool is_finished = attempt(id).finished;
    finish(id, 0);
    return is_finished;
  };
  EXPECT_TRUE(finished_after({{"n1", true}, {"n2", true}}));
  EXPECT_TRUE(finished_after({{"n1", true}, {"n2", false}}));
  EXPECT_FALSE(finished_after({{"n1", true}, {"n2", true}, {"n1", false}}));
  EXPECT_FALSE(finished_after({{"n2", true}}));
}

TEST_F(GangEnds, TheHistoryOfAJobThatCannotSaveDoesNotSpeakOfACheckpoint) {
  const JobId id = gang([](JobSpec& s) { s.checkpoint_signal = 0; });
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  reports(id, "n1", NodePhase::Running, {running(0), exited(1, 9, now.wall)});
  EXPECT_EQ(history(id, "stop"), Reasons{"rank 1 exited with 9"});
}

TEST_F(GangEnds, AFailureOfARankAfterItsSaveLeavesTheOtherRanksTheGrace) {
  const JobId id = gang();
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  RankStatus saved = exited(1, 9, now.wall);
  saved.saved.push_back({10, 5, 1, true});
  reports(id, "n1", NodePhase::Running, {running(0), saved});
  EXPECT_EQ(state(id), "SIGNALING");
  EXPECT_EQ(history(id, "stop"), Reasons{});
}

TEST_F(GangEnds, IfRankZeroSavesForAllOnlyItsFailureEndsTheWait) {
  const JobId id = gang([](JobSpec& s) { s.checkpoint_by = CheckpointBy::Rank0; });
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  reports(id, "n2", NodePhase::Running, {exited(2, 9, now.wall), running(3)});
  EXPECT_EQ(state(id), "SIGNALING");
  reports(id, "n1", NodePhase::Running, {exited(0, 9, now.wall), running(1)});
  EXPECT_EQ(state(id), "COMPLETING");
}

TEST_F(GangEnds, TheGraceEndsWithTheLastRank) {
  const JobId id = gang();
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  reports(id, "n1", NodePhase::Running, {exited(0, 0, now.wall), exited(1, 0, now.wall)});
  EXPECT_EQ(state(id), "SIGNALING");
  reports(id, "n2", NodePhase::Running, {exited(2, 0, now.wall), exited(3, 0, now.wall)});
  EXPECT_EQ(state(id), "COMPLETING");
  EXPECT_EQ(job(id).job.why, "all ranks have exited");
}

TEST_F(GangEnds, ACheckpointIsCommittedOnceAllRanksHaveSavedItsStep) {
  const JobId id = gang();
  const auto saved = [&](std::int32_t rank, std::int64_t step) {
    RankStatus one = running(rank);
    one.saved.push_back({step, 100 + rank, 2, false});
    return one;
  };
  reports(id, "n1", NodePhase::Running, {saved(0, 10), saved(1, 10)});
  reports(id, "n2", NodePhase::Running, {saved(2, 10), running(3)});
  EXPECT_TRUE(job(id).checkpoints.empty()) << "rank 3 has not saved";
  reports(id, "n2", NodePhase::Running, {saved(2, 10), saved(3, 10)});
  EXPECT_EQ(history(id, "checkpoint"),
            Reasons{"step 10 committed: 406 bytes in 8 files by 4 ranks"});
  reports(id, "n1", NodePhase::Running, {saved(0, 5), saved(1, 5)});
  reports(id, "n2", NodePhase::Running, {saved(2, 5), saved(3, 5)});
  EXPECT_EQ(job(id).checkpoints.size(), 1u) << "an older step is not committed any more";
}

TEST_F(GangEnds, IfRankZeroSavesForAllItsFilesAreTheCheckpoint) {
  const JobId id = gang([](JobSpec& s) { s.checkpoint_by = CheckpointBy::Rank0; });
  RankStatus first = running(0);
  first.saved.push_back({10, 100, 2, false});
  reports(id, "n1", NodePhase::Running, {first, running(1)});
  EXPECT_EQ(history(id, "checkpoint"),
            Reasons{"step 10 committed: 100 bytes in 2 files by 1 rank"});
}

// The node's clock may differ from the controller's, so the end that the node reports is limited to
// the time between the start and the arrival of the report.
TEST_F(GangEnds, TheEndOfAJobIsThatOfItsLastRankButBetweenItsStartAndNow) {
  struct Row {
    std::int64_t rank_1_after_start_ms;
    std::int64_t ended_after_start_ms;
  };
  for (const Row& row : {Row{4'000, 4'000}, Row{0, 0}, Row{-60'000, 0}, Row{60'000, 10'000}}) {
    const JobId id = submit({.nodes = 1, .tasks = 2});
    ready(id);
    const Wall went = attempt(id).went;
    pass_with_beats(Milliseconds{10'000}, {"n1", "n2"});
    const Wall last = went + Milliseconds{row.rank_1_after_start_ms};
    reports(id, nodes(id), NodePhase::Gone,
            {exited(0, 0, last - Milliseconds{1'000}), exited(1, 0, last)});
    EXPECT_EQ(job(id).job.ended, went + Milliseconds{row.ended_after_start_ms})
        << row.rank_1_after_start_ms;
  }
  const JobId unknown = submit({.nodes = 1, .tasks = 2});
  ready(unknown);
  pass_with_beats(Milliseconds{10'000}, {"n1", "n2"});
  reports(unknown, nodes(unknown), NodePhase::Gone,
          {exited(0, 0, attempt(unknown).went), exited(1, 0, Wall{})});
  EXPECT_EQ(job(unknown).job.ended, now.wall) << "its node does not say when rank 1 ended";
}

TEST_F(GangEnds, APreemptionRecordsTheUnsavedCpuSecondsAtStake) {
  const JobId victim =
      submit({.nodes = 2, .tasks = 4, .with = [](JobSpec& s) { s.requeue = false; }});
  ready(victim);
  pass_with_beats(Milliseconds{100'000}, {"n1", "n2"});
  submit({.nodes = 2, .tasks = 4, .qos = "critical"});
  EXPECT_EQ(attempt(victim).stop.detail, "preempted by job 2 (400 unsaved CPU-seconds at stake)");
}

TEST_F(GangEnds, APreemptionOfAJobThatIsRequeuedRecordsWhatItsRestartCosts) {
  const JobId victim = submit({.nodes = 2, .tasks = 4});
  ready(victim);
  pass_with_beats(Milliseconds{100'000}, {"n1", "n2"});
  submit({.nodes = 2, .tasks = 4, .qos = "critical"});
  const std::string detail = attempt(victim).stop.detail;
  EXPECT_TRUE(detail.starts_with("preempted by job 2 (400 unsaved CPU-seconds at stake, about "))
      << detail;
  EXPECT_TRUE(detail.ends_with(" CPU-seconds to start again)")) << detail;
}

TEST_F(GangEnds, GpuSecondsAreAtStakeIfTheJobHasGpus) {
  node("n3", 1, {}, {}, 1);
  const JobId victim = submit({.with = [](JobSpec& s) {
    s.gpus_per_node = 1;
    s.requeue = false;
  }});
  ready(victim);
  pass_with_beats(Milliseconds{100'000}, {"n1", "n2", "n3"});
  submit({.qos = "critical", .with = [](JobSpec& s) { s.gpus_per_node = 1; }});
  EXPECT_EQ(attempt(victim).stop.detail, "preempted by job 2 (100 unsaved GPU-seconds at stake)");
}

}  // namespace
}  // namespace cox
