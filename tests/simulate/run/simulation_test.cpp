#include "simulate/run/simulation.h"

#include <gtest/gtest.h>

#include <random>

#include "simulate/report/report.h"
#include "simulate/run/freed_room.h"
#include "tests/simulate/jobs.h"

namespace cox::simulate {
namespace {

using Starts = std::vector<std::int64_t>;

// Job 2 needs all four CPUs, which are free at 10 s. Of the jobs behind it, only the last is
// estimated to end by then.
std::vector<TraceJob> four_jobs() {
  return {cpu_job(0, 10, 2), cpu_job(1, 5, 4), cpu_job(2, 5, 2, 20), cpu_job(2, 8, 2)};
}

TEST(Simulation, easy_backfills_a_job_that_by_its_estimate_delays_no_other) {
  EXPECT_EQ(starts_s(simulate_on("procs=4", four_jobs())), (Starts{0, 10, 15, 2}));
}

TEST(Simulation, without_backfill_jobs_start_in_order) {
  EXPECT_EQ(starts_s(simulate_on("procs=4", four_jobs(), {.order = "fcfs", .backfill = "none"})),
            (Starts{0, 10, 15, 15}));
}

TEST(Simulation, a_job_that_arrives_at_the_moment_another_ends_starts_at_once) {
  const auto simulated = simulate_on("procs=1", {cpu_job(0, 10, 1), cpu_job(10, 5, 1)});
  EXPECT_EQ(starts_s(simulated), (Starts{0, 10}));
  EXPECT_EQ(simulated.jobs[1].waited, s(0));
  EXPECT_EQ(simulated.moments.size(), 3u);
}

TEST(Simulation, of_jobs_that_arrive_together_the_higher_tier_starts_without_a_preemption) {
  const auto simulated =
      simulate_on("procs=1", {with_tier(cpu_job(0, 10, 1), 1), with_tier(cpu_job(0, 10, 1), 3)});
  EXPECT_EQ(starts_s(simulated), (Starts{10, 0}));
  EXPECT_EQ(simulated.preemptions, 0);
}

TEST(Simulation, a_preempted_job_saves_waits_and_resumes_from_its_checkpoint) {
  const auto simulated =
      simulate_on("procs=4", {with_tier(cpu_job(0, 100, 4), 1), with_tier(cpu_job(10, 20, 2), 3)},
                  {}, {.save = s(5), .restart = s(3)});
  const JobRecord& victim = simulated.jobs[0];
  EXPECT_EQ(starts_s(simulated), (Starts{0, 15}));
  EXPECT_EQ(simulated.jobs[1].end, s(35));
  EXPECT_EQ(victim.end, s(128));  // resumed at 35 s: 3 s to restart, 90 s of work
  EXPECT_EQ(victim.waited, s(20));
  EXPECT_EQ(victim.lost, s(8));
  EXPECT_EQ(victim.attempts, 2);
  EXPECT_EQ(simulated.preemptions, 1);
  EXPECT_EQ(simulated.useless_kills, 0);
  EXPECT_EQ(simulated.lost_cpu_ms, 4 * 8'000.0);
}

TEST(Simulation, a_preempted_job_that_saves_in_no_time_frees_its_cpus_at_once) {
  const auto simulated =
      simulate_on("procs=4", {with_tier(cpu_job(0, 100, 4), 1), with_tier(cpu_job(10, 20, 2), 3)});
  EXPECT_EQ(starts_s(simulated), (Starts{0, 10}));
  EXPECT_EQ(simulated.jobs[0].end, s(120));
  EXPECT_EQ(simulated.jobs[0].lost, s(0));
}

TEST(Simulation, a_job_preempted_four_times_in_an_hour_is_still_preempted_by_a_higher_tier) {
  std::vector<TraceJob> jobs{with_tier(cpu_job(0, 20'000, 1), 1)};
  for (const int at : {100, 200, 300, 400, 500, 600})
    jobs.push_back(with_tier(cpu_job(at, 10, 1), 3));
  const auto simulated = simulate_on("procs=1", jobs, {}, {.save = s(5), .restart = s(3)});
  EXPECT_EQ(starts_s(simulated), (Starts{0, 105, 205, 305, 405, 505, 605}));
  EXPECT_EQ(simulated.preemptions, 6) << "the budget is four within an hour";
  EXPECT_EQ(simulated.useless_kills, 0);
}

TEST(Simulation, a_job_preempted_during_its_restart_loses_only_that_time) {
  // The victim begins to restart at 20 s, and is preempted again 4 s later.
  const auto simulated =
      simulate_on("procs=1",
                  {with_tier(cpu_job(0, 100, 1), 1), with_tier(cpu_job(10, 10, 1), 3),
                   with_tier(cpu_job(24, 10, 1), 3)},
                  {}, {.save = s(0), .restart = s(30)});
  const JobRecord& victim = simulated.jobs[0];
  EXPECT_EQ(victim.attempts, 3);
  EXPECT_EQ(victim.lost, s(4 + 30));
  EXPECT_EQ(victim.end, s(34 + 30 + 90));
}

TEST(Simulation, a_job_larger_than_the_cluster_is_left_out) {
  const auto simulated = simulate_on("nodes=2,cpus=4", {cpu_job(0, 10, 9), cpu_job(1, 10, 8)});
  EXPECT_FALSE(simulated.jobs[0].possible);
  EXPECT_EQ(starts_s(simulated), (Starts{-1, 1}));
}

// Ten jobs of 100 s show how long jobs run. Then a job runs for an hour, and a job of 100 s comes
// when the long one needs 60 s more.
TEST(Simulation, a_job_that_reports_that_it_is_nearly_done_is_not_preempted) {
  std::vector<TraceJob> jobs;
  for (int i = 0; i < 10; ++i) jobs.push_back(cpu_job(100 * i, 100, 1));
  jobs.push_back(cpu_job(1'000, 3'600, 1));
  jobs.push_back(cpu_job(4'540, 100, 1));
  const Policy gittins{.order = "gittins"};
  EXPECT_EQ(simulate_on("procs=1", jobs, gittins).preemptions, 1);
  let_some_report(jobs, 1, 42);
  EXPECT_EQ(simulate_on("procs=1", jobs, gittins).preemptions, 0);
}

TEST(Simulation, a_preempted_job_that_has_reported_is_known_to_be_nearly_done) {
  std::vector<TraceJob> jobs;
  for (int i = 0; i < 10; ++i) jobs.push_back(cpu_job(100 * i, 100, 1));
  jobs.push_back(with_tier(cpu_job(1'000, 3'600, 1), 1));
  jobs.push_back(with_tier(cpu_job(4'590, 200, 1), 3));  // preempts it when it needs 10 s more
  jobs.push_back(with_tier(cpu_job(4'600, 100, 1), 1));
  const Policy gittins{.order = "gittins"};
  EXPECT_EQ(simulate_on("procs=1", jobs, gittins).jobs[12].end, s(4'890));
  let_some_report(jobs, 1, 42);
  EXPECT_EQ(simulate_on("procs=1", jobs, gittins).jobs[12].end, s(4'900));
}

TEST(Simulation, progress_is_reported_after_each_pass) {
  const Cluster cluster = parse_cluster("procs=4").value();
  const auto jobs = four_jobs();
  const auto engine = Engine::open(cluster, jobs, {});
  std::vector<std::size_t> reported;
  const auto note = [&reported](std::size_t ended, std::size_t) { reported.push_back(ended); };
  const auto simulated = simulate(cluster, jobs, *engine.value(), {}, note);
  EXPECT_EQ(reported.size(), simulated->moments.size());
  EXPECT_EQ(reported.back(), 4u);
}

TEST(Simulation, a_gang_of_gpus_takes_whole_nodes) {
  const auto simulated = simulate_on("nodes=2,gpus=8", {gpu_job(0, 10, 16), gpu_job(1, 10, 1)});
  EXPECT_EQ(starts_s(simulated), (Starts{0, 10}));
  EXPECT_EQ(simulated.moments.front().gpu_milli_used, 16'000);
}

TEST(FreedRoom, a_preemption_was_useful_if_the_preemptor_starts_on_one_of_its_nodes) {
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

// The class Occupancy of the simulator also checks that no resource is granted twice.
TEST(Simulation, the_time_of_each_random_job_is_its_waiting_running_and_lost_time) {
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
