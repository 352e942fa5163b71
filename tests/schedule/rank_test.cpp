// Who is looked at before the tiers, and which nodes are taken before the others.
#include <gtest/gtest.h>

#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

TEST(Rank, stands_before_the_tier) {
  EXPECT_EQ(plan_for("node n1 cpus=4\n"
                     "wants 1 cpus=4 tier=3\n"
                     "wants 2 cpus=4 tier=1 rank=1\n"),
            "2 starts on n1:1\n1 waits: Resources\n");
}

TEST(Rank, makes_nobody_give_way) {
  EXPECT_EQ(plan_for("node n1 cpus=4\n"
                     "runs 1 on n1:4 tier=2\n"
                     "wants 2 cpus=4 tier=2 rank=5\n"),
            "2 waits: Resources\n");
}

TEST(Rank, of_who_gives_way_the_tier_alone_decides) {
  EXPECT_EQ(plan_for("node n1 cpus=4\n"
                     "runs 1 on n1:4 tier=1 rank=9\n"
                     "wants 2 cpus=4 tier=2\n"),
            "1 gives way to 2\n2 waits: Resources\n");
}

TEST(Rank, who_stands_still_goes_on_before_those_of_lower_ranks) {
  const std::string world =
      "node n1 cpus=4\n"
      "runs 1 on n1:4 tier=1 rank=RANK still\n"
      "wants 2 cpus=4 tier=2 peaceful\n";
  const auto with_rank = [&](const std::string& rank) {
    std::string text = world;
    return plan_for(text.replace(text.find("RANK"), 4, rank));
  };
  EXPECT_NE(with_rank("0").find("2 starts on n1:1"), std::string::npos) << with_rank("0");
  EXPECT_EQ(with_rank("1").find("2 starts"), std::string::npos) << with_rank("1");
}

TEST(Weight, the_lighter_nodes_are_taken_first_whatever_the_policy) {
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

TEST(Weight, decides_only_among_nodes_that_would_do) {
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
