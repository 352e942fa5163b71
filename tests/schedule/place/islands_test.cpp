// Tests islands (GPUs of a node that are joined, for example by NVLink): which GPUs a job gets, on
// which node, and which jobs wait for joined GPUs.
#include <gtest/gtest.h>

#include "schedule/engine/engine.h"
#include "schedule/explain/why_never_fits.h"
#include "schedule/model/nodes.h"
#include "schedule/top/snapshot.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

const std::string quads = "node n1 cpus=64 gpus=h100:8 islands=4,4\n";
const std::string pairs = "node n1 cpus=64 gpus=a40:8 islands=2,2,2,2\n";
const std::string cards = "node n1 cpus=64 gpus=rtx4090:4 islands=1,1,1,1\n";

std::string detail_of(const std::string& world) {
  return waiting_of(make_plan(world_from(world), at_start), 9).detail;
}

std::vector<std::string> lines_of(const std::string& world) {
  return waiting_of(make_plan(world_from(world), at_start), 9).lines;
}

std::string why_impossible(const std::string& nodes, const std::string& wants) {
  const SchedulerInput world = world_from(nodes + wants);
  return impossible(Nodes(world.nodes), *world.pending.front().request).value_or("");
}

}  // namespace

TEST(Islands, the_island_with_the_least_free_gpus_that_fits_is_used) {
  EXPECT_EQ(plan_for(quads + "runs 1 on n1:1:0+1\nwants 9 gpus=2"), "9 starts on n1:1:2+3\n");
  EXPECT_EQ(plan_for(quads + "runs 1 on n1:1:0+1\nwants 9 gpus=3"), "9 starts on n1:1:4+5+6\n");
  EXPECT_EQ(plan_for(quads + "runs 1 on n1:1:4\nwants 9 gpus=1"), "9 starts on n1:1:5\n");
}

TEST(Islands, of_equal_islands_a_partly_used_one_is_used) {
  EXPECT_EQ(plan_for("node n1 cpus=64 gpus=h100:6 islands=2,4\nruns 1 on n1:1:2+3\n"
                     "wants 9 gpus=1"),
            "9 starts on n1:1:4\n");
}

TEST(Islands, as_few_islands_as_possible_are_used_if_none_fits) {
  EXPECT_EQ(plan_for(quads + "runs 1 on n1:1:0+5\nwants 9 gpus=6"),
            "9 starts on n1:1:1+2+3+4+6+7\n");
  EXPECT_EQ(plan_for(pairs + "runs 1 on n1:1:0\nwants 9 gpus=3"), "9 starts on n1:1:1+2+3\n");
  EXPECT_EQ(plan_for(pairs + "runs 1 on n1:1:0+3\nwants 9 gpus=4"), "9 starts on n1:1:4+5+6+7\n");
  EXPECT_EQ(plan_for(cards + "runs 1 on n1:1:1\nwants 9 gpus=3"), "9 starts on n1:1:0+2+3\n");
}

TEST(Islands, without_known_islands_the_lowest_gpus_are_used) {
  EXPECT_EQ(plan_for("node n1 cpus=64 gpus=h100:8\nruns 1 on n1:1:0+5\nwants 9 gpus=4"),
            "9 starts on n1:1:1+2+3+4\n");
  EXPECT_EQ(plan_for("node n1 cpus=64 gpus=h100:8 islands=8\nruns 1 on n1:1:0\nwants 9 gpus=4"),
            "9 starts on n1:1:1+2+3+4\n");
}

TEST(Islands, only_gpus_of_the_requested_type_count) {
  EXPECT_EQ(plan_for("node n1 cpus=64 gpus=a40:2,h100:6 islands=4,4\nwants 9 gpus=3 type=h100"),
            "9 starts on n1:1:4+5+6\n");
  EXPECT_EQ(plan_for("node n1 cpus=64 gpus=a40:2,h100:6 islands=4,4\nwants 9 gpus=2 type=h100"),
            "9 starts on n1:1:2+3\n");
}

TEST(Islands, a_gpu_fraction_goes_to_a_partly_used_island) {
  EXPECT_EQ(plan_for(quads + "runs 1 on n1:1:5\nwants 9 gpus=1 milli=250"), "9 starts on n1:1:4\n");
  EXPECT_EQ(plan_for(quads + "runs 1 on n1:1:5\nruns 2 on n1:1:1 milli=250\n"
                             "wants 9 gpus=1 milli=250"),
            "9 starts on n1:1:1\n");
}

TEST(Islands, of_equal_nodes_one_where_the_gpus_fit_in_an_island_is_preferred) {
  const std::string two = "node n1,n2 cpus=64 gpus=h100:4 islands=2,2\n";
  EXPECT_EQ(plan_for(two + "runs 1 on n1:1:0+2\nruns 2 on n2:1:0+1\nwants 9 gpus=2"),
            "9 starts on n2:1:2+3\n");
  Settings settings;
  settings.placement = PlacementPolicy::BestFit;
  EXPECT_EQ(plan_for(two + "runs 1 on n1:1:0+2\nruns 2 on n2:1:0\nwants 9 gpus=2", settings),
            "9 starts on n2:1:2+3\n");
  EXPECT_EQ(plan_for("node n1 cpus=64 gpus=h100:4 islands=1,1,1,1\n"
                     "node n2 cpus=64 gpus=h100:8 islands=8\nwants 9 gpus=4",
                     settings),
            "9 starts on n2:1:0+1+2+3\n");
}

TEST(Islands, a_node_whose_unused_islands_stay_unused_is_preferred) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=64 gpus=h100:8 islands=4,4\nruns 1 on n1:1:0+1+2+3\n"
                     "runs 2 on n2:1:0+1+4+5\nwants 9 gpus=2"),
            "9 starts on n2:1:2+3\n");
}

TEST(Islands, a_job_that_requires_joined_gpus_waits_for_an_island) {
  const std::string busy = pairs + "runs 1 on n1:1:0 firm\nruns 2 on n1:1:2 firm ends=60\n" +
                           "runs 3 on n1:1:4+6 firm\n";
  EXPECT_EQ(plan_for(busy + "wants 9 gpus=2"), "9 starts on n1:1:1+3\n");
  EXPECT_EQ(plan_for(busy + "wants 9 gpus=2 joined limit=60"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for(pairs + "wants 9 gpus=2 joined"), "9 starts on n1:1:0+1\n");
  EXPECT_EQ(plan_for(pairs + "runs 1 on n1:1:0+2+4\nwants 9 gpus=2 joined"),
            "9 starts on n1:1:6+7\n");
}

TEST(Islands, a_gang_gets_an_island_on_each_of_its_nodes) {
  const std::string three = "node n1,n2,n3 cpus=64 gpus=h100:4 islands=2,2\n";
  EXPECT_EQ(plan_for(three + "runs 1 on n2:1:0+2\nwants 9 nodes=2 gpus=2 joined"),
            "9 starts on n1:1:0+1 n3:1:0+1\n");
  EXPECT_EQ(plan_for(three + "runs 1 on n2:1:0+2\nwants 9 nodes=3 gpus=2 joined"),
            "9 waits: Resources\n");
}

TEST(Islands, the_victims_free_a_whole_island) {
  EXPECT_EQ(plan_for(pairs + "runs 1 on n1:1:0 loss=9\nruns 2 on n1:1:2 loss=9\n" +
                     "runs 3 on n1:1:4 loss=5\nruns 4 on n1:1:6+7 loss=90\n" +
                     "wants 9 gpus=2 joined tier=2"),
            "3 preempted by 9\n9 waits: Resources\n");
}

TEST(Islands, an_exclusive_job_has_all_gpus_so_all_must_be_joined) {
  EXPECT_EQ(plan_for(quads + "wants 9 gpus=2 joined exclusive"), "9 waits: ReqNodeNotAvail\n");
  EXPECT_EQ(plan_for("node n1 cpus=4 gpus=h100:2 islands=2\nwants 9 gpus=2 joined exclusive"),
            "9 starts on n1:1:0+1\n");
  EXPECT_EQ(why_impossible(quads, "wants 9 gpus=2 joined exclusive"),
            "asks for 2 GPUs joined by NVLink on a node of its own; no node of the cluster has "
            "that many, all joined; leave out --exclusive or --topology");
}

TEST(Islands, one_gpu_or_a_fraction_is_always_joined) {
  EXPECT_EQ(plan_for(cards + "wants 9 gpus=1 joined"), "9 starts on n1:1:0\n");
  EXPECT_EQ(plan_for(cards + "wants 9 gpus=1 milli=250 joined exclusive"),
            "9 starts on n1:1:0+1+2+3\n");
}

TEST(Islands, a_request_that_no_island_could_hold_is_impossible) {
  EXPECT_EQ(why_impossible(pairs, "wants 9 gpus=4 joined"),
            "asks for 4 GPUs joined by NVLink on a node; the largest island in the cluster has 2; "
            "ask for fewer per node, or leave out --topology");
  EXPECT_EQ(why_impossible(pairs, "wants 9 gpus=2 joined"), "");
  EXPECT_EQ(why_impossible("node n1 gpus=h100:8\n", "wants 9 gpus=8 joined"), "");
  EXPECT_EQ(
      why_impossible(pairs + "node n2 gpus=h100:8 islands=8\n", "wants 9 nodes=2 gpus=4 joined"),
      "asks for 2 nodes with 1 CPU and 4 GPUs joined by NVLink each; the cluster has 2 "
      "nodes, of which 1 is large enough for at least one task; ask for fewer nodes or less per "
      "node");
}

TEST(Islands, the_explanation_shows_the_largest_free_island) {
  const std::string world = quads + "node n2 cpus=64 gpus=h100:8 islands=2,2,2,2\n" +
                            "runs 1 on n1:1:0+1+4+5 firm\nwants 9 gpus=4 joined\n";
  EXPECT_EQ(
      detail_of(world),
      "needs 1 node with 1 CPU and 4 GPUs joined by NVLink: 1 node qualifies, none has room now "
      "(busy: n1 by job 1 (4 of 8 GPUs)); the largest free island of joined GPUs has 2; its start "
      "is unknown: jobs there have no time limit, so nothing is reserved for it");
  const auto lines = lines_of(world);
  const auto has = [&lines](const std::string& line) {
    return std::ranges::find(lines, line) != lines.end();
  };
  EXPECT_TRUE(has("4 GPUs joined by NVLink rules out 1 of 2 nodes"))
      << testing::PrintToString(lines);
  EXPECT_TRUE(has("without --topology, on n1 it would start now")) << testing::PrintToString(lines);
  EXPECT_TRUE(
      has("1 node with 64 CPUs, 1000 MB, 8 h100 GPUs in 2 islands: none has room now, 1 busy"))
      << testing::PrintToString(lines);
}

TEST(Islands, a_snapshot_contains_the_islands) {
  const SchedulerInput world = world_from(quads + "wants 9 gpus=2 joined");
  Input input;
  input.world = world;
  const auto read = input_from(text_of(input));
  ASSERT_TRUE(read.ok()) << read.refusal().fact;
  EXPECT_EQ(read->world.nodes.front().total, world.nodes.front().total);
  EXPECT_TRUE(read->world.pending.front().request->joined_gpus);
}

}  // namespace cox::schedule
