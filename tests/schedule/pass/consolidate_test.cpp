// Room that is there in pieces: who moves for whom, and who does not.
#include <gtest/gtest.h>

#include "schedule/top/scheduler.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

Settings moving_at_once() {
  Settings settings;
  settings.order_exempt = Milliseconds{0};
  return settings;
}

std::string plan_of(const std::string& world) {
  return plan_for(world, moving_at_once());
}

// Two of four GPUs are free on each node, and job 9 wants four.
const std::string in_pieces =
    "node n1,n2 cpus=8 gpus=h100:4\n"
    "runs 1 on n1:2:0+1 ends=9000 saved\n"
    "runs 2 on n2:2:0+1 ends=9000\n"
    "wants 9 gpus=4\n";

// What starts when an urgent job comes while job 1 still stops to go on at n2, where a reservation
// begins at this second. Job 1 has a time limit of 10000 s.
std::string starts_before_a_reservation(const std::string& second) {
  SchedulerInput world = world_from(in_pieces + "reserves maint nodes=n2 from=" + second +
                                    " to=40000\n" + "wants 10 tier=3 gpus=2 peaceful limit=60");
  Scheduler scheduler(world.nodes, moving_at_once());
  Engine& engine = scheduler.engine();
  engine.set_reservations(world.reservations);
  world.running[0].stopping = true;
  world.running[0].movable = false;
  for (const RunningJob& job : world.running) engine.add(job);
  for (const PendingJob& job : world.pending) engine.add(job);
  engine.claim(world.pending[0], {{"n1", 0, 1, 1, 0, {0, 1, 2, 3}, gpu_whole, 0}});
  engine.claim_home(JobId{1}, {{"n2", 0, 2, 2, 0, {2, 3}, gpu_whole, 0}});
  return text_of(scheduler.plan(at_start, ExplainDepth::nothing()));
}

}  // namespace

TEST(Consolidate, a_home_is_kept_unless_a_reservation_begins_before_the_job_would_end) {
  EXPECT_EQ(starts_before_a_reservation("10000"), "");
  EXPECT_EQ(starts_before_a_reservation("9999"), "10 starts on n2:1:2+3\n");
}

TEST(Consolidate, a_small_job_that_has_saved_makes_room_for_a_large_one) {
  EXPECT_EQ(plan_of(in_pieces), "1 moves for 9\n9 waits: Resources\n");
}

TEST(Consolidate, both_places_are_claimed_until_they_are_used) {
  SchedulerInput world = world_from(in_pieces);
  Scheduler scheduler(world.nodes, moving_at_once());
  Engine& engine = scheduler.engine();
  for (const RunningJob& job : world.running) engine.add(job);
  engine.add(world.pending[0]);
  const Plan plan = scheduler.plan(at_start, ExplainDepth::everything());
  ASSERT_EQ(plan.claims.size(), 2u);
  EXPECT_EQ(waiting_of(plan, 9).detail,
            "job 1 has saved and moves elsewhere; the place on n1 is kept for it");
  engine.claim(world.pending[0], plan.claims[0].placement);
  engine.claim_home(plan.claims[1].job, plan.claims[1].placement);
  world.running[0].stopping = true;
  world.running[0].movable = false;
  engine.change(world.running[0]);
  // Meanwhile an urgent job comes: what is free of both places is not for it.
  const SchedulerInput urgent = world_from("wants 10 tier=3 gpus=2 peaceful");
  engine.add(urgent.pending[0]);
  EXPECT_EQ(scheduler.plan(at_start, ExplainDepth::nothing()).starts.size(), 0u);
  engine.remove_running(JobId{1});
  engine.add(world_from("wants 1 tasks=2 gpus=2").pending[0]);
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())),
            "1 starts on n2:2:2+3\n9 starts on n1:1:0+1+2+3\n10 waits: Resources\n");
}

TEST(Consolidate, nobody_moves_without_a_new_home) {
  EXPECT_EQ(plan_of("node n1,n2 cpus=8 gpus=h100:4\n"
                    "runs 1 on n1:2:0+1+2 ends=9000 saved\n"
                    "runs 2 on n2:2:0+1 ends=9000\n"
                    "wants 9 gpus=4\n"),
            "9 waits: Resources\n");
}

TEST(Consolidate, nobody_moves_who_has_not_saved_or_stands_higher_or_has_just_begun) {
  const std::string nodes = "node n1,n2 cpus=8 gpus=h100:4\nruns 2 on n2:2:0+1 ends=9000\n";
  EXPECT_EQ(plan_of(nodes + "runs 1 on n1:2:0+1 ends=9000\nwants 9 gpus=4"),
            "9 waits: Resources\n");
  EXPECT_EQ(plan_of(nodes + "runs 1 on n1:2:0+1 ends=9000 saved tier=2\nwants 9 gpus=4"),
            "9 waits: Resources\n");
  SchedulerInput world = world_from(in_pieces);
  world.running[0].began = start_of_time - std::chrono::minutes{9};
  EXPECT_EQ(text_of(make_plan(world, at_start)), "9 waits: Resources\n");
  world.running[0].began = start_of_time - std::chrono::minutes{10};
  EXPECT_EQ(text_of(make_plan(world, at_start)), "1 moves for 9\n9 waits: Resources\n");
}

TEST(Consolidate, nobody_moves_for_a_job_that_is_no_larger) {
  SchedulerInput world = world_from(in_pieces);
  world.running[0].loss_per_second_units = 4;
  EXPECT_EQ(text_of(make_plan(world, at_start, moving_at_once())), "9 waits: Resources\n");
}

TEST(Consolidate, several_move_together_and_none_in_vain) {
  EXPECT_EQ(plan_of("node n1,n2,n3 cpus=8 gpus=h100:4\n"
                    "runs 1 on n1:1:0 ends=9000 saved\n"
                    "runs 2 on n1:1:1 ends=9000 saved\n"
                    "runs 3 on n2:1:0+1+2 ends=9000\n"
                    "runs 4 on n3:1:0+1+2 ends=9000 saved\n"
                    "wants 9 gpus=4\n"),
            "1 moves for 9\n2 moves for 9\n9 waits: Resources\n");
}

TEST(Consolidate, only_for_the_first_that_waits_where_jobs_hold_reservations) {
  EXPECT_EQ(plan_of("node n1,n2 cpus=8 gpus=h100:4\n"
                    "runs 1 on n1:2:0+1 ends=9000 saved\n"
                    "runs 2 on n2:2:0+1 ends=9000\n"
                    "wants 8 gpus=4 nodes=2\n"
                    "wants 9 gpus=4 at=1\n"),
            "8 waits: Resources\n9 waits: Resources\n");
}

}  // namespace cox::schedule
