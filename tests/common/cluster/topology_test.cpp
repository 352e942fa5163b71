#include "common/cluster/topology.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.h"

namespace cox {
namespace {

using Path = std::vector<std::string>;

template <class Topology>
DomainPaths paths_of(const Topology& topology) {
  const Result<DomainPaths> paths = domain_paths(topology);
  EXPECT_TRUE(paths.ok()) << (paths.ok() ? "" : paths.refusal().fact);
  return paths.ok() ? *paths : DomainPaths{};
}

template <class Topology>
void expect_refused(const Topology& topology, const std::string& fact) {
  const Result<DomainPaths> paths = domain_paths(topology);
  ASSERT_FALSE(paths.ok()) << fact;
  EXPECT_NE(paths.refusal().fact.find(fact), std::string::npos) << paths.refusal().fact;
  EXPECT_FALSE(paths.refusal().hint.empty()) << fact;
}

TEST(TreeTopology, ListsTheSwitchesAboveEachNode) {
  const TreeTopology tree = {{
      {"leaf1", "", "n[1-2]"},
      {"core", "spine[1-2]", ""},
      {"spine1", "leaf[1-2]", ""},
      {"leaf2", "", "n3,x"},
      {"spine2", "leaf3", ""},
      {"leaf3", "", "n4"},
      {"alone", "", "y1"},
  }};
  const DomainPaths expected = {
      {"n1", {"core", "spine1", "leaf1"}}, {"n2", {"core", "spine1", "leaf1"}},
      {"n3", {"core", "spine1", "leaf2"}}, {"x", {"core", "spine1", "leaf2"}},
      {"n4", {"core", "spine2", "leaf3"}}, {"y1", {"alone"}},
  };
  EXPECT_EQ(paths_of(tree), expected);
  EXPECT_TRUE(paths_of(TreeTopology{}).empty());
}

TEST(TreeTopology, AnInvalidTreeIsRefusedWithTheNameOfTheSwitch) {
  const TopologySwitch leaf = {"leaf1", "", "n[1-2]"};
  const std::vector<std::pair<std::vector<TopologySwitch>, std::string>> table = {
      {{leaf, {"s", "leaf[1-2]", ""}},
       "the switch s is above the switch leaf2, which is not described"},
      {{leaf, {"s", "leaf1", ""}, {"t", "leaf1", ""}},
       "the switch t is above the switch leaf1, and so is s"},
      {{leaf, {"s", "leaf1,leaf1", ""}}, "the switch s is above the switch leaf1, and so is s"},
      {{leaf, {"leaf2", "", "n[2-3]"}}, "the switch leaf2 has the node n2, and so has leaf1"},
      {{leaf, {"leaf2", "", "m,m"}}, "the switch leaf2 has the node m, and so has leaf2"},
      {{leaf, leaf}, "the switch leaf1 is described twice"},
      {{{"s", "s", ""}}, "the switch s is below itself"},
      {{{"a", "b", ""}, {"b", "c", ""}, {"c", "a", ""}}, "the switch a is below itself"},
      {{{"s", "leaf1", "n9"}, leaf}, "the switch s has both switches and nodes"},
      {{{"s", "", ""}}, "the switch s has neither switches nor nodes"},
      {{{"s", "leaf[", ""}, leaf}, "the switch s: node list \"leaf[\""},
      {{{"s", "", "n[3-1]"}}, "the switch s: node list \"n[3-1]\""},
      {{{"a b", "", "n1"}}, "\"a b\" is not the name of a switch"},
      {{{"", "", "n1"}}, "\"\" is not the name of a switch"},
  };
  for (const auto& [switches, fact] : table) expect_refused(TreeTopology{switches}, fact);
}

// Returns a tree of `depth` switches: s1 is above s2, s2 above s3, and so on. Node n1 is at the
// last switch.
TreeTopology chain(std::size_t depth) {
  TreeTopology tree;
  for (std::size_t i = 1; i < depth; ++i)
    tree.switches.push_back({"s" + std::to_string(i), "s" + std::to_string(i + 1), ""});
  tree.switches.push_back({"s" + std::to_string(depth), "", "n1"});
  return tree;
}

TEST(TreeTopology, HasALimitOfSwitchesAndDepth) {
  EXPECT_EQ(paths_of(chain(limits::topology_depth_max)).at("n1").size(),
            limits::topology_depth_max);
  expect_refused(chain(limits::topology_depth_max + 1),
                 "the switch s17 has more than 15 switches above it");
  expect_refused(TreeTopology{{{"a", "", "n[1-40000]"}, {"b", "", "n[40001-80000]"}}},
                 "more than 65536 nodes");
  TreeTopology many;
  many.switches.resize(limits::topology_domains_max + 1);
  expect_refused(many, "65537 domains; the limit is 65536");
}

TEST(BlockTopology, GroupsNeighbouringBlocks) {
  const std::vector<TopologyBlock> blocks = {
      {"b1", "n[1-2]"}, {"b2", "n[3-4]"}, {"b3", "n[5-6]"}, {"b4", "n[7-8]"}, {"b5", "n[9-11]"}};
  const DomainPaths flat = paths_of(BlockTopology{blocks, {}});
  EXPECT_EQ(flat.size(), 11u);
  EXPECT_EQ(flat.at("n3"), (Path{"b2"}));
  EXPECT_EQ(paths_of(BlockTopology{blocks, {2}}), flat);
  const DomainPaths paths = paths_of(BlockTopology{blocks, {2, 4, 8}});
  EXPECT_EQ(paths.at("n1"), (Path{"b[1-4]", "b[1-2]", "b1"}));
  EXPECT_EQ(paths.at("n4"), (Path{"b[1-4]", "b[1-2]", "b2"}));
  EXPECT_EQ(paths.at("n5"), (Path{"b[1-4]", "b[3-4]", "b3"}));
  EXPECT_EQ(paths.at("n8"), (Path{"b[1-4]", "b[3-4]", "b4"}));
  EXPECT_EQ(paths.at("n11"), (Path{"b5", "b5", "b5"}));
  EXPECT_EQ(paths_of(BlockTopology{blocks, {2, 8}}).at("n8"), (Path{"b[1-4]", "b4"}));
  EXPECT_TRUE(paths_of(BlockTopology{}).empty());
}

TEST(BlockTopology, AnInvalidTopologyIsRefusedWithTheBlockOrTheBlockSize) {
  const TopologyBlock block = {"b1", "n[1-4]"};
  const std::vector<std::pair<BlockTopology, std::string>> table = {
      {{{block, {"b2", "n4"}}, {}}, "the block b2 has the node n4, and so has b1"},
      {{{block, block}, {}}, "the block b1 is described twice"},
      {{{{"b1", ""}}, {}}, "the block b1: node list \"\" names no node"},
      {{{{"b 1", "n1"}}, {}}, "\"b 1\" is not the name of a block"},
      {{{block}, {8}}, "the block b1 has 4 nodes, fewer than the block size 8"},
      {{{block}, {0}}, "the block size 0 does not fit"},
      {{{block}, {-2}}, "the block size -2 does not fit"},
      {{{block}, {4, 4}}, "the block size 4 does not fit"},
      {{{block}, {4, 12}}, "the block size 12 does not fit"},
      {{{block}, {4, 6}}, "the block size 6 does not fit"},
      {{{block}, {4, 16, 8}}, "the block size 8 does not fit"},
      {{{block}, {4, 32768}}, "the block size 32768 does not fit"},
  };
  for (const auto& [topology, fact] : table) expect_refused(topology, fact);
}

}  // namespace
}  // namespace cox
