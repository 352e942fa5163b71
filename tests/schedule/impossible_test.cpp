// What no wait would help, and what people are told of it.
#include <gtest/gtest.h>

#include "schedule/nodes.h"
#include "schedule/plan.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

std::string refusal(const std::string& nodes, const std::string& job) {
  const World world = world_from(nodes + job);
  return impossible(Nodes(world.nodes), *world.pending.at(0).request).value_or("possible");
}

}  // namespace

TEST(Impossible, asks_whether_a_name_is_misspelt) {
  const std::string nodes = "node n1 gpus=h100:4 features=fpga,fast gres=nic:2\nnode n2\n";
  EXPECT_EQ(refusal(nodes, "wants 1 feature=fgpa"),
            "asks for a node of the cluster with feature fgpa; there is none; did you mean fpga?");
  EXPECT_EQ(refusal(nodes, "wants 1 feature=fast&fgpa"),
            "asks for a node of the cluster with feature fast&fgpa; there is none; did you mean "
            "fpga?");
  EXPECT_TRUE(has(refusal(nodes, "wants 1 nodes=2 feature=[fgpa*1]"), "; did you mean fpga?"))
      << refusal(nodes, "wants 1 nodes=2 feature=[fgpa*1]");
  EXPECT_EQ(refusal(nodes, "wants 1 gres=nci:1"),
            "asks for nci:1 on a node; no node of the cluster has as many; did you mean nic?");
  EXPECT_EQ(refusal(nodes, "wants 1 gres=nic:3"),
            "asks for nic:3 on a node; no node of the cluster has as many");
  EXPECT_EQ(refusal(nodes, "wants 1 gpus=1 type=h10"),
            "asks for 1 h10 GPU on a node; the largest in the cluster has 0; did you mean h100?");
  EXPECT_EQ(refusal(nodes, "wants 1 feature=slow"),
            "asks for a node of the cluster with feature slow; there is none");
}

TEST(Impossible, counts_the_tasks_of_the_whole_cluster) {
  const std::string nodes = "node n1,n2 cpus=4\nnode n3 cpus=2 features=small\n";
  EXPECT_EQ(refusal(nodes, "wants 1 tasks=11"),
            "asks for 11 tasks with 1 CPU each; all nodes of the cluster together hold 10 of them; "
            "ask for fewer tasks or fewer CPUs a task");
  EXPECT_EQ(
      refusal(nodes, "wants 1 tasks=3 feature=small"),
      "asks for 3 tasks with 1 CPU each; all nodes of the cluster with feature small together "
      "hold 2 of them; ask for fewer tasks or fewer CPUs a task");
  EXPECT_EQ(refusal(nodes, "wants 1 tasks=10"),
            "asks for 10 tasks with 1 CPU each on 1 node; no node of the cluster holds more than 4 "
            "of them; ask for more nodes, fewer tasks or fewer CPUs a task");
}

TEST(Impossible, says_what_is_too_much) {
  const std::string nodes = "node n1,n2 cpus=8 mem=1000 gpus=h100:4\nnode n3 features=fast\n";
  EXPECT_EQ(refusal(nodes, "wants 1 gpus=8 type=h100"),
            "asks for 8 h100 GPUs on a node; the largest in the cluster has 4; ask for fewer a "
            "node, and for more nodes");
  EXPECT_EQ(refusal(nodes, "wants 1 gpus=1 type=b200"),
            "asks for 1 b200 GPU on a node; the largest in the cluster has 0");
  EXPECT_EQ(refusal(nodes, "wants 1 mem=2000"),
            "asks for 2000 MB on a node; the largest in the cluster has 1000; ask for less memory "
            "a node");
  EXPECT_EQ(refusal(nodes, "wants 1 cpus=9"),
            "asks for 9 CPUs a task; the largest node in the cluster has 8; ask for fewer CPUs a "
            "task");
  EXPECT_EQ(refusal(nodes, "wants 1 feature=slow"),
            "asks for a node of the cluster with feature slow; there is none");
  EXPECT_EQ(refusal(nodes, "wants 1 list=n7"),
            "asks for node n7, which is no node of this cluster");
  EXPECT_EQ(refusal(nodes, "wants 1 list=n1 feature=fast"),
            "asks for node n1, which is not in the cluster with feature fast; leave it out of the "
            "node list or ask for another partition or feature");
  EXPECT_EQ(refusal(nodes, "wants 1 nodes=4"),
            "asks for 4 nodes with 1 CPU each; the cluster has 3 nodes, of which 3 are large "
            "enough for at least one task; ask for fewer nodes or less a node");
  EXPECT_EQ(refusal(nodes, "wants 1 nodes=2 tasks=17"),
            "asks for 17 tasks with 1 CPU each on 2 nodes; no 2 nodes of the cluster hold more "
            "than 16 of them; ask for more nodes, fewer tasks or fewer CPUs a task");
}

TEST(Impossible, says_which_levels_there_are) {
  const World world = world_from("node n1,n2 in=s1/l1\nwants 1 nodes=2 level=core");
  Settings settings;
  settings.topology_levels = {"leaf", "spine", "core"};
  EXPECT_EQ(impossible(Nodes(world.nodes, settings), *world.pending.at(0).request),
            "asks for one core; no node of the cluster is in one; the levels here are nvlink, "
            "leaf, spine");
}

TEST(Impossible, never_for_what_an_idle_cluster_with_all_nodes_could_do) {
  EXPECT_EQ(refusal("node n1 cpus=8 down\nruns 9 on n1:8\n", "wants 1 tasks=8"), "possible");
  EXPECT_EQ(refusal("node n1\n", "wants 1 avoid=n1"), "possible");
  EXPECT_EQ(refusal("", "wants 1 nodes=400"), "possible");  // no nodes are known yet
}

}  // namespace cox::schedule
