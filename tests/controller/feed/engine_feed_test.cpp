// Tests that the scheduling engine receives what changes in the cluster, and that the room claimed
// for a job is freed when the job may no longer start.
#include "controller/feed/engine_feed.h"

#include "tests/controller/bench.h"

namespace cox {
namespace {

class EngineFeedStory : public testing::Test, public Bench {
 protected:
  // Submits an urgent job for which another job is preempted. That job is still saving, and its
  // room is claimed for the urgent job.
  void SetUp() override {
    node("n1", 2);
    victim = submit({.checkpoint_signal = 10, .with = [](JobSpec& s) { s.cpus_per_task = 2; }});
    ready(victim);
    urgent = submit({.qos = "critical", .with = [](JobSpec& s) { s.cpus_per_task = 2; }});
    ASSERT_EQ(job(victim).job.state, JobState::Signaling);
    ASSERT_TRUE(has_claim(urgent));
  }
  bool has_claim(JobId id) { return controller->engine(now).claims().contains(id); }

  JobId victim;
  JobId urgent;
};

TEST_F(EngineFeedStory, AHeldPreemptorLosesItsClaimToTheVictimsRoom) {
  ask(ActOnJobs{JobVerb::Hold, {urgent}});
  EXPECT_FALSE(has_claim(urgent));
  EXPECT_FALSE(controller->engine(now).queue().contains(urgent));
  ask(ActOnJobs{JobVerb::Release, {urgent}});
  EXPECT_TRUE(controller->engine(now).queue().contains(urgent));
}

TEST_F(EngineFeedStory, APreemptorKeepsItsClaimWhileNodesJoinAndOtherJobsLeave) {
  const JobId other = submit({.with = [](JobSpec& s) { s.cpus_per_task = 2; }});
  node("n2", 1);
  ask(ActOnJobs{JobVerb::Cancel, {other}});
  EXPECT_FALSE(controller->engine(now).queue().contains(other));
  EXPECT_TRUE(has_claim(urgent));
  finish(victim, 0, true, 1);
  EXPECT_EQ(job(urgent).job.state, JobState::Configuring);
  EXPECT_TRUE(controller->engine(now).running().contains(urgent));
  EXPECT_FALSE(has_claim(urgent)) << "the job has started";
}

TEST_F(EngineFeedStory, TheEngineOfANewControllerHasTheRunningAndTheQueuedJobs) {
  restart();
  EXPECT_TRUE(controller->engine(now).running().contains(victim));
  EXPECT_TRUE(controller->engine(now).queue().contains(urgent));
  EXPECT_EQ(controller->engine(now).queue().size(), 1u);
}

}  // namespace
}  // namespace cox
