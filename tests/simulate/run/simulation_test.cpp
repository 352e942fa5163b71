#include "simulate/run/simulation.h"

#include <gtest/gtest.h>

#include <random>

#include "simulate/report/report.h"
#include "simulate/run/freed_room.h"
#include "tests/simulate/jobs.h"

namespace cox::simulate {
namespace {

using Starts = std::vector<std::int64_t>;

// The head of the line waits for all four CPUs until 10; only the last job is over by then.
std::vector<TraceJob> four_jobs() {
  return {cpu_job(0, 10, 2), cpu_job(1, 5, 4), cpu_job(2, 5, 2, 20), cpu_job(2, 8, 2)};
}

TEST(Simulation, easy_lets_past_what_delays_nobody_by_its_estimate) {
  EXPECT_EQ(starts_s(simulate_on("procs=4", four_jobs())), (Starts{0, 10, 15, 2}));
}

TEST(Simulation, without_backfill_nobody_overtakes) {
  EXPECT_EQ(starts_s(simulate_on("procs=4", four_jobs(), {.order = "fcfs", .backfill = "none"})),
            (Starts{0, 10, 15, 15}));
}

TEST(Simulation, what_ends_at_an_instant_is_gone_before_what_arrives_then) {
  const auto simulated = simulate_on("procs=1", {cpu_job(0, 10, 1), cpu_job(10, 5, 1)});
  EXPECT_EQ(starts_s(simulated), (Starts{0, 10}));
  EXPECT_EQ(simulated.jobs[1].waited, s(0));
  EXPECT_EQ(simulated.moments.size(), 3u);
}

TEST(Simulation, all_that_arrives_at_an_instant_is_there_at_its_one_pass) {
  const auto simulated =
      simulate_on("procs=1", {with_tier(cpu_job(0, 10, 1), 1), with_tier(cpu_job(0, 10, 1), 3)});
  EXPECT_EQ(starts_s(simulated), (Starts{10, 0}));
  EXPECT_EQ(simulated.preemptions, 0);
}

TEST(Simulation, a_victim_saves_waits_and_goes_on_where_it_was) {
  const auto simulated =
      simulate_on("procs=4", {with_tier(cpu_job(0, 100, 4), 1), with_tier(cpu_job(10, 20, 2), 3)},
                  {}, {.save = s(5), .restart = s(3)});
  const JobRecord& victim = simulated.jobs[0];
  EXPECT_EQ(starts_s(simulated), (Starts{0, 15}));
  EXPECT_EQ(simulated.jobs[1].end, s(35));
  EXPECT_EQ(victim.end, s(128));  // again from 35 on, 3 s to restart, 90 s of work are left
  EXPECT_EQ(victim.waited, s(20));
  EXPECT_EQ(victim.lost, s(8));
  EXPECT_EQ(victim.attempts, 2);
  EXPECT_EQ(simulated.preemptions, 1);
  EXPECT_EQ(simulated.useless_kills, 0);
  EXPECT_EQ(simulated.lost_cpu_ms, 4 * 8'000.0);
}

TEST(Simulation, a_victim_that_saves_in_no_time_makes_room_at_once) {
  const auto simulated =
      simulate_on("procs=4", {with_tier(cpu_job(0, 100, 4), 1), with_tier(cpu_job(10, 20, 2), 3)});
  EXPECT_EQ(starts_s(simulated), (Starts{0, 10}));
  EXPECT_EQ(simulated.jobs[0].end, s(120));
  EXPECT_EQ(simulated.jobs[0].lost, s(0));
}

TEST(Simulation, a_spent_budget_keeps_no_higher_tier_waiting) {
  std::vector<TraceJob> jobs{with_tier(cpu_job(0, 20'000, 1), 1)};
  for (const int at : {100, 200, 300, 400, 500, 600})
    jobs.push_back(with_tier(cpu_job(at, 10, 1), 3));
  const auto simulated = simulate_on("procs=1", jobs, {}, {.save = s(5), .restart = s(3)});
  EXPECT_EQ(starts_s(simulated), (Starts{0, 105, 205, 305, 405, 505, 605}));
  EXPECT_EQ(simulated.preemptions, 6) << "the budget is four within an hour";
  EXPECT_EQ(simulated.useless_kills, 0);
}

TEST(Simulation, preempted_while_it_restarts_it_has_lost_no_more_than_the_time_it_had) {
  const auto simulated =
      simulate_on("procs=1",
                  {with_tier(cpu_job(0, 100, 1), 1), with_tier(cpu_job(10, 10, 1), 3),  // until 20
                   with_tier(cpu_job(24, 10, 1), 3)},  // 4 s into the restart
                  {}, {.save = s(0), .restart = s(30)});
  const JobRecord& victim = simulated.jobs[0];
  EXPECT_EQ(victim.attempts, 3);
  EXPECT_EQ(victim.lost, s(4 + 30));
  EXPECT_EQ(victim.end, s(34 + 30 + 90));
}

TEST(Simulation, what_can_never_run_is_left_out) {
  const auto simulated = simulate_on("nodes=2,cpus=4", {cpu_job(0, 10, 9), cpu_job(1, 10, 8)});
  EXPECT_FALSE(simulated.jobs[0].possible);
  EXPECT_EQ(starts_s(simulated), (Starts{-1, 1}));
}

TEST(Simulation, how_far_it_is_can_be_told_after_each_pass) {
  const Cluster cluster = parse_cluster("procs=4").value();
  const auto jobs = four_jobs();
  const auto engine = Engine::open(cluster, jobs, {});
  std::vector<std::size_t> told;
  const auto note = [&told](std::size_t ended, std::size_t) { told.push_back(ended); };
  const auto simulated = simulate(cluster, jobs, *engine.value(), {}, note);
  EXPECT_EQ(told.size(), simulated->moments.size());
  EXPECT_EQ(told.back(), 4u);
}

TEST(Simulation, a_gang_of_gpus_takes_whole_nodes) {
  const auto simulated = simulate_on("nodes=2,gpus=8", {gpu_job(0, 10, 16), gpu_job(1, 10, 1)});
  EXPECT_EQ(starts_s(simulated), (Starts{0, 10}));
  EXPECT_EQ(simulated.moments.front().gpu_milli_used, 16'000);
}

TEST(FreedRoom, a_kill_is_useful_when_its_preemptor_starts_on_that_node) {
  FreedRoom freed;
  freed.freed_for(7, {{.node = 1, .gpus = {}}, {.node = 2, .gpus = {}}});
  freed.freed_for(7, {{.node = 3, .gpus = {}}});
  freed.freed_for(8, {{.node = 3, .gpus = {}}});
  EXPECT_EQ(freed.started(7, {{.node = 2, .gpus = {}}}), 1);
  EXPECT_EQ(freed.started(7, {{.node = 2, .gpus = {}}}), 0);
  EXPECT_EQ(freed.never_used(), 1);
}

std::vector<TraceJob> random_jobs(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<TraceJob> jobs;
  for (int i = 0; i < 200; ++i) {
    TraceJob job = gpu_job(random() % 2'000, 1 + random() % 300, random() % 13);
    if (random() % 2 == 0) job.estimate.reset();
    jobs.push_back(with_tier(job, 1 + static_cast<std::int32_t>(random() % 3)));
  }
  std::ranges::stable_sort(jobs, {}, &TraceJob::submit);
  return jobs;
}

// Occupancy checks besides that nothing is given out twice.
TEST(Simulation, every_second_of_random_jobs_is_accounted_for) {
  std::int64_t preemptions = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const auto jobs = random_jobs(seed);
    const auto simulated =
        simulate_on("nodes=4,gpus=4,cpus=8", jobs, {}, {.save = s(7), .restart = s(11)});
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const JobRecord& record = simulated.jobs[i];
      ASSERT_TRUE(record.end.has_value()) << "seed " << seed << " job " << i;
      EXPECT_EQ(*record.end - jobs[i].submit, record.waited + jobs[i].run + record.lost)
          << "seed " << seed << " job " << i;
    }
    EXPECT_EQ(simulated.moments.back().gpu_milli_used, 0);
    preemptions += simulated.preemptions;
  }
  EXPECT_GT(preemptions, 100);
}

TEST(Simulation, the_same_input_gives_the_same_output) {
  const auto report = [] {
    Trace trace{Format::Muri, random_jobs(3), 0};
    const auto simulated = simulate_on("nodes=4,gpus=4", trace.jobs);
    const Cluster cluster = parse_cluster("nodes=4,gpus=4").value();
    return json_of({}, trace, summary_of(cluster, trace, simulated), simulated);
  };
  EXPECT_EQ(report(), report());
}

}  // namespace
}  // namespace cox::simulate
