// Tests the scheduler's table of nodes: an update that changes only availability, and what a whole
// node has.
#include "schedule/model/nodes.h"

#include <gtest/gtest.h>

#include <functional>

#include "schedule/model/whole_node.h"
#include "schedule/place/alternatives.h"
#include "schedule/place/matcher.h"
#include "schedule/queue/quota.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

std::vector<SchedulerNode> two_nodes() {
  return world_from(
             "node n1 cpus=4 gpus=h100:2 features=fast in=leaf1 weight=2\n"
             "node n2 cpus=8")
      .nodes;
}

Request whole_nodes_of(const std::string& partition) {
  Request request;
  request.exclusive = true;
  request.partition_nodes = {partition};
  return request;
}

Nodes three_unlike_nodes() {
  return Nodes(world_from("node n1 cpus=8 mem=100 gpus=h100:4,a100:1\n"
                          "node n2 cpus=4 mem=200 gpus=l40:2,h100:1\n"
                          "node n3 cpus=2 mem=300")
                   .nodes,
               {});
}

std::int64_t of_type(const WholeNode& whole, const std::string& type) {
  return *whole.amount({Tres::GpuMilli, "", type, 0});
}

}  // namespace

TEST(Nodes, accept_an_update_that_changes_only_availability) {
  Nodes nodes(two_nodes(), {});
  std::vector<SchedulerNode> changed = two_nodes();
  std::swap(changed[0], changed[1]);
  changed[1].available = false;
  changed[1].unavailable_why = "drained: bad fan";
  ASSERT_TRUE(nodes.take_availability(changed));
  const SchedulerNode& first = *nodes[*nodes.find("n1")].node;
  EXPECT_FALSE(first.available);
  EXPECT_EQ(first.unavailable_why, "drained: bad fan");
  EXPECT_TRUE(nodes[*nodes.find("n2")].node->available);
}

// Each of these changes affects which jobs may use the nodes, so an update of the availability is
// not enough and is refused.
TEST(Nodes, refuse_an_update_of_availability_if_anything_else_changed) {
  const std::vector<std::function<void(std::vector<SchedulerNode>&)>> changes = {
      [](auto& all) { all[0].total.cpus = 5; },
      [](auto& all) { all[0].total.gpus.pop_back(); },
      [](auto& all) { all[0].features = {"slow"}; },
      [](auto& all) { all[0].domains = {"leaf2"}; },
      [](auto& all) { all[0].weight = 3; },
      [](auto& all) { all[0].name = "n3"; },
      [](auto& all) { all.pop_back(); },
      [](auto& all) { all.push_back(all[0]); },
      [](auto& all) { all[1].weight = 3; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Nodes nodes(two_nodes(), {});
    std::vector<SchedulerNode> changed = two_nodes();
    changed[0].available = changed[1].available = false;
    changes[i](changed);
    EXPECT_FALSE(nodes.take_availability(changed)) << "change " << i;
    EXPECT_TRUE(nodes[*nodes.find("n1")].node->available) << "change " << i;
  }
}

TEST(WholeNode, has_the_least_of_each_resource_over_all_alternatives) {
  const Nodes nodes = three_unlike_nodes();
  const Shared<Request> chain = chained({whole_nodes_of("n1"), whole_nodes_of("n2")});
  const auto whole = whole_node_of(nodes, *chain);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->cpus, 4);
  EXPECT_EQ(whole->memory_mb, 100);
  EXPECT_EQ(whole->gpus, 3);
  EXPECT_EQ(whole->gpus_of_type, (std::map<std::string, std::int64_t>{{"a100", 0}, {"h100", 1}}))
      << "the second node has no a100, and the first no l40";
}

TEST(WholeNode, ignores_alternatives_that_no_node_can_serve) {
  const Nodes nodes = three_unlike_nodes();
  Request never = whole_nodes_of("n3");
  never.gpus_per_node = 1;
  for (const auto& order :
       {std::vector{never, whole_nodes_of("n1")}, std::vector{whole_nodes_of("n1"), never}}) {
    const auto whole = whole_node_of(nodes, *chained(order));
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->cpus, 8);
    EXPECT_EQ(whole->gpus, 5);
  }
  EXPECT_FALSE(whole_node_of(nodes, never));
}

TEST(WholeNode, is_none_if_one_alternative_shares_its_nodes) {
  const Nodes nodes = three_unlike_nodes();
  Request shares = whole_nodes_of("n2");
  shares.exclusive = false;
  EXPECT_FALSE(whole_node_of(nodes, shares));
  EXPECT_FALSE(whole_node_of(nodes, *chained({whole_nodes_of("n1"), shares})));
  EXPECT_FALSE(whole_node_of(nodes, *chained({shares, whole_nodes_of("n1")})));
}

TEST(WholeNode, has_cpus_memory_and_gpus_but_no_other_resource) {
  const Nodes nodes = three_unlike_nodes();
  const auto whole = whole_node_of(nodes, whole_nodes_of("n1"));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->amount({Tres::Cpus, "", "", 0}), 8);
  EXPECT_EQ(whole->amount({Tres::MemoryMb, "", "", 0}), 100);
  EXPECT_EQ(whole->amount({Tres::GpuMilli, "", "", 0}), 5 * gpu_whole);
  EXPECT_EQ(of_type(*whole, "h100"), 4 * gpu_whole);
  EXPECT_EQ(of_type(*whole, "l40"), 0);
  for (const Tres what : {Tres::Jobs, Tres::Nodes, Tres::Gres, Tres::Licences})
    EXPECT_FALSE(whole->amount({what, "", "", 0})) << static_cast<int>(what);
}

TEST(WholeNode, of_a_placement_is_its_largest_node_or_largest_grant) {
  const Nodes nodes = three_unlike_nodes();
  NodeGrant known;
  known.node = "n2";
  known.cpus = 1;
  NodeGrant gone;
  gone.node = "n9";
  gone.cpus = 5;
  gone.memory_mb = 250;
  gone.gpus = {0, 1, 2, 3};
  const WholeNode of_known = largest_of(nodes, Placement{known});
  EXPECT_EQ(of_known.cpus, 4);
  EXPECT_EQ(of_known.memory_mb, 200);
  EXPECT_EQ(of_known.gpus, 3);
  const WholeNode of_both = largest_of(nodes, Placement{known, gone});
  EXPECT_EQ(of_both.cpus, 5);
  EXPECT_EQ(of_both.memory_mb, 250);
  EXPECT_EQ(of_both.gpus, 4);
}

TEST(Nodes, add_up_each_resource_of_all_and_of_available_nodes) {
  const Nodes nodes(
      world_from("node n1 cpus=8 mem=100 gpus=h100:4,a100:1 gres=fpga:u280:2,fpga:u50:1\n"
                 "node n2 cpus=4 mem=200 gpus=h100:1 gres=disk:7 down")
          .nodes,
      {});
  const auto both = [&](const TresCount& what) {
    return std::pair(there_is_of(nodes, what), available_of(nodes, what));
  };
  EXPECT_EQ(both({Tres::Nodes, "", "", 0}), std::pair(2L, 1L));
  EXPECT_EQ(both({Tres::Cpus, "", "", 0}), std::pair(12L, 8L));
  EXPECT_EQ(both({Tres::MemoryMb, "", "", 0}), std::pair(300L, 100L));
  EXPECT_EQ(both({Tres::GpuMilli, "", "", 0}), std::pair(6'000L, 5'000L));
  EXPECT_EQ(both({Tres::GpuMilli, "", "h100", 0}), std::pair(5'000L, 4'000L));
  EXPECT_EQ(both({Tres::Gres, "fpga", "", 0}), std::pair(3L, 3L));
  EXPECT_EQ(both({Tres::Gres, "fpga", "u50", 0}), std::pair(1L, 1L));
  EXPECT_EQ(both({Tres::Gres, "disk", "u50", 0}), std::pair(0L, 0L));
  EXPECT_EQ(both({Tres::Gres, "disk", "", 0}), std::pair(7L, 0L));
}

}  // namespace cox::schedule
