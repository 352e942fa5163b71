// Tests what is recorded of a save that did not become a checkpoint: which ranks saved which step,
// which ranks saved nothing, and how much work is lost.
#include "controller/ledger/lost_save.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class LostSave : public testing::Test, public Bench {
 public:
  LostSave() {
    node("n1", 2, {}, {}, 2);
    node("n2", 2, {}, {}, 2);
  }
  // Runs a gang of two ranks on two nodes with two GPUs each.
  JobId run(std::int32_t checkpoint_signal = 10, std::int32_t signal = 0) {
    const JobId id = submit(
        {.nodes = 2, .tasks = 2, .checkpoint_signal = checkpoint_signal, .with = [&](JobSpec& s) {
           s.gpus_per_node = 2;
           if (signal != 0) s.signal = {signal, 90, false};
         }});
    ready(id);
    EXPECT_EQ(state(id), "RUNNING");
    return id;
  }
  // Ends the rank with this code after it has saved these steps.
  void end_rank(JobId id, std::int32_t rank, int code, const std::vector<std::int64_t>& steps) {
    const auto& part = attempt(id).nodes[static_cast<std::size_t>(rank)];
    auto s = status_of(id, NodePhase::Gone);
    RankStatus exited;
    exited.rank = rank;
    exited.phase = RankPhase::Exited;
    exited.exit_code = code;
    exited.ended = now.wall;
    for (const std::int64_t step : steps) exited.saved.push_back({step, 10, 1, true});
    s.ranks = {exited};
    status(part.grant.node, s);
  }
  void hold_and_preempt(JobId id) {
    pass_with_beats(Milliseconds{30'000}, {"n1", "n2"});
    ask(ActOnJobs{JobVerb::Hold, {id}});
    ask(ActOnJobs{JobVerb::Preempt, {id}});
    ASSERT_EQ(state(id), "SIGNALING");
  }
  std::vector<std::string> lost_saves(JobId id) const {
    std::vector<std::string> whys;
    for (const JobEvent& event : database->tables.events)
      if (event.job == id && event.what == "lost_save") whys.push_back(event.why);
    return whys;
  }
};

TEST_F(LostSave, ASaveOfDifferentStepsIsReportedByRankWithTheLostGpuSeconds) {
  const JobId id = run();
  hold_and_preempt(id);
  end_rank(id, 0, exit_code_saved, {10});
  end_rank(id, 1, exit_code_saved, {11});
  ASSERT_EQ(state(id), "PENDING");
  const std::string text =
      "its save did not become a checkpoint: rank 0 saved step 10, rank 1 saved step 11; lost: 120 "
      "GPU-seconds";
  EXPECT_EQ(lost_saves(id), std::vector<std::string>{text});
  EXPECT_EQ(attempt(id).outcome, "preempted by ada; " + text);
  const auto detail = std::get<JobDetail>(ask(ShowJob{id}).body);
  EXPECT_NE(std::ranges::find(detail.why, text), detail.why.end());
}

TEST_F(LostSave, AJobThatWasNotAskedToSaveHasLostNoSave) {
  const JobId id = submit({.nodes = 2, .tasks = 2, .qos = "besteffort", .checkpoint_signal = 10});
  ready(id);
  ask(ActOnJobs{JobVerb::Hold, {id}});
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  ASSERT_EQ(state(id), "COMPLETING") << "it gets SIGTERM at once";
  end_rank(id, 0, 143, {});
  end_rank(id, 1, 143, {});
  ASSERT_EQ(state(id), "PENDING");
  EXPECT_TRUE(lost_saves(id).empty());
}

TEST_F(LostSave, ALostSaveCountsEachNodeOnlyUntilItIsFreed) {
  const JobId id = run();
  hold_and_preempt(id);
  end_rank(id, 0, exit_code_saved, {10});
  pass_with_beats(Milliseconds{10'000}, {"n1", "n2"});
  end_rank(id, 1, exit_code_saved, {11});
  ASSERT_EQ(lost_saves(id).size(), 1u);
  EXPECT_TRUE(lost_saves(id)[0].ends_with("lost: 140 GPU-seconds")) << lost_saves(id)[0];
}

TEST_F(LostSave, ARankThatSavedNothingIsNamed) {
  const JobId id = run();
  hold_and_preempt(id);
  end_rank(id, 0, exit_code_saved, {10});
  end_rank(id, 1, 3, {});
  ASSERT_EQ(lost_saves(id).size(), 1u);
  EXPECT_NE(lost_saves(id)[0].find("rank 0 saved step 10, rank 1 reported no save"),
            std::string::npos)
      << lost_saves(id)[0];
}

TEST_F(LostSave, AMissingSaveIsReportedOnlyForAJobThatDeclaresThatItCanSave) {
  const JobId saves = run();
  hold_and_preempt(saves);
  end_rank(saves, 0, 3, {});
  end_rank(saves, 1, 3, {});
  ASSERT_EQ(lost_saves(saves).size(), 1u);
  EXPECT_NE(lost_saves(saves)[0].find("ranks 0 to 1 reported no save"), std::string::npos);
  const JobId cannot = run(0);
  hold_and_preempt(cannot);
  end_rank(cannot, 0, 3, {});
  end_rank(cannot, 1, 3, {});
  EXPECT_TRUE(lost_saves(cannot).empty());
}

TEST_F(LostSave, NoLostSaveIsReportedForAJobThatSavesInItsOwnWay) {
  const JobId id = run(0, 10);
  hold_and_preempt(id);
  end_rank(id, 0, 3, {});
  end_rank(id, 1, 3, {});
  ASSERT_EQ(state(id), "PENDING");
  EXPECT_TRUE(lost_saves(id).empty()) << lost_saves(id)[0];
}

TEST_F(LostSave, ALostSaveIsReportedForAJobWithOnlySignalIfItHasReportedAStep) {
  const JobId id = run(0, 10);
  hold_and_preempt(id);
  end_rank(id, 0, exit_code_saved, {10});
  end_rank(id, 1, exit_code_saved, {10});
  ask(ActOnJobs{JobVerb::Release, {id}});
  ready(id);
  hold_and_preempt(id);
  end_rank(id, 0, 3, {});
  end_rank(id, 1, 3, {});
  ASSERT_EQ(lost_saves(id).size(), 1u);
  EXPECT_NE(lost_saves(id)[0].find("ranks 0 to 1 reported no save"), std::string::npos);
}

TEST_F(LostSave, ACommittedSaveIsNotLost) {
  const JobId id = run();
  hold_and_preempt(id);
  end_rank(id, 0, exit_code_saved, {10});
  end_rank(id, 1, exit_code_saved, {10});
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_EQ(job(id).checkpoints.size(), 1u);
  EXPECT_TRUE(lost_saves(id).empty());
}

// ---- a save that takes longer than the grace ----------------------------------------------------

TEST_F(LostSave, ASaveThatTookLongerThanTheGraceIsCalledThat) {
  const JobId id = run();
  hold_and_preempt(id);
  end_rank(id, 0, exit_code_saved, {10});
  auto late = status_of(id, NodePhase::Gone);
  late.note = "the grace of 60 s to save ended before the job did, so it got SIGTERM";
  RankStatus killed;
  killed.rank = 1;
  killed.phase = RankPhase::Exited;
  killed.exit_signal = 15;
  killed.ended = now.wall;
  late.ranks = {killed};
  status(attempt(id).nodes[1].grant.node, late);
  ASSERT_EQ(state(id), "PENDING");
  const std::string text =
      "its save did not become a checkpoint: the save of step 10 took longer than the grace of "
      "60 s, at whose end 1 of 2 ranks had reported it; rank 0 saved step 10, rank 1 reported no "
      "save; lost: 120 GPU-seconds; a save that takes longer needs a longer GraceTime of QOS "
      "standard (`cox show qos`)";
  EXPECT_EQ(lost_saves(id), std::vector<std::string>{text});
  EXPECT_EQ(attempt(id).outcome, "preempted by ada; " + text);
}

TEST_F(LostSave, ASaveThatTheTimeLimitCutsOffIsReportedAsAfterAPreemption) {
  for (const bool again : {false, true}) {
    const JobId id = submit({.time_limit_s = 60, .checkpoint_signal = 10, .with = [&](JobSpec& s) {
                               s.requeue_on_timeout = again;
                             }});
    ready(id);
    ask(ActOnJobs{JobVerb::Hold, {id}});
    pass_with_beats(Milliseconds{62'000}, {"n1", "n2"});
    ASSERT_EQ(state(id), "SIGNALING");
    pass_with_beats(Milliseconds{62'000}, {"n1", "n2"});
    ASSERT_EQ(state(id), "COMPLETING");
    auto late = status_of(id, NodePhase::Gone);
    late.note = "the grace of 60 s to save ended before the job did, so it got SIGTERM";
    late.ranks = {{0, RankPhase::Exited, 0, 15, {}, now.wall, {}}};
    status(attempt(id).nodes[0].grant.node, late);
    EXPECT_EQ(state(id), again ? "PENDING" : "TIMEOUT");
    ASSERT_EQ(lost_saves(id).size(), 1U);
    const std::string text = lost_saves(id).front();
    EXPECT_TRUE(text.starts_with(
        "its save did not become a checkpoint: the save took longer than the grace of 60 s, at "
        "whose end 0 of 1 rank had reported it; rank 0 reported no save; lost: "))
        << text;
    EXPECT_TRUE(
        text.ends_with("; a save that takes longer needs an earlier "
                       "--signal=SIGNAL@SECONDS, or a longer GraceTime of QOS standard "
                       "(`cox show qos`)"))
        << text;
    EXPECT_NE(attempt(id).outcome.find(text), std::string::npos);
  }
}

TEST_F(LostSave, AJobThatIsNotAskedToSaveAtItsTimeLimitHasLostNoSave) {
  const JobId id = submit({.time_limit_s = 60});
  ready(id);
  pass_with_beats(Milliseconds{62'000}, {"n1", "n2"});
  ASSERT_EQ(state(id), "COMPLETING");
  finish(id, 143);
  ASSERT_EQ(state(id), "TIMEOUT");
  EXPECT_TRUE(lost_saves(id).empty());
}

// ---- a fault that ends the time to save ---------------------------------------------------------

TEST_F(LostSave, ANodeThatIsSetDownDuringASaveIsNamedBesideThePreemption) {
  const JobId id = run();
  hold_and_preempt(id);
  ask(ActOnNodes{true, {"n2"}, "bad fan", false, true});
  ASSERT_EQ(state(id), "COMPLETING");
  end_rank(id, 0, 143, {});
  end_rank(id, 1, 143, {});
  ASSERT_EQ(state(id), "PENDING");
  const std::string fault = "node n2 was set DOWN: bad fan";
  EXPECT_TRUE(attempt(id).outcome.starts_with(
      "preempted by ada; its time to save was cut short: " + fault + "; "))
      << attempt(id).outcome;
  ASSERT_EQ(lost_saves(id).size(), 1U);
  const std::string text = lost_saves(id).front();
  EXPECT_TRUE(text.starts_with("its save did not become a checkpoint: " + fault +
                               "; ranks 0 to 1 reported no save; lost: "))
      << text;
  const auto detail = std::get<JobDetail>(ask(ShowJob{id}).body);
  EXPECT_NE(std::ranges::find(detail.why, text), detail.why.end());
}

TEST_F(LostSave, ASupervisorThatIsLostDuringASaveIsNamedBesideThePreemption) {
  const JobId id = run();
  hold_and_preempt(id);
  auto lost = status_of(id, NodePhase::Gone);
  lost.supervisor_lost = true;
  const std::string node = attempt(id).nodes[0].grant.node;
  status(node, lost);
  end_rank(id, 1, 143, {});
  ASSERT_EQ(state(id), "PENDING");
  ASSERT_EQ(lost_saves(id).size(), 1U);
  EXPECT_TRUE(lost_saves(id).front().starts_with(
      "its save did not become a checkpoint: supervisor lost on node " + node + "; "))
      << lost_saves(id).front();
}

// ---- which ranks the record of a lost save names, and how much work is lost ---------------------

class LostSaveOfMany : public LostSave {
 public:
  // Runs a job of this many ranks on a node without GPUs, with one CPU each.
  JobId run_ranks(std::int64_t tasks, CheckpointBy by = CheckpointBy::AllRanks) {
    node("n3", 16);
    const JobId id = submit({.tasks = tasks, .checkpoint_signal = 10, .with = [&](JobSpec& s) {
                               s.nodelist = {"n3"};
                               s.checkpoint_by = by;
                             }});
    ready(id);
    return id;
  }
  // Reports the step that each rank has saved (-1: none). If `phase` is Gone, the ranks have
  // exited; otherwise they run on.
  void report(JobId id, const std::vector<std::int64_t>& steps, NodePhase phase) {
    auto s = status_of(id, phase);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      RankStatus rank;
      rank.rank = static_cast<std::int32_t>(i);
      rank.phase = phase == NodePhase::Gone ? RankPhase::Exited : RankPhase::Running;
      rank.exit_code = phase == NodePhase::Gone ? exit_code_saved : 0;
      rank.ended = phase == NodePhase::Gone ? now.wall : Wall{};
      if (steps[i] >= 0) rank.saved.push_back({steps[i], 10, 1, true});
      s.ranks.push_back(rank);
    }
    status("n3", s);
  }
  void preempt_after(JobId id, Milliseconds time) {
    pass_with_beats(time, {"n1", "n2", "n3"});
    ask(ActOnJobs{JobVerb::Hold, {id}});
    ask(ActOnJobs{JobVerb::Preempt, {id}});
    ASSERT_EQ(state(id), "SIGNALING");
  }
  std::string only_lost_save(JobId id) const {
    const auto all = lost_saves(id);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? "" : all.front();
  }
};

TEST_F(LostSaveOfMany, WithoutGpusTheLossIsInCpuSecondsSinceTheLastCheckpoint) {
  const JobId id = run_ranks(3);
  pass_with_beats(Milliseconds{10'000}, {"n1", "n2", "n3"});
  report(id, {5, 5, 5}, NodePhase::Running);
  ASSERT_EQ(job(id).checkpoints.size(), 1U);
  preempt_after(id, Milliseconds{20'000});
  report(id, {7, 7, -1}, NodePhase::Gone);
  EXPECT_EQ(only_lost_save(id),
            "its save did not become a checkpoint: ranks 0 to 1 saved step 7, rank 2 reported no "
            "save after step 5; lost: 60 CPU-seconds");
}

TEST_F(LostSaveOfMany, OnlyTheFirstEightGroupsOfRanksAreNamed) {
  const std::string begins =
      "its save did not become a checkpoint: rank 0 saved step 1, rank 1 "
      "saved step 2, rank 2 saved step 3, rank 3 saved step 4, rank 4 saved "
      "step 5, rank 5 saved step 6, rank 6 saved step 7, rank 7 saved step 8";
  const JobId eight = run_ranks(8);
  preempt_after(eight, Milliseconds{10'000});
  report(eight, {1, 2, 3, 4, 5, 6, 7, 8}, NodePhase::Gone);
  EXPECT_EQ(only_lost_save(eight), begins + "; lost: 80 CPU-seconds");
  const JobId nine = run_ranks(9);
  preempt_after(nine, Milliseconds{10'000});
  report(nine, {1, 2, 3, 4, 5, 6, 7, 8, 9}, NodePhase::Gone);
  EXPECT_EQ(only_lost_save(nine),
            begins + ", and so on (cox.rank lists all); lost: 90 CPU-seconds");
}

TEST_F(LostSaveOfMany, IfRankZeroSavesForAllOnlyItIsNamed) {
  const JobId id = run_ranks(2, CheckpointBy::Rank0);
  preempt_after(id, Milliseconds{10'000});
  report(id, {-1, 4}, NodePhase::Gone);
  EXPECT_EQ(only_lost_save(id),
            "its save did not become a checkpoint: rank 0 reported no save; lost: 20 CPU-seconds");
}

TEST_F(LostSaveOfMany, ALostSaveIsReportedForAJobThatSavedWithoutBeingAsked) {
  const JobId id = run_ranks(2);
  pass_with_beats(Milliseconds{10'000}, {"n1", "n2", "n3"});
  report(id, {4, -1}, NodePhase::Gone);
  EXPECT_EQ(only_lost_save(id),
            "its save did not become a checkpoint: rank 0 saved step 4, rank 1 reported no save; "
            "lost: 20 CPU-seconds");
}

}  // namespace
}  // namespace cox
