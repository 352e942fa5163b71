// Tests refusals of requests that can never start, however long they wait.
#include "schedule/explain/why_never_fits.h"

#include <gtest/gtest.h>

#include "schedule/model/nodes.h"
#include "schedule/model/scheduler_input.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

std::string refusal(const std::string& nodes, const std::string& job) {
  const SchedulerInput world = world_from(nodes + job);
  return impossible(Nodes(world.nodes), *world.pending.at(0).request).value_or("possible");
}

}  // namespace

TEST(Impossible, an_unknown_name_gets_the_names_that_exist_and_a_suggestion) {
  const std::string nodes = "node n1 gpus=h100:4 features=fpga,fast gres=nic:2\nnode n2\n";
  EXPECT_EQ(refusal(nodes, "wants 1 feature=fgpa"),
            "asks for a node with feature fgpa; no node of the cluster has it; available features: "
            "fast, fpga; did you mean fpga?");
  EXPECT_EQ(refusal(nodes, "wants 1 feature=fast&fgpa"),
            "asks for a node with feature fast&fgpa; no node of the cluster has it; available "
            "features: fast, fpga; did you mean fpga?");
  const std::string some = refusal(nodes, "wants 1 nodes=2 feature=[fgpa*1]");
  EXPECT_TRUE(has(some, "; available features: fast, fpga; did you mean fpga?")) << some;
  EXPECT_EQ(refusal(nodes, "wants 1 gres=nci:1"),
            "asks for nci:1 on a node; no node of the cluster has nci; available GRES: gpu, nic; "
            "did you mean nic?");
  EXPECT_EQ(refusal(nodes, "wants 1 gres=nic:3"),
            "asks for nic:3 on a node; no node of the cluster has that many");
  EXPECT_EQ(
      refusal(nodes, "wants 1 gpus=1 type=h10"),
      "asks for 1 h10 GPU on a node; the largest in the cluster has 0; available GPU types: h100; "
      "did you mean h100?");
  EXPECT_EQ(refusal(nodes, "wants 1 feature=slow"),
            "asks for a node with feature slow; no node of the cluster has it; available features: "
            "fast, fpga");
  EXPECT_EQ(refusal(nodes, "wants 1 feature=slow partition=n2"),
            "asks for a node with feature slow; no node of its partition has it; available "
            "features: fast, fpga");
  EXPECT_EQ(refusal(nodes, "wants 1 feature=fast partition=n2"),
            "asks for a node with feature fast; no node of its partition has it")
      << "the name is right";
}

TEST(Impossible, features_that_no_node_has_together_are_not_taken_for_wrong_names) {
  const std::string nodes = "node n1 features=fast\nnode n2 features=big,old\n";
  EXPECT_EQ(refusal(nodes, "wants 1 feature=fast&big"),
            "asks for a node with feature big&fast; no node of the cluster has them together");
  EXPECT_EQ(refusal(nodes, "wants 1 feature=(fast|old)&big partition=n1"),
            "asks for a node with feature big&(fast|old); no node of its partition has them "
            "together");
  EXPECT_TRUE(has(refusal(nodes, "wants 1 feature=fast&bgi"),
                  "no node of the cluster has it; available features: big, fast, old"));
}

TEST(Impossible, a_refusal_says_if_no_node_has_anything_of_that_sort) {
  EXPECT_EQ(refusal("node n1\n", "wants 1 feature=slow"),
            "asks for a node with feature slow; no node of the cluster has it; no node has any "
            "features");
  EXPECT_EQ(refusal("node n1\n", "wants 1 gres=nic:1"),
            "asks for nic:1 on a node; no node of the cluster has nic; no node has any GRES");
}

TEST(Impossible, a_long_list_of_names_is_cut) {
  std::string features, nodes;
  for (int i = 10; i < 40; ++i) {
    features += (i == 10 ? "f" : ",f") + std::to_string(i);
    nodes += "node n" + std::to_string(i) + "\n";
  }
  EXPECT_TRUE(has(refusal("node n1 features=" + features + "\n", "wants 1 feature=slow"),
                  "; available features: f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, "
                  "f21, f22, f23, f24, f25 and 14 more"));
  EXPECT_EQ(refusal(nodes, "wants 1 list=n9"),
            "asks for node n9, which is no node of this cluster; its nodes: n[10-39]");
}

TEST(Impossible, the_refusal_says_how_many_tasks_all_nodes_hold) {
  const std::string nodes = "node n1,n2 cpus=4\nnode n3 cpus=2 features=small\n";
  EXPECT_EQ(refusal(nodes, "wants 1 tasks=11"),
            "asks for 11 tasks with 1 CPU each; all nodes of the cluster together hold 10 of them; "
            "ask for fewer tasks or fewer CPUs a task");
  EXPECT_EQ(
      refusal(nodes, "wants 1 tasks=3 feature=small"),
      "asks for 3 tasks with 1 CPU each; all nodes with feature small in the cluster together "
      "hold 2 of them; ask for fewer tasks or fewer CPUs a task");
  EXPECT_EQ(refusal(nodes, "wants 1 tasks=10"),
            "asks for 10 tasks with 1 CPU each on 1 node; no node of the cluster holds more than 4 "
            "of them; ask for more nodes, fewer tasks or fewer CPUs a task");
}

TEST(Impossible, the_refusal_names_what_is_too_much) {
  const std::string nodes = "node n1,n2 cpus=8 mem=1000 gpus=h100:4\nnode n3 features=fast\n";
  EXPECT_EQ(refusal(nodes, "wants 1 gpus=8 type=h100"),
            "asks for 8 h100 GPUs on a node; the largest in the cluster has 4; ask for fewer per "
            "node, and for more nodes");
  EXPECT_EQ(
      refusal(nodes, "wants 1 gpus=1 type=b200"),
      "asks for 1 b200 GPU on a node; the largest in the cluster has 0; available GPU types: h100");
  EXPECT_EQ(
      refusal(nodes, "wants 1 gres=gup:1"),
      "asks for gup:1 on a node; no node of the cluster has gup; available GRES: gpu; did you "
      "mean gpu?");
  EXPECT_EQ(refusal(nodes, "wants 1 mem=2000"),
            "asks for 2000 MB on a node; the largest in the cluster has 1000 MB");
  EXPECT_EQ(refusal(nodes, "wants 1 cpus=9"),
            "asks for 9 CPUs a task; the largest node in the cluster has 8; ask for fewer CPUs a "
            "task");
  EXPECT_EQ(refusal(nodes, "wants 1 feature=slow"),
            "asks for a node with feature slow; no node of the cluster has it; available features: "
            "fast");
  EXPECT_EQ(refusal(nodes, "wants 1 nodes=2 feature=fast"),
            "asks for 2 nodes with 1 CPU each, feature fast; 1 node of the cluster has feature "
            "fast; of these 1 is large enough for at least one task; ask for fewer nodes or less "
            "per node");
  EXPECT_EQ(refusal(nodes, "wants 1 list=n7"),
            "asks for node n7, which is no node of this cluster; its nodes: n[1-3]");
  EXPECT_EQ(refusal(nodes, "wants 1 list=n11"),
            "asks for node n11, which is no node of this cluster; its nodes: n[1-3]; did you mean "
            "n1?");
  EXPECT_EQ(
      refusal(nodes, "wants 1 list=n1 feature=fast"),
      "asks for node n1, which is not one of the nodes with feature fast in the cluster; leave "
      "it out of the node list or ask for another partition or feature");
  EXPECT_EQ(refusal(nodes, "wants 1 nodes=4"),
            "asks for 4 nodes with 1 CPU each; the cluster has 3 nodes, of which 3 are large "
            "enough for at least one task; ask for fewer nodes or less per node");
  EXPECT_EQ(refusal(nodes, "wants 1 nodes=2 tasks=17"),
            "asks for 17 tasks with 1 CPU each on 2 nodes; no 2 nodes of the cluster hold more "
            "than 16 of them; ask for more nodes, fewer tasks or fewer CPUs a task");
}

TEST(Impossible, a_request_for_all_of_the_largest_node_is_possible) {
  const std::string nodes = "node n1,n2 cpus=8 mem=1000 gpus=h100:4\nnode n3 features=fast\n";
  for (const char* wish :
       {"gpus=4 type=h100", "mem=1000", "cpus=8", "nodes=3", "nodes=2 tasks=16", "tasks=8",
        "nodes=3 tasks=20", "list=n1", "but=n1,n2", "partition=n3 feature=fast"})
    EXPECT_EQ(refusal(nodes, std::string("wants 1 ") + wish), "possible") << wish;
  EXPECT_EQ(refusal(nodes, "wants 1 nodes=3 tasks=21"),
            "asks for 21 tasks with 1 CPU each; all nodes of the cluster together hold 20 of them; "
            "ask for fewer tasks or fewer CPUs a task");
}

TEST(Impossible, the_refusal_says_which_nodes_were_considered) {
  const std::string nodes = "node n1,n2 cpus=2 features=slow\nnode n3 cpus=9\n";
  EXPECT_EQ(refusal(nodes, "wants 1 cpus=3 partition=n1,n2"),
            "asks for 3 CPUs a task; the largest node in its partition has 2; ask for fewer CPUs a "
            "task");
  EXPECT_EQ(refusal(nodes, "wants 1 cpus=3 feature=slow but=n2"),
            "asks for 3 CPUs a task; the largest node with feature slow in the cluster without the "
            "excluded nodes has 2; ask for fewer CPUs a task");
  EXPECT_EQ(
      refusal(nodes, "wants 1 nodes=2 cpus=3"),
      "asks for 2 nodes with 3 CPUs each; the cluster has 3 nodes, of which 1 is large enough "
      "for at least one task; ask for fewer nodes or less per node");
  EXPECT_EQ(
      refusal(nodes, "wants 1 cpus=3 list=n1"),
      "asks for 1 node with 3 CPUs, by name n1; a node that it names is too small for its share; "
      "ask for less per node or for other nodes");
}

TEST(Impossible, the_refusal_says_how_many_licences_exist) {
  const auto why_never_fits = [](const std::string& licences,
                                 const std::vector<LicenceCount>& there) {
    Settings settings;
    settings.licences = there;
    const SchedulerInput world = world_from("node n1\nwants 1 licences=" + licences);
    return impossible(Nodes(world.nodes, settings), *world.pending.at(0).request)
        .value_or("possible");
  };
  EXPECT_EQ(why_never_fits("matlab:2", {{"matlab", 2}}), "possible");
  EXPECT_EQ(why_never_fits("matlab:3", {{"abaqus", 5}, {"matlab", 2}}),
            "asks for licences matlab:3; the cluster has matlab:2");
  EXPECT_EQ(why_never_fits("matlab", {}), "asks for licences matlab:1; the cluster has none");
  EXPECT_EQ(
      why_never_fits("matalb", {{"abaqus", 5}, {"matlab", 2}}),
      "asks for licences matalb:1; the cluster has only those of abaqus, matlab; did you mean "
      "matlab?");
}

TEST(Impossible, one_alternative_that_could_start_makes_a_job_possible) {
  const std::string nodes = "node n1 gpus=a:1\nnode n2 gpus=b:2\n";
  EXPECT_EQ(refusal(nodes, "wants 1 gpus=2 type=a|b"), "possible");
  EXPECT_EQ(refusal(nodes, "wants 1 gpus=2 type=b|a"), "possible");
  EXPECT_EQ(refusal(nodes, "wants 1 gpus=3 type=a|b"),
            "asks for 3 a GPUs on a node; the largest in the cluster has 1; ask for fewer per "
            "node, and for more nodes")
      << "the refusal is about the most wanted type";
}

TEST(Impossible, more_joined_gpus_than_the_largest_island_are_refused) {
  const std::string nodes = "node n1,n2 cpus=8 gpus=h100:8 islands=4,4\n";
  EXPECT_EQ(refusal(nodes, "wants 1 gpus=4 joined"), "possible");
  EXPECT_EQ(refusal(nodes, "wants 1 gpus=5"), "possible");
  EXPECT_EQ(refusal(nodes, "wants 1 gpus=5 joined"),
            "asks for 5 GPUs joined by NVLink on a node; the largest island in the cluster has 4; "
            "ask for fewer per node, or leave out --topology");
  EXPECT_EQ(refusal(nodes, "wants 1 gpus=5 joined exclusive"),
            "asks for 5 GPUs joined by NVLink on a node of its own; no node of the cluster has "
            "that many, all joined; leave out --exclusive or --topology");
}

TEST(Impossible, the_refusal_says_that_the_nodes_are_too_far_apart) {
  Settings settings;
  settings.topology_levels = {"leaf", "spine"};
  const auto why_never_fits = [&](const std::string& job) {
    const SchedulerInput world = world_from("node n1,n2 in=s1/l1\nnode n3 in=s1/l2\n" + job);
    return impossible(Nodes(world.nodes, settings), *world.pending.at(0).request)
        .value_or("possible");
  };
  EXPECT_EQ(why_never_fits("wants 1 nodes=2 level=leaf"), "possible");
  EXPECT_EQ(why_never_fits("wants 1 nodes=3 level=leaf"),
            "asks for 3 nodes with 1 CPU each, in one leaf; no leaf holds all of them; ask for "
            "fewer nodes");
  EXPECT_EQ(why_never_fits("wants 1 nodes=2 switches=1"), "possible");
  EXPECT_EQ(why_never_fits("wants 1 nodes=3 switches=1"),
            "asks for 3 nodes with 1 CPU each, on at most 1 leaf switch; so few leaf switches "
            "do not hold all of them; ask for fewer nodes");
  EXPECT_EQ(why_never_fits("wants 1 nodes=3 switches=1 patience=60"), "possible")
      << "after 60 s it may start on any switches";
}

TEST(Impossible, each_component_is_checked_alone_before_all_together) {
  const std::string nodes = "node n1 cpus=4\nnode n2 cpus=2\n";
  EXPECT_EQ(refusal(nodes, "wants 1 cpus=2\nalso cpus=4"), "possible");
  EXPECT_EQ(refusal(nodes, "wants 1 cpus=2\nalso cpus=5"),
            "component 1 asks for 5 CPUs a task; the largest node in the cluster has 4; ask for "
            "fewer CPUs a task");
  EXPECT_EQ(refusal(nodes, "wants 1 cpus=3\nalso cpus=4"),
            "asks for 1 node with 3 CPUs and 1 node with 4 CPUs; each component fits by itself, "
            "but not all of them together, since no node serves two; ask for fewer nodes");
}

TEST(Impossible, the_refusal_lists_the_topology_levels) {
  const SchedulerInput world = world_from("node n1,n2 in=s1/l1\nwants 1 nodes=2 level=core");
  Settings settings;
  settings.topology_levels = {"leaf", "spine", "core"};
  EXPECT_EQ(impossible(Nodes(world.nodes, settings), *world.pending.at(0).request),
            "asks for one core; no node of the cluster is in one; the topology levels are nvlink, "
            "leaf, spine");
}

TEST(Impossible, a_job_that_the_idle_cluster_could_run_is_possible) {
  EXPECT_EQ(refusal("node n1 cpus=8 down\nruns 9 on n1:8\n", "wants 1 tasks=8"), "possible");
  EXPECT_EQ(refusal("node n1\n", "wants 1 avoid=n1"), "possible");
  EXPECT_EQ(refusal("", "wants 1 nodes=400"), "possible");  // a cluster without registered nodes
}

}  // namespace cox::schedule
