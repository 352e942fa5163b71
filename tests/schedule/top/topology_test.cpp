// Tests the choice of near nodes for a gang, on a tree of two spine switches with two leaf switches
// of two nodes each.
#include <gtest/gtest.h>

#include "schedule/top/scheduler.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

const std::string tree =
    "node a1,a2 cpus=4 in=s1/l1\n"
    "node b1,b2 cpus=4 in=s1/l2\n"
    "node c1,c2 cpus=4 in=s2/l3\n"
    "node d1,d2 cpus=4 in=s2/l4\n";

std::string plan_of(const std::string& rest) {
  Settings settings;
  settings.topology_levels = {"leaf", "spine"};
  return plan_for(tree + rest, settings);
}

}  // namespace

TEST(Topology, a_gang_goes_to_the_smallest_domain_that_holds_it) {
  EXPECT_EQ(plan_of("runs 1 on a1:1\nwants 2 nodes=2 each=4"), "2 starts on b1:4 b2:4\n");
  EXPECT_EQ(plan_of("runs 1 on a1:1\nwants 2 nodes=3 each=4"), "2 starts on a2:4 b1:4 b2:4\n");
  EXPECT_EQ(plan_of("runs 1 on a1:1 d2:1\nwants 2 nodes=4 each=4"),
            "2 starts on a2:4 b1:4 b2:4 c1:4\n");
}

TEST(Topology, the_domain_with_the_fewest_nodes_to_spare_is_taken) {
  EXPECT_EQ(plan_of("runs 1 on a1:4\nruns 2 on a2:4\nruns 3 on c1:4\nwants 4 nodes=1 each=4"),
            "4 starts on c2:4\n");
  EXPECT_EQ(plan_of("runs 1 on c1:4\nwants 2 nodes=3 each=4"), "2 starts on c2:4 d1:4 d2:4\n");
}

TEST(Topology, single_node_jobs_use_the_smallest_free_part) {
  EXPECT_EQ(plan_of("runs 1 on d2:4\nwants 2\nwants 3"), "2 starts on d1:1\n3 starts on d1:1\n");
}

TEST(Topology, a_job_waits_for_its_required_level) {
  const std::string busy = "runs 1 on a1:1 b1:1 c1:1 d1:1 ends=60\n";
  EXPECT_EQ(plan_of(busy + "wants 2 nodes=2 each=4"), "2 starts on a2:4 b2:4\n");
  EXPECT_EQ(plan_of(busy + "wants 2 nodes=2 each=4 level=spine"), "2 starts on a2:4 b2:4\n");
  EXPECT_EQ(plan_of(busy + "wants 2 nodes=2 each=4 level=leaf limit=60"), "2 waits: Resources\n");
  EXPECT_EQ(plan_of("wants 2 nodes=3 level=leaf"), "2 waits: ReqNodeNotAvail\n");
  EXPECT_EQ(plan_of("wants 2 nodes=2 level=rack"), "2 waits: ReqNodeNotAvail\n");
}

TEST(Topology, a_job_waits_for_few_switches_until_its_patience_ends) {
  const std::string busy = "runs 1 on a1:1 b1:1 c1:1 d1:1\n";
  EXPECT_EQ(plan_of(busy + "wants 2 nodes=2 each=4 switches=1"), "2 waits: Resources\n");
  EXPECT_EQ(plan_of(busy + "wants 2 nodes=2 each=4 switches=2"), "2 starts on a2:4 b2:4\n");
  // The job has been eligible for 1000 s, so with a patience of 1000 s it no longer waits for few
  // switches.
  EXPECT_EQ(plan_of(busy + "wants 2 nodes=2 each=4 switches=1 patience=1001"),
            "2 waits: Resources\n");
  EXPECT_EQ(plan_of(busy + "wants 2 nodes=2 each=4 switches=1 patience=1000"),
            "2 starts on a2:4 b2:4\n");
}

// In the past the explanation said that the job requests more than all nodes have.
TEST(Topology, the_explanation_says_until_when_a_job_waits_for_few_switches) {
  Settings settings;
  settings.topology_levels = {"leaf", "spine"};
  const auto waiting = [&](const std::string& rest) {
    return waiting_of(make_plan(world_from(tree + rest), at_start, settings), 2);
  };
  const std::string until =
      "it waits for nodes on at most 1 leaf switch until 1970-01-01T00:17:40Z, then on any number";
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const Boot then = at_start.boot + Milliseconds{60'000};
  // No leaf switch has three nodes. The job has been eligible for 1000 s, so its patience of 1060 s
  // ends in 60 s.
  const PendingExplanation never = waiting("wants 2 nodes=3 each=4 switches=1 patience=1060");
  EXPECT_EQ(never.reason, WaitReason::Resources);
  EXPECT_TRUE(has(never.detail, until)) << never.detail;
  EXPECT_FALSE(has(never.detail, "more than the known nodes")) << never.detail;
  EXPECT_EQ(never.expected_start, then);
  const PendingExplanation busy = waiting(
      "runs 1 on a1:1 b1:1 c1:1 d1:1 ends=600\n"
      "wants 2 nodes=2 each=4 switches=1 patience=1060");
  EXPECT_EQ(busy.reason, WaitReason::Resources);
  EXPECT_TRUE(has(busy.detail, until)) << busy.detail;
  EXPECT_EQ(busy.expected_start, then);
  const PendingExplanation more = waiting("wants 2 nodes=9 each=4 switches=1 patience=1060");
  EXPECT_EQ(more.reason, WaitReason::ReqNodeNotAvail) << "more switches would not help either";
}

TEST(Topology, a_job_that_started_after_its_patience_for_switches_can_leave_the_queue) {
  SchedulerInput world =
      world_from(tree + "runs 1 on a1:1 b1:1 c1:1 d1:1\n" +
                 "wants 2 nodes=2 each=4 switches=1 patience=1 limit=9 tier=2\n");
  world.running[0].stopping = true;
  Scheduler scheduler(world.nodes);
  Engine& engine = scheduler.engine();
  engine.put(world.running[0]);
  engine.put(world.pending[0]);
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::nothing())), "2 starts on a2:4 b2:4\n");
  engine.remove(world.pending[0].id);
  EXPECT_EQ(engine.queue().size(), 0u);
}

TEST(Topology, ranks_are_numbered_along_the_topology) {
  EXPECT_EQ(plan_for("node x1 cpus=1 in=s2/l1\nnode x2 cpus=1 in=s1/l2\n"
                     "node x3 cpus=1 in=s1/l1\nnode x4 cpus=1\nwants 1 nodes=4"),
            "1 starts on x3:1 x2:1 x1:1 x4:1\n");
}

TEST(Topology, a_domain_full_of_preemptable_jobs_is_not_ruled_out) {
  EXPECT_EQ(plan_of("runs 1 on a1:4 b1:4 c1:4 d1:4 loss=90\nruns 2 on d2:4 loss=5\n"
                    "wants 9 nodes=2 each=4 level=leaf tier=2"),
            "1 preempted by 9\n9 waits: Resources\n");
}

TEST(Topology, counted_features_may_lead_to_a_smaller_leaf) {
  EXPECT_EQ(plan_for("node a1,a2,a3 cpus=4 in=s1/l1\nnode b1,b2 cpus=4 features=ib in=s1/l2\n"
                     "wants 1 nodes=2 switches=1 feature=[ib*2]"),
            "1 starts on b1:1 b2:1\n");
}

}  // namespace cox::schedule
