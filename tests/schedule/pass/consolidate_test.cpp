// Tests consolidation: jobs that have saved move to other nodes, so that scattered free room
// becomes room for a larger job.
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

// Two of the four GPUs of each node are free, and job 9 needs four GPUs on one node.
const std::string in_pieces =
    "node n1,n2 cpus=8 gpus=h100:4\n"
    "runs 1 on n1:2:0+1 ends=9000 saved\n"
    "runs 2 on n2:2:0+1 ends=9000\n"
    "wants 9 gpus=4\n";

// Returns the plan when an urgent job is submitted while job 1, with a time limit of 10000 s, is
// stopping to move to n2. A reservation of n2 begins `second` seconds from now.
std::string starts_before_a_reservation(const std::string& second) {
  SchedulerInput world = world_from(in_pieces + "reserves maint nodes=n2 from=" + second +
                                    " to=40000\n" + "wants 10 tier=3 gpus=2 peaceful limit=60");
  Scheduler scheduler(world.nodes, moving_at_once());
  Engine& engine = scheduler.engine();
  engine.set_reservations(world.reservations);
  world.running[0].stopping = true;
  world.running[0].movable = false;
  for (const RunningJob& job : world.running) engine.put(job);
  for (const PendingJob& job : world.pending) engine.put(job);
  engine.claim(world.pending[0].id, {{"n1", 0, 1, 1, 0, {0, 1, 2, 3}, gpu_whole, 0}});
  engine.claim(JobId{1}, {{"n2", 0, 2, 2, 0, {2, 3}, gpu_whole, 0}});
  return text_of(scheduler.plan(at_start, ExplainDepth::nothing()));
}

}  // namespace

TEST(Consolidate, a_new_place_is_kept_unless_a_reservation_begins_before_the_job_ends) {
  EXPECT_EQ(starts_before_a_reservation("10000"), "");
  EXPECT_EQ(starts_before_a_reservation("9999"), "10 starts on n2:1:2+3\n");
}

TEST(Consolidate, a_small_job_that_has_saved_moves_for_a_large_one) {
  EXPECT_EQ(plan_of(in_pieces), "1 moves for 9\n9 waits: Resources\n");
}

TEST(Consolidate, the_new_place_and_the_freed_place_are_claimed_until_they_are_used) {
  SchedulerInput world = world_from(in_pieces);
  Scheduler scheduler(world.nodes, moving_at_once());
  Engine& engine = scheduler.engine();
  for (const RunningJob& job : world.running) engine.put(job);
  engine.put(world.pending[0]);
  const Plan plan = scheduler.plan(at_start, ExplainDepth::everything());
  ASSERT_EQ(plan.claims.size(), 2u);
  EXPECT_EQ(waiting_of(plan, 9).detail,
            "job 1 has saved and moves elsewhere; the place on n1 is reserved for it");
  engine.claim(world.pending[0].id, plan.claims[0].placement);
  engine.claim(plan.claims[1].job, plan.claims[1].placement);
  world.running[0].stopping = true;
  world.running[0].movable = false;
  engine.put(world.running[0]);
  // An urgent job may use neither the place to which job 1 moves nor the place that is freed for
  // job 9.
  const SchedulerInput urgent = world_from("wants 10 tier=3 gpus=2 peaceful");
  engine.put(urgent.pending[0]);
  EXPECT_EQ(scheduler.plan(at_start, ExplainDepth::nothing()).starts.size(), 0u);
  engine.remove(JobId{1});
  engine.put(world_from("wants 1 tasks=2 gpus=2").pending[0]);
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())),
            "1 starts on n2:2:2+3\n9 starts on n1:1:0+1+2+3\n10 waits: Resources\n");
}

TEST(Consolidate, no_job_moves_without_a_new_place) {
  EXPECT_EQ(plan_of("node n1,n2 cpus=8 gpus=h100:4\n"
                    "runs 1 on n1:2:0+1+2 ends=9000 saved\n"
                    "runs 2 on n2:2:0+1 ends=9000\n"
                    "wants 9 gpus=4\n"),
            "9 waits: Resources\n");
}

TEST(Consolidate, jobs_that_have_not_saved_rank_higher_or_are_new_do_not_move) {
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

TEST(Consolidate, no_job_moves_for_one_that_is_not_larger) {
  SchedulerInput world = world_from(in_pieces);
  world.running[0].loss_per_second_units = 4;
  EXPECT_EQ(text_of(make_plan(world, at_start, moving_at_once())), "9 waits: Resources\n");
}

TEST(Consolidate, several_jobs_move_together_and_none_needlessly) {
  EXPECT_EQ(plan_of("node n1,n2,n3 cpus=8 gpus=h100:4\n"
                    "runs 1 on n1:1:0 ends=9000 saved\n"
                    "runs 2 on n1:1:1 ends=9000 saved\n"
                    "runs 3 on n2:1:0+1+2 ends=9000\n"
                    "runs 4 on n3:1:0+1+2 ends=9000 saved\n"
                    "wants 9 gpus=4\n"),
            "1 moves for 9\n2 moves for 9\n9 waits: Resources\n");
}

TEST(Consolidate, with_reservations_jobs_move_only_for_the_first_that_waits) {
  EXPECT_EQ(plan_of("node n1,n2 cpus=8 gpus=h100:4\n"
                    "runs 1 on n1:2:0+1 ends=9000 saved\n"
                    "runs 2 on n2:2:0+1 ends=9000\n"
                    "wants 8 gpus=4 nodes=2\n"
                    "wants 9 gpus=4 at=1\n"),
            "8 waits: Resources\n9 waits: Resources\n");
}

}  // namespace cox::schedule
