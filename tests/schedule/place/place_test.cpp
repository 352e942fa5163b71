// Tests on which nodes gangs are placed: by best fit, and on all their nodes at once or not at all.
#include <gtest/gtest.h>

#include "tests/schedule/scenario.h"

namespace cox::schedule {

TEST(Place, fills_the_fuller_node_first) {
  EXPECT_EQ(plan_for("node n1,n2,n3 cpus=8\n"
                     "runs 1 on n2:4\n"
                     "wants 2 tasks=4 each=4"),
            "2 starts on n2:4\n");
}

TEST(Place, orders_nodes_and_ranks_by_number_within_the_name) {
  EXPECT_EQ(plan_for("node n10,n2,n1 cpus=1\n"
                     "wants 1 nodes=3"),
            "1 starts on n1:1 n2:1 n10:1\n");
}

TEST(Place, spreads_evenly_and_puts_the_remainder_on_earlier_nodes) {
  EXPECT_EQ(plan_for("node n1,n2,n3 cpus=8\n"
                     "wants 1 nodes=3 tasks=8"),
            "1 starts on n1:3 n2:3 n3:2\n");
}

TEST(Place, puts_the_remainder_on_a_node_with_room_for_it) {
  EXPECT_EQ(plan_for("node n1 cpus=2\nnode n2 cpus=3\n"
                     "wants 1 nodes=2 tasks=5"),
            "1 starts on n1:2 n2:3\n");
}

TEST(Place, spreads_by_free_room_if_an_even_spread_does_not_fit) {
  EXPECT_EQ(plan_for("node n1 cpus=8\nnode n2 cpus=2\n"
                     "wants 1 nodes=2 tasks=10"),
            "1 starts on n1:8 n2:2\n");
}

TEST(Place, puts_exactly_the_requested_tasks_on_each_node) {
  EXPECT_EQ(plan_for("node n1 cpus=8\nnode n2 cpus=2\n"
                     "wants 1 nodes=2 each=4"),
            "1 waits: ReqNodeNotAvail\n");
  EXPECT_EQ(plan_for("node n1,n2 cpus=8\n"
                     "wants 1 nodes=2 each=4 cpus=2"),
            "1 starts on n1:4 n2:4\n");
}

TEST(Place, starts_all_of_a_gang_or_nothing) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n2:1\n"
                     "wants 2 nodes=2 each=4"),
            "2 waits: Resources\n");
}

TEST(Place, grants_the_lowest_free_gpus) {
  EXPECT_EQ(plan_for("node n1 cpus=8 gpus=h100:4\n"
                     "runs 1 on n1:1:0+2\n"
                     "wants 2 gpus=2"),
            "2 starts on n1:1:1+3\n");
}

TEST(Place, grants_gpus_of_the_requested_type_or_else_of_one_type) {
  EXPECT_EQ(plan_for("node n1 cpus=8 gpus=a100:2,h100:4\nwants 1 gpus=2 type=h100"),
            "1 starts on n1:1:2+3\n");
  EXPECT_EQ(plan_for("node n1 cpus=8 gpus=a100:2,h100:4\nwants 1 gpus=3"),
            "1 starts on n1:1:2+3+4\n");
  EXPECT_EQ(plan_for("node n1 cpus=8 gpus=a100:2,h100:4\nwants 1 gpus=5"),
            "1 starts on n1:1:0+1+2+3+4\n");
}

TEST(Place, grants_one_of_the_requested_gpu_types_on_a_node) {
  EXPECT_EQ(plan_for("node n1 cpus=8 gpus=a100:2,h100:2,t4:2\nwants 1 gpus=2 type=h100,t4"),
            "1 starts on n1:1:2+3\n");
  EXPECT_EQ(plan_for("node n1 cpus=8 gpus=a100:2,h100:2\nwants 1 gpus=3 type=h100,t4"),
            "1 waits: ReqNodeNotAvail\n");
}

TEST(Place, gpu_fractions_share_the_fullest_device_that_holds_them) {
  EXPECT_EQ(plan_for("node n1 cpus=8 gpus=h100:3\n"
                     "runs 1 on n1:1:1 milli=500\n"
                     "runs 2 on n1:1:2 milli=600\n"
                     "wants 3 gpus=1 milli=400\n"
                     "wants 4 gpus=1 milli=500\n"
                     "wants 5 gpus=1 milli=500"),
            "3 starts on n1:1:2\n4 starts on n1:1:1\n5 starts on n1:1:0\n");
}

TEST(Place, a_gpu_is_granted_whole_or_in_fractions_never_both) {
  EXPECT_EQ(plan_for("node n1 cpus=8 gpus=h100:1\n"
                     "runs 1 on n1:1:0 milli=100\n"
                     "wants 2 gpus=1\n"
                     "wants 3 gpus=1 milli=901 at=1\n"
                     "wants 4 gpus=1 milli=900 limit=1 at=2"),
            "4 starts on n1:1:0\n2 waits: Resources\n3 waits: Resources\n");
}

TEST(Place, each_policy_chooses_its_own_node) {
  const std::string world =
      "node n1 cpus=64 gpus=h100:8\nnode n2 cpus=64 gpus=h100:4\nnode n3 cpus=64 gpus=h100:8\n"
      "runs 1 on n1:8:0+1+2+3\n"
      "runs 2 on n2:8:0\n"
      "wants 3 gpus=2\n";
  EXPECT_EQ(plan_for(world, {.placement = PlacementPolicy::BestFit}), "3 starts on n1:1:4+5\n");
  EXPECT_EQ(plan_for(world, {.placement = PlacementPolicy::Packing}), "3 starts on n2:1:1+2\n");
  EXPECT_EQ(plan_for(world, {.placement = PlacementPolicy::LeastFree}), "3 starts on n2:1:1+2\n");
  EXPECT_EQ(plan_for(world, {.placement = PlacementPolicy::Spreading}), "3 starts on n3:1:0+1\n");
}

TEST(Place, keeps_large_groups_of_free_gpus_together) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=64 gpus=h100:8\n"
                     "runs 1 on n2:40:0+1+2+3+4+5\n"
                     "wants 2 gpus=2"),
            "2 starts on n2:1:6+7\n");
}

TEST(Place, keeps_cpu_jobs_off_gpu_nodes_while_a_cpu_node_fits) {
  EXPECT_EQ(plan_for("node n1 cpus=4 gpus=h100:4\nnode n2 cpus=64\nwants 1"), "1 starts on n2:1\n");
  EXPECT_EQ(plan_for("node n1 cpus=4 gpus=h100:4\nwants 1"), "1 starts on n1:1\n");
}

TEST(Place, leaves_nodes_with_features_to_jobs_that_request_them) {
  const std::string nodes = "node n1,n2 cpus=4 features=fast\nnode n3,n4 cpus=4\n";
  EXPECT_EQ(plan_for(nodes + "wants 1 nodes=2"), "1 starts on n3:1 n4:1\n");
  EXPECT_EQ(plan_for(nodes + "wants 1 nodes=2 feature=fast"), "1 starts on n1:1 n2:1\n");
}

TEST(Place, uses_all_named_nodes_and_adds_others_if_needed) {
  EXPECT_EQ(plan_for("node n1,n2,n3,n4 cpus=4\n"
                     "wants 1 nodes=2 list=n3,n4\n"
                     "wants 2 nodes=3 list=n2"),
            "1 starts on n3:1 n4:1\n"
            "2 starts on n2:1 n3:1 n4:1\n");
}

TEST(Place, an_exclusive_job_gets_all_resources_of_empty_nodes) {
  const SchedulerInput world = world_from(
      "node n1,n2 cpus=8 mem=500 gpus=h100:2\n"
      "runs 1 on n1:1\n"
      "wants 2 exclusive\n"
      "wants 3");
  const Plan plan = make_plan(world, at_start);
  EXPECT_EQ(text_of(plan), "2 starts on n2:1:0+1\n3 starts on n1:1\n");
  EXPECT_EQ(plan.starts[0].placement[0].cpus, 8);
  EXPECT_EQ(plan.starts[0].placement[0].memory_mb, 500);
}

TEST(Place, uses_only_available_nodes_of_the_partition) {
  EXPECT_EQ(plan_for("node n1 down\nnode n2,n3\nwants 1 partition=n1,n3"), "1 starts on n3:1\n");
}

TEST(Place, avoids_a_node_only_if_others_are_enough) {
  EXPECT_EQ(plan_for("node n1,n2\nwants 1 avoid=n1"), "1 starts on n2:1\n");
  EXPECT_EQ(plan_for("node n1,n2\nruns 9 on n2:4\nwants 1 avoid=n1"), "1 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1,n2\nwants 1 nodes=2 avoid=n1"), "1 starts on n1:1 n2:1\n");
}

TEST(Place, counts_memory_per_node) {
  EXPECT_EQ(plan_for("node n1 mem=1000\nwants 1 mem=600\nwants 2 mem=600 at=1"),
            "1 starts on n1:1\n2 waits: Resources\n");
}

}  // namespace cox::schedule
