// What a job that has its nodes to itself is charged for, and when a picture of nodes may be kept.
#include "schedule/whole_node.h"

#include <gtest/gtest.h>

#include "schedule/nodes.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

std::int64_t amount_of(const WholeNode& whole, const char* tres) {
  return whole.amount(parse_tres(tres).value().front()).value();
}

const std::string two_kinds =
    "node n1 cpus=8 mem=1000 gpus=h100:4 features=old\n"
    "node n2 cpus=4 mem=2000 gpus=a100:8 features=new\n";

TEST(WholeNode, TheLargestOfSeveralNodesHasTheMostOfEachThing) {
  const World world = world_from(two_kinds);
  const Nodes nodes(world.nodes);
  const std::vector<NodeAt> both{0, 1};
  const WholeNode whole = largest_of(nodes, both);
  EXPECT_EQ(whole.cpus, 8);
  EXPECT_EQ(whole.memory_mb, 2000);
  EXPECT_EQ(whole.gpus, 8);
  EXPECT_EQ(amount_of(whole, "gres/gpu:h100=1"), 4 * gpu_whole);
  EXPECT_EQ(amount_of(whole, "gres/gpu:a100=1"), 8 * gpu_whole);
  EXPECT_EQ(amount_of(whole, "gres/gpu:4090=1"), 0);
}

TEST(WholeNode, ANodeThatIsNotKnownAnyMoreCountsWithWhatWasGivenThere) {
  const World world = world_from(two_kinds);
  const Nodes nodes(world.nodes);
  NodeGrant gone;
  gone.node = "n9";
  gone.cpus = 16;
  gone.memory_mb = 500;
  gone.gpus = {0, 1, 2, 3, 4};
  NodeGrant known;
  known.node = "n1";
  const WholeNode whole = largest_of(nodes, Placement{gone, known});
  EXPECT_EQ(whole.cpus, 16);
  EXPECT_EQ(whole.memory_mb, 1000);
  EXPECT_EQ(whole.gpus, 5);
}

TEST(WholeNode, OfAlternativesTheLeastOfEachThingCounts) {
  const World world = world_from(two_kinds + "wants 20 exclusive feature=old\n");
  const Nodes nodes(world.nodes);
  Request old = *world.pending.front().request;
  EXPECT_EQ(whole_node_of(nodes, old)->cpus, 8);
  Request either = old;
  Request fresh = old;
  fresh.constraint = "new";
  either.otherwise = fresh;
  const WholeNode least = *whole_node_of(nodes, either);
  EXPECT_EQ(least.cpus, 4);
  EXPECT_EQ(least.memory_mb, 1000);
  EXPECT_EQ(least.gpus, 4);
  EXPECT_EQ(amount_of(least, "gres/gpu:h100=1"), 0) << "n2 has none";
  EXPECT_EQ(amount_of(least, "gres/gpu:a100=1"), 0) << "n1 has none";
  fresh.exclusive = false;
  either.otherwise = fresh;
  EXPECT_FALSE(whole_node_of(nodes, either)) << "one of them takes no whole node";
}

// The engine keeps what it knows of nodes as long as nothing but who is available changes.
TEST(KnownNodes, OnlyWhoIsAvailableMayChange) {
  const World world = world_from(
      "node n1 cpus=8 mem=1000 features=old in=spine1/leaf1 weight=5\nnode n2 cpus=8 mem=1000\n");
  Nodes nodes(world.nodes);
  const auto takes = [&](auto change) {
    std::vector<WorldNode> other = world.nodes;
    change(other);
    return nodes.take_availability(other);
  };
  EXPECT_TRUE(takes([](auto& all) { all[0].available = false; }));
  EXPECT_FALSE(nodes[*nodes.find("n1")].node->available);
  EXPECT_TRUE(nodes[*nodes.find("n2")].node->available);
  EXPECT_TRUE(takes([](auto& all) { std::swap(all[0], all[1]); })) << "in another order";
  EXPECT_TRUE(nodes[*nodes.find("n1")].node->available);
  EXPECT_FALSE(takes([](auto& all) { all[0].total.cpus = 9; }));
  EXPECT_FALSE(takes([](auto& all) { all[0].features = {"new"}; }));
  EXPECT_FALSE(takes([](auto& all) { all[0].domains.pop_back(); }));
  EXPECT_FALSE(takes([](auto& all) { all[0].weight = 6; }));
  EXPECT_FALSE(takes([](auto& all) { all[0].name = "n3"; }));
  EXPECT_FALSE(takes([](auto& all) { all.pop_back(); }));
}

}  // namespace
}  // namespace cox::schedule
