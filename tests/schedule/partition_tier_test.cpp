// Tests that the tier of a partition orders jobs before the tier of their QOS does, and that the
// weight of nodes orders nodes.
#include <gtest/gtest.h>

#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

TEST(PartitionTier, orders_jobs_before_the_qos_tier_does) {
  EXPECT_EQ(plan_for("node n1 cpus=4\n"
                     "wants 1 cpus=4 tier=3\n"
                     "wants 2 cpus=4 tier=1 partition_tier=1\n"),
            "2 starts on n1:1\n1 waits: Resources\n");
}

TEST(PartitionTier, preempts_no_job) {
  EXPECT_EQ(plan_for("node n1 cpus=4\n"
                     "runs 1 on n1:4 tier=2\n"
                     "wants 2 cpus=4 tier=2 partition_tier=5\n"),
            "2 waits: Resources\n");
}

TEST(PartitionTier, does_not_protect_a_job_from_preemption) {
  EXPECT_EQ(plan_for("node n1 cpus=4\n"
                     "runs 1 on n1:4 tier=1 partition_tier=9\n"
                     "wants 2 cpus=4 tier=2\n"),
            "1 preempted by 2\n2 waits: Resources\n");
}

TEST(PartitionTier, a_suspended_job_resumes_before_jobs_of_lower_partition_tiers) {
  const std::string world =
      "node n1 cpus=4\n"
      "runs 1 on n1:4 tier=1 partition_tier=TIER still\n"
      "wants 2 cpus=4 tier=2 peaceful\n";
  const auto with_partition_tier = [&](const std::string& tier) {
    std::string text = world;
    return plan_for(text.replace(text.find("TIER"), 4, tier));
  };
  EXPECT_NE(with_partition_tier("0").find("2 starts on n1:1"), std::string::npos)
      << with_partition_tier("0");
  EXPECT_EQ(with_partition_tier("1").find("2 starts"), std::string::npos)
      << with_partition_tier("1");
}

TEST(Weight, lighter_nodes_are_used_first_under_every_policy) {
  const std::string world =
      "node n1 cpus=4 weight=9 gpus=h100:1\n"
      "node n2 cpus=8 weight=2\n"
      "node n3 cpus=16 weight=1 features=fast\n"
      "wants 1 cpus=4 nodes=NODES\n";
  const auto with_nodes = [&](const std::string& nodes, PlacementPolicy placement) {
    std::string text = world;
    Settings settings;
    settings.placement = placement;
    return plan_for(text.replace(text.find("NODES"), 5, nodes), settings);
  };
  for (const PlacementPolicy placement :
       {PlacementPolicy::Fgd, PlacementPolicy::BestFit, PlacementPolicy::Packing,
        PlacementPolicy::Spreading, PlacementPolicy::LeastFree}) {
    EXPECT_EQ(with_nodes("1", placement), "1 starts on n3:1\n");
    EXPECT_EQ(with_nodes("2", placement), "1 starts on n2:1 n3:1\n");
  }
}

TEST(Weight, orders_only_nodes_that_fit) {
  EXPECT_EQ(plan_for("node n1 cpus=2 weight=1\n"
                     "node n2 cpus=4 weight=9\n"
                     "wants 1 cpus=4\n"),
            "1 starts on n2:1\n");
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "node n3 cpus=4 weight=0\n"
                     "wants 1 cpus=4 list=n2\n"),
            "1 starts on n2:1\n");
}

}  // namespace
}  // namespace cox::schedule
