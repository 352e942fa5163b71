// Tests heterogeneous gangs, whose components differ: they start together, each on nodes of its
// own.
#include "schedule/place/components.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "schedule/explain/why_never_fits.h"
#include "schedule/place/matcher.h"
#include "schedule/place/place.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {

TEST(Components, start_together_each_on_nodes_of_its_own) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=8\n"
                     "node n3 cpus=8 gpus=h100:4\n"
                     "wants 1 tasks=2\n"
                     "also gpus=4 cpus=2"),
            "1 starts on n1:2 n3:1:0+1+2+3\n");
}

TEST(Components, number_their_ranks_one_component_after_the_other) {
  const SchedulerInput world = world_from(
      "node n1 cpus=8 gpus=h100:4\nnode n2,n3 cpus=8\n"
      "wants 1 nodes=2 tasks=4\n"
      "also gpus=1 tasks=3");
  const Plan plan = make_plan(world, at_start);
  verify(world, plan);
  const Placement& placement = plan.starts.at(0).placement;
  ASSERT_EQ(placement.size(), 3u);
  EXPECT_EQ(placement[0].node, "n2");
  EXPECT_EQ(placement[2].node, "n1");
  EXPECT_EQ(placement[2].component, 1);
  EXPECT_EQ(placement[2].first_rank, 4);
}

TEST(Components, wait_until_all_of_them_have_room) {
  const std::string nodes = "node n1,n2 cpus=4\nnode n3 cpus=4 gpus=h100:2\n";
  EXPECT_EQ(plan_for(nodes + "runs 9 on n3:1:0\n"
                             "wants 1 nodes=2\n"
                             "also gpus=2"),
            "1 waits: Resources\n");
}

TEST(Components, a_component_leaves_the_only_suitable_nodes_to_the_other) {
  // If the first component were placed by itself, it would take n1, which is smaller but the only
  // node for the second.
  EXPECT_EQ(plan_for("node n1 cpus=2 features=fast\nnode n2 cpus=8\n"
                     "wants 1 tasks=2\n"
                     "also tasks=1 feature=fast\n"),
            "1 starts on n2:2 n1:1\n");
  EXPECT_EQ(plan_for("node n1 cpus=2\nnode n2 cpus=8\n"
                     "wants 1 tasks=2\n"
                     "also tasks=2 list=n1\n"),
            "1 starts on n2:2 n1:2\n");
}

TEST(Components, preempt_only_if_all_of_them_can_start) {
  EXPECT_EQ(plan_for("node n1 cpus=4\nnode n2 cpus=4 gpus=h100:2\n"
                     "runs 8 on n1:4 tier=1\n"
                     "runs 9 on n2:4:0+1 tier=1\n"
                     "wants 1 tasks=4 tier=2\n"
                     "also gpus=2 tier=2"),
            "8 preempted by 1\n9 preempted by 1\n1 waits: Resources\n");
  // Job 8 could be preempted for the first component, but the second could still not start.
  EXPECT_EQ(plan_for("node n1 cpus=4\nnode n2 cpus=4 gpus=h100:2\n"
                     "runs 8 on n1:4 tier=1\n"
                     "runs 9 on n2:4:0+1 tier=1 firm\n"
                     "wants 1 tasks=4 tier=2\n"
                     "also gpus=2 tier=2"),
            "1 waits: Resources\n");
}

TEST(Components, avoid_nodes_only_if_there_are_enough_others_for_all_of_them) {
  // Each component would fit on n1, but both together also need n2, which they should avoid.
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "wants 1 avoid=n2\n"
                     "also avoid=n2"),
            "1 starts on n1:1 n2:1\n");
}

TEST(Components, count_together_against_a_limit) {
  const std::string nodes = "node n1,n2,n3 cpus=4\n";
  // The limit holds the job. It has no pending reason of its own here, so the reason is Resources.
  EXPECT_EQ(plan_for(nodes + "wants 1 tasks=3 limits=cpus:6\nalso nodes=2 tasks=4"),
            "1 waits: Resources\n");
  EXPECT_EQ(plan_for(nodes + "wants 1 tasks=2 limits=cpus:6\nalso nodes=2 tasks=4"),
            "1 starts on n3:2 n1:2 n2:2\n");
}

TEST(Components, are_refused_if_one_or_all_of_them_can_never_start) {
  const auto why = [](const std::string& text) {
    const SchedulerInput world = world_from(text);
    const Nodes nodes(world.nodes);
    return impossible(nodes, *world.pending.at(0).request).value_or("");
  };
  const std::string nodes = "node n1,n2 cpus=4\n";
  EXPECT_EQ(why(nodes + "wants 1\nalso tasks=4"), "");
  EXPECT_EQ(why(nodes + "wants 1\nalso gpus=2").substr(0, 34),
            "component 1 asks for 2 GPUs on a n");
  EXPECT_NE(why(nodes + "wants 1 nodes=2\nalso nodes=1").find("not all of them together"),
            std::string::npos);
}

namespace {

// Returns whether all components fit. Tries every assignment of nodes to components.
bool brute_fits(const ResolvedRequest& need, const Room& room) {
  std::vector<std::int64_t> missing;
  for (const ResolvedRequest& one : need.components) missing.push_back(one.nodes);
  const std::function<bool(NodeAt)> from = [&](NodeAt at) {
    if (std::ranges::all_of(missing, [](std::int64_t count) { return count == 0; })) return true;
    if (at == room.size()) return false;
    for (std::size_t i = 0; i < missing.size(); ++i) {
      const ResolvedRequest& one = need.components[i];
      if (missing[i] == 0 || tasks_that_fit(one, room, at) < one.tasks_even()) continue;
      --missing[i];
      const bool fits = from(at + 1);
      ++missing[i];
      if (fits) return true;
    }
    return from(at + 1);
  };
  return from(0);
}

}  // namespace

TEST(Components, are_placed_whenever_they_fit) {
  constexpr std::uint64_t seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 dice(seed);
  const auto from = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(most - least + 1));
  };
  std::int64_t placed = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::vector<SchedulerNode> world(static_cast<std::size_t>(from(2, 6)));
    for (std::size_t i = 0; i < world.size(); ++i) {
      world[i].name = "n" + std::to_string(i + 1);
      world[i].total.cpus = from(1, 4);
      for (std::int32_t gpu = 0; gpu < from(0, 2); ++gpu)
        world[i].total.gpus.push_back({gpu, "", ""});
    }
    std::vector<Request> components(static_cast<std::size_t>(from(2, 3)));
    for (Request& one : components) {
      one.nodes = from(1, 2);
      one.tasks = one.nodes * from(1, 4);
      one.gpus_per_node = from(0, 2);
    }
    const Request request = together(components);
    const Nodes nodes(world);
    Matcher matcher(nodes);
    const ResolvedRequest& need = matcher.need(request, Availability::Required);
    const auto shares = place(need, nodes, matcher.idle());
    ASSERT_EQ(shares.has_value(), brute_fits(need, matcher.idle())) << "round " << round;
    ASSERT_EQ(fits(need, matcher.idle()), shares.has_value()) << "round " << round;
    if (!shares) continue;
    ++placed;
    Room left = matcher.idle();
    left.take(*shares);  // ends the program if a node has less than the components take
    std::vector<std::int64_t> count(components.size(), 0);
    for (const NodePart& share : *shares) ++count.at(static_cast<std::size_t>(share.component));
    for (std::size_t i = 0; i < count.size(); ++i) ASSERT_EQ(count[i], components[i].nodes);
  }
  EXPECT_GT(placed, 300);
}

}  // namespace cox::schedule
