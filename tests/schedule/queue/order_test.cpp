// Who is next: factors and orders, and what ends starvation.
#include "schedule/queue/order.h"

#include <gtest/gtest.h>

#include <cmath>

#include "schedule/top/scheduler.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

Settings with(OrderPolicy order) {
  Settings settings;
  settings.order = order;
  return settings;
}

PriorityInputs limited_to(Milliseconds limit) {
  PriorityInputs standing;
  standing.time_limit = limit;
  return standing;
}

}  // namespace

TEST(Multifactor, a_short_job_first_and_a_week_is_as_long_as_it_gets) {
  const Settings settings = with(OrderPolicy::Multifactor);
  const auto priority = [&](Milliseconds limit) {
    return priority_of(settings, limited_to(limit));
  };
  EXPECT_GT(priority(minutes{10}), priority(hours{1}));
  EXPECT_GT(priority(hours{1}), priority(hours{24}));
  EXPECT_EQ(priority(hours{7 * 24}), priority(hours{30 * 24}));
  EXPECT_EQ(priority(hours{7 * 24}), priority_of(settings, PriorityInputs{}));  // no limit
  EXPECT_NEAR(priority(minutes{1}) - priority(hours{7 * 24}), 1'000 * (1 - std::log(2) / 9.218424),
              0.1);
}

TEST(Multifactor, waiting_makes_up_for_length) {
  const Settings settings = with(OrderPolicy::Multifactor);
  PriorityInputs old = limited_to(hours{8});
  PriorityInputs fresh = limited_to(hours{4});
  fresh.eligible = old.eligible + hours{24};
  EXPECT_GT(priority_of(settings, fresh), priority_of(settings, old));
  fresh.eligible = old.eligible + hours{72};
  EXPECT_LT(priority_of(settings, fresh), priority_of(settings, old));
}

TEST(Multifactor, each_factor_has_its_weight) {
  Settings settings = with(OrderPolicy::Multifactor);
  settings.priority = {.age = 0, .shortness = 0};
  const auto gain = [&](std::int64_t PriorityWeights::*weight, double PriorityInputs::*factor) {
    Settings weighed = settings;
    weighed.priority.*weight = 100;
    PriorityInputs standing;
    standing.*factor = 0.25;
    return priority_of(weighed, standing) - priority_of(weighed, PriorityInputs{});
  };
  EXPECT_DOUBLE_EQ(gain(&PriorityWeights::size, &PriorityInputs::nodes_part), 25);
  EXPECT_DOUBLE_EQ(gain(&PriorityWeights::fair_share, &PriorityInputs::fair_share), 25);
  EXPECT_DOUBLE_EQ(gain(&PriorityWeights::partition, &PriorityInputs::partition), 25);
  EXPECT_DOUBLE_EQ(gain(&PriorityWeights::qos, &PriorityInputs::qos), 25);
  EXPECT_DOUBLE_EQ(gain(&PriorityWeights::tres_cpu, &PriorityInputs::cpus_part), 25);
  EXPECT_DOUBLE_EQ(gain(&PriorityWeights::tres_gpu, &PriorityInputs::gpus_part), 25);
  settings.priority.favor_small = true;
  EXPECT_DOUBLE_EQ(gain(&PriorityWeights::size, &PriorityInputs::nodes_part), -25);
  PriorityInputs nice;
  nice.nice = 7;
  nice.site = 2;
  EXPECT_DOUBLE_EQ(priority_of(settings, nice) - priority_of(settings, PriorityInputs{}), -5);
}

// Every second a short job comes, and the line never ends; the long one came first.
TEST(Starvation, ends_when_a_job_has_waited_for_max_age) {
  SchedulerInput world = world_from("node n1 cpus=1");
  Settings settings = with(OrderPolicy::ShortestFirst);
  settings.priority.max_age = minutes{10};
  Scheduler scheduler(world.nodes, settings);
  Engine& engine = scheduler.engine();
  PendingJob longest = world_from("wants 1 limit=3600 priority=-3600").pending[0];
  engine.add(longest);
  for (std::int64_t second = 0; second <= 700; ++second) {
    PendingJob brief = world_from("wants 2 limit=1 priority=-1").pending[0];
    brief.id = JobId{second + 2};
    brief.eligible = Wall{std::chrono::seconds{second}};
    engine.add(brief);
    const Now now{start_of_time, Wall{std::chrono::seconds{second}}};
    const Plan plan = scheduler.plan(now, ExplainDepth::nothing());
    ASSERT_EQ(plan.starts.size(), 1u);
    ASSERT_EQ(plan.starts[0].job == longest.id, second >= 600) << second;
    if (second >= 600) return;
    engine.remove(brief);  // it ran, for less than a second
  }
}

// By multifactor who has waited for max_age gains what all but its account's share could give, so
// that who has most jobs in a long line does not get most.
TEST(Starvation, ends_as_far_as_the_share_of_the_account_goes) {
  Settings settings = with(OrderPolicy::Multifactor);
  settings.priority.max_age = minutes{10};
  settings.priority.fair_share = 10'000;
  Scheduler scheduler(world_from("node n1 cpus=1").nodes, settings);
  Engine& engine = scheduler.engine();
  const auto add = [&](std::int64_t id, std::int64_t at_s, double share, hours limit) {
    PendingJob job;
    job.id = JobId{id};
    job.eligible = Wall{std::chrono::seconds{at_s}};
    job.time_limit = limit;
    job.request = Request{};
    const PriorityInputs standing{
        .eligible = job.eligible, .time_limit = job.time_limit, .fair_share = share};
    job.priority = priority_of(settings, standing);
    job.fair_share = fair_share_of(settings, standing);
    engine.add(job);
    return job;
  };
  add(1, 0, 0.1, hours{100});
  add(2, 1, 0.1, hours{99});
  add(3, 590, 0.1, hours{1});
  const PendingJob entitled = add(4, 590, 0.9, hours{100});
  const auto first_at = [&](std::int64_t second) {
    const Now now{start_of_time, Wall{std::chrono::seconds{second}}};
    return scheduler.plan(now, ExplainDepth::nothing()).starts.at(0).job.value;
  };
  EXPECT_EQ(first_at(595), 4);
  engine.remove(entitled);
  EXPECT_EQ(first_at(596), 3);  // the shortest
  EXPECT_EQ(first_at(600), 1);
  engine.add(entitled);
  EXPECT_EQ(first_at(601), 4);
  EXPECT_EQ(first_at(1'000'000), 4);  // aged now like all, and the most entitled of them
  engine.remove(entitled);
  EXPECT_EQ(first_at(1'000'001), 1);
  EXPECT_EQ(first_at(597), 3);  // the clock is set back: nobody has waited for so long yet
  EXPECT_EQ(first_at(600), 1);
}

TEST(ShortestRemaining, takes_the_room_of_who_is_far_from_done_and_has_run_for_long_enough) {
  const Settings settings = with(OrderPolicy::ShortestRemaining);
  const auto plan_at = [&](std::int64_t began_s, std::int64_t ends_s) {
    SchedulerInput world = world_from("node n1 cpus=4\nruns 1 on n1:4\nwants 2 tasks=4 limit=600");
    world.running[0].began = start_of_time - std::chrono::seconds{began_s};
    world.running[0].ends_by = start_of_time + std::chrono::seconds{ends_s};
    world.running[0].loss_per_second_units = 4;
    world.pending[0].priority =
        priority_of(settings, {.time_limit = std::chrono::seconds{600}, .cpus = 4});
    return text_of(make_plan(world, at_start, settings));
  };
  EXPECT_EQ(plan_at(700, 6'000), "1 gives way to 2\n2 waits: Resources\n");
  EXPECT_EQ(plan_at(500, 6'000), "2 waits: Resources\n");  // it has just begun
  EXPECT_EQ(plan_at(700, 300), "2 waits: Resources\n");    // nearly done
}

// One runs, of as many GPUs as one that waits; those before them took a minute.
TEST(Gittins, takes_the_room_of_one_that_has_outlived_the_others) {
  const Settings settings = with(OrderPolicy::Gittins);
  const auto plan_when_it_ran = [&](Milliseconds ran) {
    SchedulerInput world = world_from("node n1 cpus=4\nruns 11 on n1:4\nwants 12 tasks=4");
    world.running[0].began = start_of_time - ran;
    world.running[0].loss_per_second_units = 4;
    Scheduler scheduler(world.nodes, settings);
    Engine& engine = scheduler.engine();
    for (std::int64_t id = 1; id <= 10; ++id) engine.learn_ended(JobId{id}, 4, minutes{1});
    engine.add(world.running[0]);
    engine.add(world.pending[0]);
    return text_of(scheduler.plan(at_start, ExplainDepth::everything()));
  };
  EXPECT_EQ(plan_when_it_ran(hours{1}), "11 gives way to 12\n12 waits: Resources\n");
  EXPECT_EQ(plan_when_it_ran(minutes{9}), "12 waits: Resources\n");  // it has just begun
}

TEST(Gittins, prefers_what_costs_the_least_gpu_time_and_has_no_use_for_limits) {
  SchedulerInput world =
      world_from("node n1 cpus=4\nwants 101 tasks=4\nwants 102 tasks=4 limit=1\nwants 103 tasks=4");
  world.pending[0].ran = hours{1};
  world.pending[1].ran = hours{2};
  Scheduler scheduler(world.nodes, with(OrderPolicy::Gittins));
  Engine& engine = scheduler.engine();
  for (std::int64_t id = 1; id <= 10; ++id) engine.learn_ended(JobId{id}, 4, minutes{1});
  for (const PendingJob& job : world.pending) engine.add(job);
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())),
            "103 starts on n1:4\n101 waits: Resources\n102 waits: Resources\n");
  for (const PendingJob& job : world.pending) engine.remove(job);
  EXPECT_EQ(engine.line().size(), 0u);
}

TEST(LeastAttained, counts_service_in_powers_of_two) {
  const Settings settings = with(OrderPolicy::LeastAttained);
  const auto priority = [&](Milliseconds ran, std::int64_t gpus) {
    return priority_of(settings, {.ran = ran, .gpus = gpus});
  };
  EXPECT_EQ(priority(minutes{0}, 8), priority(minutes{7}, 8));
  EXPECT_GT(priority(minutes{7}, 8), priority(minutes{8}, 8));
  EXPECT_EQ(priority(hours{1}, 8), priority(hours{2}, 4));
  EXPECT_GT(priority(hours{1}, 8), priority(hours{1}, 16));
}

}  // namespace cox::schedule
