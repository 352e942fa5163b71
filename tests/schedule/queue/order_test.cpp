// Tests the order of the queue: priority factors, order policies, and that no job waits for ever.
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
  PriorityInputs inputs;
  inputs.time_limit = limit;
  return inputs;
}

}  // namespace

TEST(Multifactor, shorter_jobs_have_more_priority_up_to_a_week) {
  const Settings settings = with(OrderPolicy::Multifactor);
  const auto priority = [&](Milliseconds limit) {
    return priority_of(settings, limited_to(limit));
  };
  EXPECT_GT(priority(minutes{10}), priority(hours{1}));
  EXPECT_GT(priority(hours{1}), priority(hours{24}));
  EXPECT_EQ(priority(hours{7 * 24}), priority(hours{30 * 24}));
  EXPECT_EQ(priority(hours{7 * 24}), priority_of(settings, PriorityInputs{}));  // no time limit
  EXPECT_NEAR(priority(minutes{1}) - priority(hours{7 * 24}), 1'000 * (1 - std::log(2) / 9.218424),
              0.1);
}

TEST(Multifactor, an_older_job_may_pass_a_shorter_one) {
  Settings settings = with(OrderPolicy::Multifactor);
  settings.priority.age = 350;
  settings.priority.max_age = hours{240};
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
    PriorityInputs inputs;
    inputs.*factor = 0.25;
    return priority_of(weighed, inputs) - priority_of(weighed, PriorityInputs{});
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

// The policy is shortest job first. A job of 1 s is submitted every second, so without max_age the
// longest job, which was submitted first, would never start. It may start up to 1/256 of max_age
// late (Engine::aged_since()).
TEST(Starvation, ends_when_a_job_has_waited_for_max_age) {
  SchedulerInput world = world_from("node n1 cpus=1");
  Settings settings = with(OrderPolicy::ShortestFirst);
  settings.priority.max_age = minutes{10};
  Scheduler scheduler(world.nodes, settings);
  Engine& engine = scheduler.engine();
  PendingJob longest = world_from("wants 1 limit=3600 priority=-3600").pending[0];
  engine.put(longest);
  for (std::int64_t second = 0;; ++second) {
    PendingJob brief = world_from("wants 2 limit=1 priority=-1").pending[0];
    brief.id = JobId{second + 2};
    brief.eligible = Wall{std::chrono::seconds{second}};
    engine.put(brief);
    const Now now{start_of_time, Wall{std::chrono::seconds{second}}};
    const Plan plan = scheduler.plan(now, ExplainDepth::nothing());
    ASSERT_EQ(plan.starts.size(), 1u);
    if (plan.starts[0].job == longest.id) {
      EXPECT_GE(second, 600);
      return;
    }
    ASSERT_LT(second, 603);
    engine.remove(brief.id);  // the short job has ended
  }
}

// A job waited for two hours. So the longest job goes first after about as long, and half a day
// later after less, since that wait is being forgotten.
TEST(Starvation, ends_after_about_the_longest_wait_of_late) {
  Settings settings = with(OrderPolicy::ShortestFirst);
  settings.priority.wait_memory = 20;
  Scheduler scheduler(world_from("node n1 cpus=1").nodes, settings);
  Engine& engine = scheduler.engine();
  const Wall noon{hours{12}};
  const PendingJob like = world_from("wants 1").pending[0];
  engine.learn_wait({like.partition_tier, like.tier}, noon, hours{2});
  const auto hours_until_first = [&](Wall submitted) {
    PendingJob longest = world_from("wants 1 limit=3600 priority=-3600").pending[0];
    PendingJob brief = world_from("wants 2 limit=1 priority=-1").pending[0];
    longest.eligible = submitted;
    engine.put(longest);
    for (Wall at = submitted; at < submitted + hours{10}; at += minutes{1}) {
      brief.eligible = at;
      engine.put(brief);
      if (scheduler.plan({start_of_time, at}, ExplainDepth::nothing()).starts.at(0).job ==
          longest.id)
        return std::chrono::duration<double, std::ratio<3600>>(at - submitted).count();
    }
    return -1.0;
  };
  const double at_once = hours_until_first(noon);
  EXPECT_GT(at_once, 1.5);
  EXPECT_LT(at_once, 2.0);
  const double half_a_day_later = hours_until_first(noon + hours{12});
  EXPECT_GT(half_a_day_later, 1.0);
  EXPECT_LT(half_a_day_later, 1.4);
  EXPECT_NEAR(hours_until_first(noon + hours{50}), 1.0, 0.04) << "max_age_min";
}

// Under multifactor, a job that has waited for max_age gets as much priority as all factors except
// fair share could give. Fair share still counts beside that. So an account does not get the most
// room by having the most jobs in a long queue.
TEST(Starvation, ends_at_max_age_within_the_fair_share_of_the_account) {
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
    const PriorityInputs inputs{
        .eligible = job.eligible, .time_limit = job.time_limit, .fair_share = share};
    job.priority = priority_of(settings, inputs);
    job.fair_share = fair_share_of(settings, inputs);
    engine.put(job);
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
  engine.remove(entitled.id);
  EXPECT_EQ(first_at(596), 3);  // the shortest job
  EXPECT_EQ(first_at(603), 1);
  engine.put(entitled);
  EXPECT_EQ(first_at(604), 4);
  EXPECT_EQ(first_at(1'000'000), 4);  // all jobs have aged; job 4 has the best fair share
  engine.remove(entitled.id);
  EXPECT_EQ(first_at(1'000'001), 1);
  EXPECT_EQ(first_at(597), 3);  // the clock was set back, so no job has waited for max_age
  EXPECT_EQ(first_at(603), 1);
}

TEST(ShortestRemaining, preempts_a_job_that_is_far_from_its_end_and_has_run_long_enough) {
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
  EXPECT_EQ(plan_at(700, 6'000), "1 preempted by 2\n2 waits: Resources\n");
  EXPECT_EQ(plan_at(500, 6'000), "2 waits: Resources\n");  // job 1 has not run long enough
  EXPECT_EQ(plan_at(700, 300), "2 waits: Resources\n");    // job 1 has nearly ended
}

// Job 11 runs with as many resources as job 12 requests. Earlier jobs of that size ended after a
// minute.
TEST(Gittins, preempts_a_job_that_has_run_longer_than_earlier_jobs) {
  const Settings settings = with(OrderPolicy::Gittins);
  const auto plan_when_it_ran = [&](Milliseconds ran) {
    SchedulerInput world = world_from("node n1 cpus=4\nruns 11 on n1:4\nwants 12 tasks=4");
    world.running[0].began = start_of_time - ran;
    world.running[0].loss_per_second_units = 4;
    Scheduler scheduler(world.nodes, settings);
    Engine& engine = scheduler.engine();
    for (std::int64_t id = 1; id <= 10; ++id) engine.learn_ended(JobId{id}, 4, minutes{1});
    engine.put(world.running[0]);
    engine.put(world.pending[0]);
    return text_of(scheduler.plan(at_start, ExplainDepth::everything()));
  };
  EXPECT_EQ(plan_when_it_ran(hours{1}), "11 preempted by 12\n12 waits: Resources\n");
  // Job 11 has not run long enough.
  EXPECT_EQ(plan_when_it_ran(minutes{9}), "12 waits: Resources\n");
}

TEST(Gittins, prefers_the_least_expected_gpu_time_and_ignores_time_limits) {
  SchedulerInput world =
      world_from("node n1 cpus=4\nwants 101 tasks=4\nwants 102 tasks=4 limit=1\nwants 103 tasks=4");
  world.pending[0].ran = hours{1};
  world.pending[1].ran = hours{2};
  Scheduler scheduler(world.nodes, with(OrderPolicy::Gittins));
  Engine& engine = scheduler.engine();
  for (std::int64_t id = 1; id <= 10; ++id) engine.learn_ended(JobId{id}, 4, minutes{1});
  for (const PendingJob& job : world.pending) engine.put(job);
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())),
            "103 starts on n1:4\n101 waits: Resources\n102 waits: Resources\n");
  for (const PendingJob& job : world.pending) engine.remove(job.id);
  EXPECT_EQ(engine.queue().size(), 0u);
}

TEST(ShortestRemaining, takes_the_progress_that_a_job_reports_for_its_remaining_time) {
  const Settings settings = with(OrderPolicy::ShortestRemaining);
  const auto running = [&](std::optional<Milliseconds> done_in) {
    RunningJob job;
    job.ends_by = start_of_time + hours{10};
    if (done_in) job.done_by = start_of_time + *done_in;
    return priority_of(settings, job, start_of_time);
  };
  EXPECT_EQ(running(hours{1}),
            priority_of(settings, {.time_limit = hours{10}, .work_left = hours{1}}));
  EXPECT_EQ(running(hours{1}), priority_of(settings, {.work_left = hours{1}}));
  EXPECT_EQ(running(hours{11}), running(std::nullopt)) << "the limit ends it before";
  EXPECT_EQ(running(minutes{-1}), running(std::nullopt)) << "its report was wrong";
}

// Earlier jobs ended after a minute, so job 11, which has run for an hour, is expected to run long.
TEST(Gittins, does_not_preempt_a_job_that_is_nearly_done_by_its_progress) {
  const auto plan_if_done_in = [&](std::optional<Milliseconds> done_in) {
    SchedulerInput world = world_from("node n1 cpus=4\nruns 11 on n1:4\nwants 12 tasks=4");
    world.running[0].began = start_of_time - hours{1};
    world.running[0].loss_per_second_units = 4;
    if (done_in) world.running[0].done_by = start_of_time + *done_in;
    Scheduler scheduler(world.nodes, with(OrderPolicy::Gittins));
    Engine& engine = scheduler.engine();
    for (std::int64_t id = 1; id <= 10; ++id) engine.learn_ended(JobId{id}, 4, minutes{1});
    engine.put(world.running[0]);
    engine.put(world.pending[0]);
    return text_of(scheduler.plan(at_start, ExplainDepth::everything()));
  };
  EXPECT_EQ(plan_if_done_in(std::nullopt), "11 preempted by 12\n12 waits: Resources\n");
  EXPECT_EQ(plan_if_done_in(minutes{1}), "12 waits: Resources\n");
  EXPECT_EQ(plan_if_done_in(hours{9}), "11 preempted by 12\n12 waits: Resources\n");
  EXPECT_EQ(plan_if_done_in(minutes{0}), "11 preempted by 12\n12 waits: Resources\n")
      << "it should have ended, so it may hang";
}

TEST(Gittins, prefers_a_preempted_job_that_is_nearly_done_by_its_progress) {
  SchedulerInput world = world_from("node n1 cpus=4\nwants 101 tasks=4\nwants 102 tasks=4");
  world.pending[1].ran = hours{2};
  const auto plan_with = [&](std::optional<Milliseconds> work_left) {
    world.pending[1].work_left = work_left;
    Scheduler scheduler(world.nodes, with(OrderPolicy::Gittins));
    Engine& engine = scheduler.engine();
    for (std::int64_t id = 1; id <= 10; ++id) engine.learn_ended(JobId{id}, 4, minutes{1});
    for (const PendingJob& job : world.pending) engine.put(job);
    EXPECT_EQ(engine.pending(JobId{102}).work_left, work_left);
    return text_of(scheduler.plan(at_start, ExplainDepth::everything()));
  };
  EXPECT_EQ(plan_with(std::nullopt), "101 starts on n1:4\n102 waits: Resources\n");
  EXPECT_EQ(plan_with(Milliseconds{5'000}), "102 starts on n1:4\n101 waits: Resources\n");
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
