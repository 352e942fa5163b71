// Tests --mincpus, the number of CPUs that a job gets at least on every node.
#include "common/syntax/min_cpus.h"

#include <gtest/gtest.h>

#include "schedule/explain/why_never_fits.h"
#include "schedule/model/nodes.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

std::string why_it_waits(const std::string& world, std::int64_t job) {
  const Plan plan = make_plan(world_from(world), at_start);
  const PendingExplanation& waiting = waiting_of(plan, job);
  std::string text = waiting.detail + "\n";
  for (const std::string& line : waiting.lines) text += "- " + line + "\n";
  return text;
}

}  // namespace

TEST(MinCpus, raise_the_cpus_of_each_task) {
  EXPECT_EQ(cpus_per_task_with(0, 1, 4, 2), 1);
  EXPECT_EQ(cpus_per_task_with(3, 1, 1, 1), 3);
  EXPECT_EQ(cpus_per_task_with(3, 4, 1, 1), 4) << "each task has as many CPUs already";
  EXPECT_EQ(cpus_per_task_with(5, 1, 4, 2), 3) << "two tasks on each node";
  EXPECT_EQ(cpus_per_task_with(4, 1, 5, 2), 2) << "one node has only two tasks";
}

TEST(MinCpus, are_given_on_each_node) {
  const std::string nodes = "node n1,n2 cpus=4\nnode n3 cpus=8\n";
  EXPECT_EQ(plan_for(nodes + "wants 9 mincpus=6"), "9 starts on n3:1\n");
  EXPECT_EQ(plan_for(nodes + "runs 1 on n3:4\nwants 9 mincpus=6"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for(nodes + "wants 9 nodes=2 mincpus=4\nwants 10 nodes=2 list=n1"),
            "9 starts on n1:1 n2:1\n10 waits: Resources\n");
}

TEST(MinCpus, leave_the_tasks_spread_evenly) {
  const std::string busy = "node n1,n2 cpus=8\nruns 1 on n2:6\n";
  EXPECT_EQ(plan_for(busy + "wants 9 nodes=2 tasks=5"), "9 starts on n1:3 n2:2\n");
  EXPECT_EQ(plan_for(busy + "wants 9 nodes=2 tasks=5 mincpus=2"), "9 waits: Resources\n")
      << "a node may get three tasks";
  EXPECT_EQ(plan_for("node n1,n2 cpus=8\nwants 9 nodes=2 tasks=5 mincpus=4"),
            "9 starts on n1:3 n2:2\n");
}

TEST(MinCpus, are_shown_in_explanations) {
  const std::string text =
      why_it_waits("node n1 cpus=4\nnode n2 cpus=8\nruns 1 on n2:4 firm\nwants 9 mincpus=6", 9);
  EXPECT_TRUE(has(text, "needs 1 node with 6 CPUs: 1 node qualifies, none has room now")) << text;
  EXPECT_TRUE(has(text, "\n- at least 6 CPUs a node rules out 1 of 2 nodes\n")) << text;
  EXPECT_TRUE(has(text, "\n- with --cpus-per-task=4 --mincpus=4 it would start now\n")) << text;
}

TEST(MinCpus, beyond_the_largest_node_are_refused) {
  const SchedulerInput world = world_from("node n1,n2 cpus=4\nwants 9 mincpus=6");
  EXPECT_EQ(impossible(Nodes(world.nodes), *world.pending.at(0).request).value_or("possible"),
            "asks for at least 6 CPUs on a node (--mincpus); the largest in the cluster has 4; ask "
            "for fewer");
}

}  // namespace cox::schedule
