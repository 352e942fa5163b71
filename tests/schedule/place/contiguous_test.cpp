// Tests --contiguous: which consecutive nodes a gang gets, and the explanations.
#include "schedule/place/contiguous.h"

#include <gtest/gtest.h>

#include "schedule/engine/engine.h"
#include "schedule/explain/why_never_fits.h"
#include "schedule/model/nodes.h"
#include "schedule/top/snapshot_check.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

const std::string six = "node n1,n2,n3,n4,n5,n6 cpus=4\n";

std::string plan_in_tree(const std::string& rest) {
  Settings settings;
  settings.topology_levels = {"leaf", "spine"};
  return plan_for(
      "node a1,a2,a3 in=s1/l1\nnode b1,b2,b3 in=s1/l2\nnode c1,c2,c3 in=s2/l3\nnode z1,z2\n" + rest,
      settings);
}

std::string why(const std::string& world, std::int64_t job) {
  const Plan plan = make_plan(world_from(world), at_start);
  const PendingExplanation& waiting = waiting_of(plan, job);
  std::string text = waiting.detail + "\n";
  for (const std::string& line : waiting.lines) text += "- " + line + "\n";
  return text;
}

}  // namespace

TEST(Contiguous, a_gang_gets_nodes_without_a_gap) {
  const std::string busy = six + "runs 1 on n2:4 n5:4\n";
  EXPECT_EQ(plan_for(busy + "wants 9 nodes=2"), "9 starts on n1:1 n3:1\n");
  EXPECT_EQ(plan_for(busy + "wants 9 nodes=2 contiguous"), "9 starts on n3:1 n4:1\n");
  EXPECT_EQ(plan_for(busy + "wants 9 nodes=3"), "9 starts on n1:1 n3:1 n4:1\n");
  EXPECT_EQ(plan_for(busy + "wants 9 nodes=3 contiguous"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for(busy + "wants 9 contiguous"), "9 starts on n1:1\n")
      << "one node needs no neighbours";
}

TEST(Contiguous, the_shortest_run_of_nodes_that_holds_a_gang_is_taken) {
  EXPECT_EQ(plan_for(six + "runs 1 on n4:4\nwants 9 nodes=2 contiguous"),
            "9 starts on n5:1 n6:1\n");
  EXPECT_EQ(plan_for(six + "wants 9 nodes=2 contiguous"), "9 starts on n1:1 n2:1\n");
}

TEST(Contiguous, nodes_are_ordered_by_the_number_in_their_name) {
  EXPECT_EQ(plan_for("node n2,n9,n10,n1\nruns 1 on n2:4\nwants 9 nodes=2 contiguous"),
            "9 starts on n9:1 n10:1\n");
}

TEST(Contiguous, nodes_of_other_partitions_leave_a_gap) {
  EXPECT_EQ(plan_for(six + "wants 9 nodes=2 contiguous partition=n1,n3,n5,n6"),
            "9 starts on n5:1 n6:1\n");
  EXPECT_EQ(plan_for(six + "wants 9 nodes=2 contiguous but=n2,n4,n6"),
            "9 waits: ReqNodeNotAvail\n");
}

TEST(Contiguous, tasks_are_spread_evenly_over_the_nodes) {
  const std::string busy = six + "runs 1 on n1:3 n2:1\n";
  EXPECT_EQ(plan_for(busy + "wants 9 nodes=2 tasks=6 contiguous"), "9 starts on n2:3 n3:3\n");
  EXPECT_EQ(plan_for(busy + "wants 9 nodes=5 tasks=13 contiguous"),
            "9 starts on n2:3 n3:3 n4:3 n5:2 n6:2\n");
}

TEST(Contiguous, the_run_contains_the_named_nodes) {
  EXPECT_EQ(plan_for(six + "wants 9 nodes=2 list=n4 contiguous"), "9 starts on n3:1 n4:1\n");
  EXPECT_EQ(plan_for(six + "wants 9 nodes=2 list=n4,n6 contiguous"), "9 waits: ReqNodeNotAvail\n");
  EXPECT_EQ(plan_for(six + "wants 9 nodes=3 list=n4,n6 contiguous"),
            "9 starts on n4:1 n5:1 n6:1\n");
}

TEST(Contiguous, the_run_has_the_counted_features) {
  const std::string nodes = "node n1 features=a\nnode n2\nnode n3 features=b\nnode n4 features=a\n";
  EXPECT_EQ(plan_for(nodes + "wants 9 nodes=2 feature=[a*1&b*1]"), "9 starts on n1:1 n3:1\n");
  EXPECT_EQ(plan_for(nodes + "wants 9 nodes=2 feature=[a*1&b*1] contiguous"),
            "9 starts on n3:1 n4:1\n");
}

TEST(Contiguous, the_run_follows_the_topology_through_few_leaves) {
  EXPECT_EQ(plan_in_tree("runs 1 on a1:4\nwants 9 nodes=3 contiguous"),
            "9 starts on b1:1 b2:1 b3:1\n");
  EXPECT_EQ(plan_in_tree("wants 9 nodes=4 contiguous"), "9 starts on a1:1 a2:1 a3:1 b1:1\n");
  EXPECT_EQ(plan_in_tree("runs 1 on a1:4 a2:4\nwants 9 nodes=4 contiguous level=spine"),
            "9 starts on a3:1 b1:1 b2:1 b3:1\n");
  EXPECT_EQ(plan_in_tree("runs 1 on a1:4 a2:4 a3:4\nwants 9 nodes=4 contiguous level=spine"),
            "9 waits: Resources\n");
  EXPECT_EQ(plan_in_tree("runs 1 on a3:4 b3:4\nwants 9 nodes=4 contiguous switches=2"),
            "9 waits: Resources\n");
  EXPECT_EQ(plan_in_tree("runs 1 on a3:4 b3:4\nwants 9 nodes=4 contiguous"),
            "9 starts on c1:1 c2:1 c3:1 z1:1\n");
}

TEST(Contiguous, an_elastic_gang_grows_along_its_run) {
  EXPECT_EQ(plan_for(six + "runs 1 on n3:4\nwants 9 nodes=1 most=4 contiguous"),
            "9 starts on n4:1 n5:1 n6:1\n");
}

TEST(Contiguous, victims_free_a_run_of_nodes) {
  const std::string busy = six +
                           "runs 1 on n2:4 loss=1 ends=900\nruns 2 on n3:4 loss=9 ends=900\n"
                           "runs 3 on n5:4 loss=1 ends=900\n";
  EXPECT_EQ(plan_for(busy + "wants 9 nodes=3 tier=2 contiguous"),
            "3 preempted by 9\n9 waits: Resources\n");
}

TEST(Contiguous, a_reservation_has_a_run_of_nodes) {
  const Plan plan = make_plan(world_from(six + "runs 1 on n2:4 ends=60\nruns 2 on n4:4 ends=300\n"
                                               "wants 9 nodes=3 limit=60 contiguous"),
                              at_start);
  const PendingExplanation& waiting = waiting_of(plan, 9);
  ASSERT_TRUE(waiting.expected_start.has_value());
  EXPECT_EQ(*waiting.expected_start, start_of_time + std::chrono::seconds{60});
  EXPECT_EQ(waiting.nodes, (std::vector<std::string>{"n1", "n2", "n3"}));
}

TEST(Contiguous, the_explanation_shows_the_length_of_the_longest_run) {
  const std::string text = why(six + "runs 1 on n2:4 n5:4 firm\nwants 9 nodes=3 contiguous", 9);
  EXPECT_TRUE(has(
      text, "needs 3 nodes with 1 CPU each, next to one another: 6 nodes qualify, 4 have room now"))
      << text;
  EXPECT_TRUE(has(text, "; at most 2 of these are next to one another")) << text;
  EXPECT_TRUE(has(text, "\n- --contiguous rules out 4 of 4 nodes\n")) << text;
  EXPECT_TRUE(has(text, "\n- without --contiguous, on n[1,3-4] it would start now\n")) << text;
}

TEST(Contiguous, a_run_longer_than_any_of_the_cluster_is_refused) {
  const SchedulerInput world = world_from(six + "wants 9 nodes=3 contiguous but=n2,n5");
  EXPECT_EQ(impossible(Nodes(world.nodes), *world.pending.at(0).request).value_or("possible"),
            "asks for 3 nodes with 1 CPU each, next to one another; at most 2 of the qualifying "
            "nodes are next to one another; ask for fewer nodes, or leave out --contiguous");
}

TEST(Contiguous, a_run_that_cannot_contain_the_named_nodes_is_refused) {
  const SchedulerInput world = world_from(six + "wants 9 nodes=2 contiguous list=n2,n5");
  EXPECT_EQ(impossible(Nodes(world.nodes), *world.pending.at(0).request).value_or("possible"),
            "asks for 2 nodes with 1 CPU each, next to one another, by name n2,n5; no 2 nodes next "
            "to one another have all of that; ask for fewer nodes, or leave out --contiguous");
}

TEST(Contiguous, a_snapshot_is_refused_if_a_component_of_a_job_asks_for_contiguous_nodes) {
  Request one;
  one.contiguous = true;
  Request both;
  both.components = {one, Request{}};
  EXPECT_ANY_THROW(check_request(both));
}

TEST(Contiguous, the_lengths_of_runs_of_adjacent_nodes_are_counted) {
  const std::vector<NodeAt> at{1, 2, 4, 7, 8, 9};
  EXPECT_EQ(longest_run(at), 3);
  EXPECT_EQ(longest_run({}), 0);
  EXPECT_EQ(run_around(at, 2), 2);
  EXPECT_EQ(run_around(at, 4), 1);
  EXPECT_EQ(run_around(at, 8), 3);
  EXPECT_EQ(run_around(at, 3), 0);
}

}  // namespace cox::schedule
