// Tests `cox checkpoints verify`: a node reads the checkpoints of a job and sets or clears their
// marks of damage.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class Verification : public testing::Test, public Bench {
 protected:
  Verification() {
    node("n1", 4);
    id = submit({.tasks = 1});
    ready(id);
    auto s = status_of(id, NodePhase::Running);
    s.ranks = {{0, RankPhase::Running, 0, 0, {{10, 5, 1}, {20, 5, 1}}, now.wall, {}}};
    status("n1", s);
  }
  Acted::Outcome verify(std::int64_t step = -1, std::uint32_t uid = 1000) {
    return std::get<Acted>(ask_as(uid, VerifyCheckpoints{id, step}).body).outcomes.at(0);
  }
  // The node has read the checkpoint of this step.
  void found(std::int64_t step, ResumeFault fault, const std::string& why = "") {
    deliver("n1", CheckpointVerified{"n1", attempt(id).key, step, fault, why});
  }
  bool is_damaged(std::int64_t step) {
    for (const Checkpoint& c : job(id).checkpoints)
      if (c.step == step) return c.damaged;
    ADD_FAILURE() << "no checkpoint of step " << step;
    return false;
  }

  JobId id;
};

TEST_F(Verification, ANodeReadsEachCheckpointAsTheUserOfTheJob) {
  take<VerifyCheckpoint>();
  EXPECT_EQ(verify().done, "2 checkpoints are being read on n1; `cox history 1` shows the outcome");
  const auto orders = take<VerifyCheckpoint>();
  ASSERT_EQ(orders.size(), 2u);
  const VerifyCheckpoint& order = orders[1].second;
  EXPECT_EQ(order.step, 20);
  EXPECT_EQ(order.ranks, 1);
  EXPECT_EQ(order.uid, job(id).job.spec->uid);
  EXPECT_EQ(order.gid, job(id).job.spec->gid);
  EXPECT_TRUE(order.folder.ends_with("/attempt-1/step-20")) << order.folder;
  EXPECT_FALSE(order.identity.empty());
}

// Steps of srun save for their job, with any number of tasks.
TEST_F(Verification, OfABatchJobAllThatHaveAManifestAreRead) {
  const JobId script = submit({.with = [](JobSpec& spec) { spec.form = JobForm::Batch; }});
  ready(script);
  auto s = status_of(script, NodePhase::Running);
  s.ranks = {{0, RankPhase::Running, 0, 0, {{10, 5, 1}}, now.wall, {}}};
  status("n1", s);
  ask(VerifyCheckpoints{script, -1});
  EXPECT_EQ(take<VerifyCheckpoint>().back().second.ranks, 0);
}

TEST_F(Verification, OnlyFilesThatWereReadChangeAMark) {
  found(20, ResumeFault::Differs, "step-20/rank-0: its content has changed");
  EXPECT_TRUE(is_damaged(20));
  found(20, ResumeFault::Unreadable, "step-20: Stale file handle");
  EXPECT_TRUE(is_damaged(20));
  found(20, ResumeFault::None);
  EXPECT_FALSE(is_damaged(20));
  found(20, ResumeFault::Unreadable, "step-20: Stale file handle");
  EXPECT_FALSE(is_damaged(20));
}

TEST_F(Verification, TheHistorySaysWhatWasFoundAndWhere) {
  const auto newest = [&] {
    const JobEvent& event = database->tables.events.back();
    return event.why + " (" + event.actor + ")";
  };
  found(10, ResumeFault::None);
  EXPECT_EQ(newest(), "the checkpoint of step 10 verifies (node n1)");
  found(20, ResumeFault::Differs, "rank-0: its content has changed");
  EXPECT_EQ(newest(),
            "the checkpoint of step 20 is damaged: rank-0: its content has changed (node n1)");
  found(20, ResumeFault::Unreadable, "rank-0: Stale file handle");
  EXPECT_EQ(newest(),
            "the checkpoint of step 20 cannot be read: rank-0: Stale file handle (node n1)");
}

TEST_F(Verification, ARefusalNamesWhatIsMissing) {
  EXPECT_EQ(verify(15).refused->fact, "job 1 has no checkpoint of step 15");
  EXPECT_EQ(verify(-1, 2000).refused->fact.find("job 1 belongs to"), 0u);
  pass(Milliseconds{120'000});
  EXPECT_EQ(verify().refused->fact, "no node that sees the checkpoint folder responds");
}

TEST_F(Verification, AJobThatNeverWasIsRefusedAsByOtherCommands) {
  EXPECT_EQ(refusal_of(ask(VerifyCheckpoints{JobId{99}})), "there never was a job 99");
}

}  // namespace
}  // namespace cox
