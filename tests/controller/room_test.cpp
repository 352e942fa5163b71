// Tests two ways in which the controller makes room for a larger job: it moves jobs that have
// saved, and it lets jobs that can save run in the gap before a backfill reservation and save in
// time.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class RoomStory : public testing::Test, public Bench {};

TEST_F(RoomStory, AJobThatHasSavedMovesSoThatALargerOneStarts) {
  config.scheduling.order_exempt = Milliseconds{0};
  restart();
  node("n1", 4);
  node("n2", 4);
  const JobId filler = submit({.tasks = 3});
  const JobId small = submit({.tasks = 1});
  const JobId other = submit({.tasks = 3});
  for (const JobId id : {filler, small, other}) ready(id);
  ASSERT_EQ(nodes(small) + nodes(other), "n1n2");
  finish(filler, 0);
  const JobId large = submit({.tasks = 4});
  EXPECT_EQ(state(small), "RUNNING") << "it has not saved yet";
  auto s = status_of(small, NodePhase::Running);
  s.ranks = {{0, RankPhase::Running, 0, 0, {{10, 5, 1, false}}, now.wall, {}}};
  status("n1", s);
  pass_with_beats(Milliseconds{31'000}, {"n1", "n2"});  // after 30 s a scheduling pass is due
  EXPECT_EQ(state(small), "SIGNALING");
  EXPECT_TRUE(job(small).job.why->starts_with("moved to make room for job "))
      << *job(small).job.why;
  finish(small, 75, true, 20);
  EXPECT_EQ(nodes(small), "n2");
  EXPECT_EQ(attempt(small).resume->step, 20);
  EXPECT_EQ(nodes(large), "n1");
}

TEST_F(RoomStory, AHeldJobLosesThePlaceThatItWasToMoveTo) {
  config.scheduling.order_exempt = Milliseconds{0};
  restart();
  node("n1", 4);
  node("n2", 4);
  const JobId filler = submit({.tasks = 3});
  const JobId small = submit({.tasks = 1});
  const JobId other = submit({.tasks = 3});
  for (const JobId id : {filler, small, other}) ready(id);
  finish(filler, 0);
  auto s = status_of(small, NodePhase::Running);
  s.ranks = {{0, RankPhase::Running, 0, 0, {{10, 5, 1, false}}, now.wall, {}}};
  status("n1", s);
  submit({.tasks = 4});
  ASSERT_EQ(state(small), "SIGNALING");
  ask(ActOnJobs{JobVerb::Hold, {small}});
  finish(small, 75, true, 20);
  EXPECT_EQ(state(small), "PENDING");
  EXPECT_EQ(state(submit({.tasks = 1})), "CONFIGURING") << "the place on n2 is free again";
}

TEST_F(RoomStory, AJobThatCanSaveFillsTheGapBeforeAReservationAndSavesInTime) {
  node("n1", 2);
  node("n2", 2);
  const JobId busy = submit({.tasks = 2, .time_limit_s = 1'800});
  ready(busy);
  const JobId gang = submit({.nodes = 2, .tasks = 4, .time_limit_s = 60});
  const JobId unsafe = submit({.tasks = 2});
  EXPECT_EQ(state(unsafe), "PENDING") << "what it does before the gang would be lost";
  const JobId filler = submit({.tasks = 2, .checkpoint_signal = 10});
  ASSERT_EQ(state(filler), "CONFIGURING");
  ready(filler);
  const Attempt& attempt = *job(filler).live_attempt();
  EXPECT_TRUE(attempt.fills);
  EXPECT_LE(attempt.time_limit_s, 1'800);
  take<Stop>();

  pass_with_beats(Milliseconds{1'700'000}, {"n1", "n2"});
  EXPECT_EQ(state(filler), "RUNNING");
  pass_with_beats(Milliseconds{20'000}, {"n1", "n2"});
  EXPECT_EQ(state(filler), "SIGNALING") << "a grace and the time to be killed before the gang";
  EXPECT_TRUE(take<Stop>().front().second.order.ask_checkpoint);
  finish(filler, exit_code_saved, true, 40);
  EXPECT_EQ(state(filler), "PENDING") << "the filler resumes later";
  finish(busy, 0);
  EXPECT_EQ(state(gang), "CONFIGURING");
}

TEST_F(RoomStory, ABackfilledJobThatSavesQuicklyIsAskedToSaveShortlyBeforeTheReservation) {
  node("n1", 2);
  node("n2", 2);
  const JobId busy = submit({.tasks = 2, .time_limit_s = 1'800});
  ready(busy);
  submit({.nodes = 2, .tasks = 4, .time_limit_s = 60});
  const JobId filler = submit({.tasks = 2, .checkpoint_signal = 10});
  ASSERT_EQ(state(filler), "CONFIGURING");
  ready(filler);
  ask(ActOnJobs{JobVerb::Preempt, {filler}});
  pass_with_beats(Milliseconds{2'000}, {"n1", "n2"});
  finish(filler, exit_code_saved, true, 40);
  ASSERT_EQ(state(filler), "CONFIGURING");
  ready(filler);
  ASSERT_TRUE(job(filler).live_attempt()->fills);
  pass_with_beats(Milliseconds{1'785'000}, {"n1", "n2"});
  EXPECT_EQ(state(filler), "RUNNING") << "it needs 2 s to save";
  pass_with_beats(Milliseconds{8'000}, {"n1", "n2"});
  EXPECT_EQ(state(filler), "SIGNALING");
}

}  // namespace
}  // namespace cox
