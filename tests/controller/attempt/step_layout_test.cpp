// Tests on which nodes of its allocation a step places its tasks, by Slurm's rules.
#include "controller/attempt/step_layout.h"

#include <gtest/gtest.h>

#include "common/base/count_format.h"

namespace cox {
namespace {

// An allocation of nodes n1, n2, …, each with its CPUs, tasks and GPUs.
class Allocation {
 public:
  Allocation& node(std::int64_t cpus, std::int32_t tasks, std::int32_t gpus = 0) {
    NodeGrant grant;
    grant.node = "n" + std::to_string(grants_.size() + 1);
    grant.cpus = cpus;
    grant.ranks = tasks;
    grant.memory_mb = 1000;
    for (std::int32_t i = 0; i < gpus; ++i) grant.gpus.push_back(i);
    grants_.push_back(std::move(grant));
    free_cpus_.push_back(cpus);
    return *this;
  }
  Allocation& busy(std::size_t node, std::int64_t cpus) {
    free_cpus_[node] -= cpus;
    return *this;
  }
  StepPlaced place(const StepSpec& spec) const {
    std::vector<StepRoom> rooms;
    for (std::size_t i = 0; i < grants_.size(); ++i)
      rooms.push_back({&grants_[i], free_cpus_[i], grants_[i].memory_mb, grants_[i].gpus});
    return place_step(spec, rooms);
  }
  // Returns the nodes and tasks of the step, such as "n1:2 n2:1", or why it cannot be placed.
  std::string placement(const StepSpec& spec) const {
    const StepPlaced placed = place(spec);
    if (const auto* why = std::get_if<Refusal>(&placed)) return "refused: " + why->hint;
    if (const auto* waits = std::get_if<StepWaits>(&placed)) return "waits: " + waits->why;
    std::string text;
    for (const StepNode& node : std::get<std::vector<StepNode>>(placed))
      text += (text.empty() ? "" : " ") + node.node + ":" + std::to_string(node.tasks);
    return text;
  }

 private:
  std::vector<NodeGrant> grants_;
  std::vector<std::int64_t> free_cpus_;
};

StepSpec step(std::int64_t tasks, std::int64_t nodes = 0) {
  StepSpec spec;
  spec.tasks = tasks;
  spec.nodes_min = spec.nodes_max = nodes;
  return spec;
}

const std::string less = "ask for fewer tasks or less for each, or for a larger allocation";

TEST(StepLayout, AStepOfAllTasksIsLaidOutLikeItsAllocation) {
  const Allocation of = Allocation().node(3, 3).node(2, 1).node(1, 1);
  EXPECT_EQ(of.placement(step(5, 3)), "n1:3 n2:1 n3:1");
}

TEST(StepLayout, ANodeRangeBeyondTheAllocationPutsOneTaskOnEachNode) {
  const Allocation of = Allocation().node(1, 1).node(1, 1);
  StepSpec range = step(0, 64);
  range.nodes_min = 1;
  EXPECT_EQ(of.placement(range), "n1:1 n2:1");
  range.nodes_min = 3;
  EXPECT_EQ(of.placement(range).substr(0, 8), "refused:");
}

TEST(StepLayout, CpusPerTaskWithoutANumberOfTasksFillTheNodes) {
  const Allocation of = Allocation().node(4, 1).node(6, 1);
  StepSpec two_each = step(0, 2);
  two_each.cpus_per_task = 2;
  EXPECT_EQ(of.placement(two_each), "n1:2 n2:3");
  two_each.nodes_min = two_each.nodes_max = 1;
  EXPECT_EQ(of.placement(two_each), "n1:2");
  two_each.tasks_per_node = 1;
  EXPECT_EQ(of.placement(two_each), "n1:1");
  StepSpec not_asked = step(0, 2);
  EXPECT_EQ(of.placement(not_asked), "n1:1 n2:1");
}

TEST(StepLayout, TasksAreLaidOutByTheOptionsOfTheStep) {
  const Allocation of = Allocation().node(4, 2).node(4, 2);
  struct Row {
    const char* what;
    StepSpec spec;
    const char* placement;
  };
  StepSpec cyclic = step(4, 2), plane = step(5, 2), by_node = step(3, 2);
  cyclic.distribution = Distribution::Cyclic;
  plane.distribution = Distribution::Plane;
  plane.plane = 2;
  by_node.tasks_per_node = 2;
  StepSpec one_a_node, named = step(2), later = step(2), excluded = step(2);
  one_a_node.nodes_min = one_a_node.nodes_max = 2;
  named.nodelist = {"n2"};
  later.relative = 1;
  excluded.exclude = {"n1"};
  const Row rows[] = {
      {"every node has one, then the first fills", step(6, 2), "n1:4 n2:2"},
      {"as many nodes as the tasks need", step(3), "n1:3"},
      {"all nodes that are asked for", step(3, 2), "n1:2 n2:1"},
      {"in turns", cyclic, "n1:2 n2:2"},
      {"in turns of two", plane, "n1:3 n2:2"},
      {"a number on each node", by_node, "n1:2 n2:1"},
      {"one on each node without a number", one_a_node, "n1:1 n2:1"},
      {"a node by its name", named, "n2:2"},
      {"from the second on", later, "n2:2"},
      {"but for the first", excluded, "n2:2"},
  };
  for (const Row& row : rows) EXPECT_EQ(of.placement(row.spec), row.placement) << row.what;
}

TEST(StepLayout, AStepWaitsForBusyCpusAndIsRefusedIfTheAllocationIsTooSmall) {
  Allocation of = Allocation().node(4, 4).node(2, 2);
  StepSpec wide = step(2, 1);
  wide.cpus_per_task = 2;
  EXPECT_EQ(of.placement(wide), "n1:2");
  of.busy(0, 2);
  EXPECT_EQ(of.placement(wide), "waits: Requested nodes are busy");
  EXPECT_EQ(of.placement(step(2, 1)), "n1:2");
  of.busy(0, 1);
  EXPECT_EQ(of.placement(step(2, 1)), "n2:2") << "the first node is too full, the second is used";
  wide.overlap = true;
  EXPECT_EQ(of.placement(wide), "n1:2") << "it shares the CPUs";
  EXPECT_EQ(of.placement(step(7)),
            "refused: 7 tasks of 1 CPU asked for; 2 nodes of the allocation take 6; " + less);
  StepSpec large = step(2, 2);
  large.cpus_per_task = 3;
  EXPECT_EQ(
      of.placement(large),
      "refused: 2 tasks of 3 CPUs on 2 nodes asked for; 1 node of the allocation takes 1; " + less);
  EXPECT_EQ(of.placement(step(3, 3)),
            "refused: 3 nodes asked for; 2 nodes of the allocation may be used");
  StepSpec foreign = step(1);
  foreign.nodelist = {"n9"};
  EXPECT_EQ(of.placement(foreign), "refused: node n9 is not in the allocation");
}

TEST(StepLayout, AnExactStepHasOnlyTheCpusItAsksForAndAnotherStepAllFreeOnes) {
  const Allocation of = Allocation().node(8, 4).busy(0, 2);
  StepSpec spec = step(2);
  EXPECT_EQ(std::get<std::vector<StepNode>>(of.place(spec))[0].cpus, 6);
  spec.exact = true;
  EXPECT_EQ(std::get<std::vector<StepNode>>(of.place(spec))[0].cpus, 2);
  spec.cpus_per_task = 3;
  EXPECT_EQ(std::get<std::vector<StepNode>>(of.place(spec))[0].cpus, 6);
}

TEST(StepLayout, AStepGetsTheGpusItAsksForOrAll) {
  const Allocation of = Allocation().node(8, 4, 4);
  StepSpec spec = step(2);
  const auto gpus = [&] { return std::get<std::vector<StepNode>>(of.place(spec))[0].gpus; };
  EXPECT_EQ(gpus(), (std::vector<std::int32_t>{0, 1, 2, 3}));
  spec.gpus_per_task = 1;
  EXPECT_EQ(gpus(), (std::vector<std::int32_t>{0, 1}));
  spec.gpus_per_task = -1;
  spec.gpus_per_node = 3;
  EXPECT_EQ(gpus(), (std::vector<std::int32_t>{0, 1, 2}));
  spec.gpus_per_node = 0;
  EXPECT_TRUE(gpus().empty());
  spec.gpus_per_node = 5;
  EXPECT_EQ(of.placement(spec),
            "refused: 2 tasks with 5 GPUs a node asked for; the 1 node that it may use has 4 "
            "GPUs; " +
                less);
}

TEST(StepLayout, TotalGpusAreDistributedOverTheNodes) {
  const Allocation of = Allocation().node(4, 2, 4).node(4, 2, 1);
  StepSpec spec = step(2, 2);
  spec.gpus = 4;
  const auto nodes = std::get<std::vector<StepNode>>(of.place(spec));
  EXPECT_EQ(nodes[0].gpus.size(), 3U);
  EXPECT_EQ(nodes[1].gpus.size(), 1U);
  spec.gpus = 6;
  EXPECT_EQ(of.placement(spec),
            "refused: 6 GPUs asked for; the 2 nodes that it may use have 5 GPUs, at most 4 on one; "
            "ask for fewer GPUs, for more nodes, or for a larger allocation");
}

TEST(StepLayout, ARefusalForTooFewGpusNamesTheGpus) {
  StepSpec spec = step(2);
  spec.gpus_per_task = 3;
  EXPECT_EQ(Allocation().node(8, 2, 4).placement(spec),
            "refused: 2 tasks with 3 GPUs each asked for; the 1 node that it may use has 4 GPUs; " +
                less);
  spec = step(2, 2);
  spec.gpus_per_task = 1;
  EXPECT_EQ(Allocation().node(8, 1, 4).node(8, 1).placement(spec),
            "refused: 2 tasks with 1 GPU each on 2 nodes asked for; the 2 nodes that it may use "
            "have 4 GPUs, at most 4 on one; " +
                less);
  EXPECT_EQ(Allocation().node(8, 1).node(8, 1).placement(spec),
            "refused: 2 tasks with 1 GPU each on 2 nodes asked for; the 2 nodes that it may use "
            "have 0 GPUs; " +
                less);
  spec = step(9, 2);
  spec.gpus_per_task = 1;
  EXPECT_EQ(
      Allocation().node(4, 1, 8).node(4, 1, 8).placement(spec),
      "refused: 9 tasks of 1 CPU on 2 nodes asked for; 2 nodes of the allocation take 8; " + less)
      << "there are enough GPUs";
}

TEST(StepLayout, AStepWithoutOptionsHasOneTaskOnEachNode) {
  EXPECT_EQ(Allocation().node(4, 2).node(4, 1).placement(StepSpec{}), "n1:1 n2:1");
}

TEST(StepLayout, OvercommitAllowsMoreTasksThanCpus) {
  const Allocation of = Allocation().node(2, 1).node(1, 1);
  StepSpec spec = step(7, 2);
  EXPECT_EQ(of.placement(spec).substr(0, 8), "refused:");
  spec.overcommit = true;
  EXPECT_EQ(of.placement(spec), "n1:4 n2:3") << "the CPUs first, then in turns";
  const auto nodes = std::get<std::vector<StepNode>>(of.place(spec));
  EXPECT_EQ(nodes[0].cpus, 2) << "a step holds no more CPUs than there are";
  EXPECT_EQ(Allocation().node(1, 1).node(1, 1).busy(0, 1).placement(spec).substr(0, 6), "waits:");
}

TEST(StepLayout, MemoryPerCpuLimitsTheTasks) {
  const Allocation of = Allocation().node(8, 4).node(8, 4);  // 1000 MB each
  StepSpec spec = step(6);
  spec.exact = true;
  spec.memory_mb_per_cpu = 200;
  EXPECT_EQ(of.placement(spec), "n1:5 n2:1");
  EXPECT_EQ(std::get<std::vector<StepNode>>(of.place(spec))[0].memory_mb, 1000);
  spec.cpus_per_task = 2;
  spec.tasks = 5;
  EXPECT_EQ(of.placement(spec),
            "refused: 5 tasks of 2 CPUs asked for; 2 nodes of the allocation take 4; " + less);
}

TEST(StepLayout, RanksFollowTheDistribution) {
  std::vector<StepNode> nodes(3);
  nodes[0].tasks = 3;
  nodes[1].tasks = 1;
  nodes[2].tasks = 2;
  StepSpec spec;
  using Ranks = std::vector<std::vector<std::int32_t>>;
  EXPECT_EQ(ranks_on_nodes(nodes, spec), (Ranks{{0, 1, 2}, {3}, {4, 5}}));
  spec.distribution = Distribution::Cyclic;
  EXPECT_EQ(ranks_on_nodes(nodes, spec), (Ranks{{0, 3, 5}, {1}, {2, 4}}));
  spec.distribution = Distribution::Plane;
  spec.plane = 2;
  EXPECT_EQ(ranks_on_nodes(nodes, spec), (Ranks{{0, 1, 5}, {2}, {3, 4}}));
}

TEST(StepLayout, RepeatedTaskCountsAreShortenedAsInSlurm) {
  EXPECT_EQ(run_lengths_text({4, 4, 2}), "4(x2),2");
  EXPECT_EQ(run_lengths_text({1}), "1");
}

// ---- --distribution=arbitrary -----------------------------------------------------------------

StepSpec listed(const std::vector<std::string>& nodes) {
  StepSpec spec = step(std::ssize(nodes));
  spec.distribution = Distribution::Arbitrary;
  spec.nodelist = nodes;
  return spec;
}

TEST(StepLayout, TasksGoToTheNodesThatAListNames) {
  Allocation all;
  all.node(2, 2).node(2, 2).node(2, 2);
  const StepSpec spec = listed({"n3", "n1", "n3"});
  EXPECT_EQ(all.placement(spec), "n1:1 n3:2");
  const auto placed = all.place(spec);
  const auto ranks = ranks_on_nodes(std::get<std::vector<StepNode>>(placed), spec);
  EXPECT_EQ(ranks, (std::vector<std::vector<std::int32_t>>{{1}, {0, 2}}));
  EXPECT_EQ(all.placement(listed({"n1", "n9"})), "refused: node n9 is not in the allocation");
  EXPECT_EQ(all.placement(listed({"n1", "n1", "n1"})),
            "refused: 3 tasks asked for on node n1, which has room for 2; " + less);
  EXPECT_EQ(all.busy(2, 1).placement(spec), "waits: Requested nodes are busy");
  StepSpec more = listed({"n1", "n2"});
  more.tasks = 3;
  EXPECT_EQ(all.placement(more), "refused: 3 tasks asked for; the list names 2 nodes");
  StepSpec excluded = listed({"n1", "n2"});
  excluded.exclude = {"n2"};
  EXPECT_EQ(all.placement(excluded), "refused: node n2 is excluded");
}

TEST(StepLayout, TasksPlacedByANodeListGetTheGpusTheyAskForOrAreRefused) {
  Allocation all;
  all.node(2, 2, 2).node(2, 2, 1);
  StepSpec spec = listed({"n2", "n1"});
  spec.gpus = 3;
  EXPECT_EQ(all.placement(spec), "n1:1 n2:1");
  spec.gpus = 4;
  EXPECT_TRUE(all.placement(spec).starts_with("refused: 4 GPUs asked for; "))
      << all.placement(spec);
  spec.gpus = -1;
  spec.gpus_per_task = 2;
  EXPECT_TRUE(all.placement(spec).starts_with("refused: ")) << all.placement(spec);
}

TEST(StepLayout, AStepThatAsksForNoGpusGetsNone) {
  StepSpec spec = step(2);
  spec.gpus = 0;
  const auto placed = Allocation().node(4, 2, 2).place(spec);
  EXPECT_TRUE(std::get<std::vector<StepNode>>(placed)[0].gpus.empty());
}

TEST(StepLayout, AStepWaitsForGpusOfOtherStepsUnlessItOverlaps) {
  NodeGrant grant;
  grant.node = "n1";
  grant.cpus = 4;
  grant.ranks = 2;
  grant.gpus = {0, 1};
  const std::vector<StepRoom> rooms{{&grant, 4, 0, {1}}};
  StepSpec spec = step(2);
  spec.gpus = 2;
  EXPECT_TRUE(std::holds_alternative<StepWaits>(place_step(spec, rooms)));
  spec.overlap = true;
  EXPECT_EQ(std::get<std::vector<StepNode>>(place_step(spec, rooms))[0].gpus, grant.gpus);
  spec.overlap = false;
  spec.gpus = 1;
  EXPECT_EQ(std::get<std::vector<StepNode>>(place_step(spec, rooms))[0].gpus,
            std::vector<std::int32_t>{1});
}

}  // namespace
}  // namespace cox
