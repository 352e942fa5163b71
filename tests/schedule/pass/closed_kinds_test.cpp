// Tests that a pass with many accounts costs little more than one with few, and still decides the
// same: kinds of jobs of which none can start are skipped whole.
#include "schedule/pass/closed_kinds.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "schedule/top/scheduler.h"
#include "tests/schedule/random_world.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

void put_all(Engine& engine, const SchedulerInput& world) {
  engine.set_reservations(world.reservations);
  engine.set_quotas(world.quotas);
  for (const RunningJob& job : world.running) engine.put(job);
  for (const PendingJob& job : world.pending) engine.put(job);
}

// Gives the jobs few requests and many accounts, so that a kind has several classes.
void make_alike(SchedulerInput& world, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  for (PendingJob& job : world.pending) {
    const PendingJob& like = world.pending[dice() % std::min<std::size_t>(3, world.pending.size())];
    job.request = like.request;
    job.tier = like.tier;
    job.time_limit = like.time_limit;
    job.account = static_cast<std::int64_t>(dice() % 10);
  }
}

// A pass that explains jobs closes no kind.
TEST(ClosedKinds, property_a_pass_decides_the_same_without_them) {
  std::size_t starts = 0;
  std::size_t preemptions = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SchedulerInput world = random_world(seed, {.nodes_max = 8,
                                               .running_max = 12,
                                               .pending_max = 40,
                                               .suspending = seed % 3 == 0,
                                               .reserving = seed % 5 == 0,
                                               .quotas = seed % 4 > 0});
    make_alike(world, seed);
    const Settings settings{.backfill = {std::array<std::int64_t, 3>{1, 0, 3}[seed % 3]},
                            .order_exempt = Milliseconds{0}};
    Scheduler closing(world.nodes, settings);
    Scheduler explaining(world.nodes, settings);
    put_all(closing.engine(), world);
    put_all(explaining.engine(), world);
    const Plan plan = closing.plan(at_start, ExplainDepth::nothing());
    Plan expected = explaining.plan(at_start, ExplainDepth::everything());
    expected.waiting.clear();
    ASSERT_EQ(text_of(plan), text_of(expected));
    starts += plan.starts.size();
    preemptions += plan.preemptions.size();
  }
  EXPECT_GT(starts, 100u);
  EXPECT_GT(preemptions, 100u);
}

// Returns the work of a pass over a full cluster in which each account has one waiting job.
std::int64_t work_with_accounts(int accounts) {
  std::string text = "node n1 cpus=1\nruns 1 on n1:1 ends=600\n";
  for (int id = 2; id < 2 + accounts; ++id) {
    const std::string number = std::to_string(id);
    text += "wants " + number + " limit=60 limits=jobs:9 charged=" + number + "\n";
  }
  const SchedulerInput world = world_from(text);
  Scheduler scheduler(world.nodes, {});
  put_all(scheduler.engine(), world);
  EXPECT_TRUE(scheduler.plan(at_start, ExplainDepth::nothing()).starts.empty());
  return scheduler.engine().ground().work();
}

TEST(ClosedKinds, a_pass_with_many_accounts_costs_little_more_than_with_few) {
  const std::int64_t few = work_with_accounts(10);
  EXPECT_GT(few, 0);
  EXPECT_LT(work_with_accounts(500), 2 * few);
}

}  // namespace
}  // namespace cox::schedule
