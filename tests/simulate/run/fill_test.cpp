#include "simulate/run/fill.h"

#include <gtest/gtest.h>

#include <set>

#include "simulate/run/occupancy.h"
#include "tests/simulate/jobs.h"

namespace cox::simulate {
namespace {

constexpr auto silent = [](std::size_t, std::size_t) {};

TraceJob pod(const std::string& name, std::int64_t gpus) {
  TraceJob job;
  job.name = name;
  job.nodes = 1;
  job.cpu_milli_per_task = 500;
  job.gpus = gpus;
  return job;
}

std::int64_t gpus_of(const std::vector<TraceJob>& jobs) {
  std::int64_t sum = 0;
  for (const TraceJob& job : jobs) sum += job.gpus;
  return sum;
}

Filled fill_with(const Cluster& cluster, const std::vector<TraceJob>& arrivals) {
  const auto engine = Engine::open(cluster, arrivals, {.order = "fcfs", .backfill = "none"});
  return fill(cluster, arrivals, *engine.value(), silent);
}

TEST(Inflate, jobs_are_repeated_until_they_request_130_percent_of_the_gpus) {
  const Cluster cluster = parse_cluster("nodes=10,gpus=8").value();
  const std::vector<TraceJob> workload = {pod("a", 1), pod("b", 2), pod("c", 0)};
  const auto jobs = inflate_and_shuffle(workload, cluster, 42);
  EXPECT_GE(gpus_of(jobs), 104);
  EXPECT_LE(gpus_of(jobs), 105);
  const auto names = [](const std::vector<TraceJob>& all) {
    std::string out;
    for (const TraceJob& job : all) out += job.name;
    return out;
  };
  EXPECT_EQ(names(jobs), names(inflate_and_shuffle(workload, cluster, 42)));
  EXPECT_NE(names(jobs), names(inflate_and_shuffle(workload, cluster, 43)));
}

TEST(Inflate, a_workload_is_cut_to_130_percent_of_the_gpus) {
  const Cluster cluster = parse_cluster("nodes=1,gpus=8").value();
  const std::vector<TraceJob> workload(100, pod("a", 1));
  EXPECT_EQ(inflate_and_shuffle(workload, cluster, 1).size(), 10u);
}

TEST(Fill, a_job_that_fits_nowhere_is_dropped_and_later_ones_are_placed) {
  const Cluster cluster = parse_cluster("nodes=2,gpus=8").value();
  // After jobs a and b, 2 of the 8 GPUs of each node are free. So c, which needs 8, is dropped, and
  // d and e are placed.
  const Filled filled =
      fill_with(cluster, {pod("a", 6), pod("b", 6), pod("c", 8), pod("d", 2), pod("e", 2)});
  EXPECT_EQ(filled.arrived, 5);
  EXPECT_EQ(filled.placed, 4);
  EXPECT_DOUBLE_EQ(filled.allocated_pct[37], 0);
  EXPECT_DOUBLE_EQ(filled.allocated_pct[38], 37.5);  // 6 of 16 GPUs are requested, rounded to 38 %
  EXPECT_DOUBLE_EQ(filled.allocated_pct[75], 75);
  EXPECT_DOUBLE_EQ(filled.allocated_pct[125], 75);  // 20 of 16 GPUs are requested; c was dropped
  // Job e brings the requests to 138 %, beyond the table.
  EXPECT_DOUBLE_EQ(filled.allocated_pct[130], 75);
}

TEST(Fill, a_job_larger_than_the_cluster_is_dropped_and_counted_as_requested) {
  const Cluster cluster = parse_cluster("nodes=1,gpus=8").value();
  const Filled filled = fill_with(cluster, {pod("a", 9), pod("b", 4), pod("c", 9), pod("d", 4)});
  EXPECT_EQ(filled.placed, 2);
  EXPECT_DOUBLE_EQ(filled.allocated_pct[113], 0);  // 9 of 8 GPUs are requested, none is allocated
  EXPECT_DOUBLE_EQ(filled.allocated_pct[130], 0);
}

TEST(Fill, arrivals_of_130_percent_fill_more_than_95_percent_of_the_gpus) {
  const Cluster cluster = parse_cluster("nodes=30,gpus=8,cpus=64").value();
  const auto arrivals =
      inflate_and_shuffle({pod("a", 1), pod("b", 2), pod("c", 8), pod("d", 0)}, cluster, 7);
  const Filled filled = fill_with(cluster, arrivals);
  EXPECT_LT(filled.placed, filled.arrived);
  EXPECT_GT(filled.allocated_pct[130], 95);
  for (std::size_t pct = 1; pct <= demand_pct_max; ++pct)
    EXPECT_GE(filled.allocated_pct[pct], filled.allocated_pct[pct - 1] - 1e-9) << pct;
}

TEST(Fill, gpu_fractions_share_a_gpu) {
  const Cluster cluster = parse_cluster("nodes=1,gpus=2").value();
  std::vector<TraceJob> jobs = {pod("a", 1), pod("b", 1), pod("c", 1), pod("d", 1)};
  jobs[0].gpu_milli = jobs[1].gpu_milli = 500;
  jobs[3].gpu_milli = 250;  // both GPUs are full when job d arrives
  EXPECT_EQ(fill_with(cluster, jobs).placed, 3);
}

// Half of the jobs request 1 GPU, half 2. The expected values were computed by hand.
TEST(Fragmentation, is_the_free_gpus_that_the_mean_job_cannot_use) {
  const Cluster cluster = parse_cluster("nodes=2,gpus=2,cpus=4").value();
  Occupancy occupancy(cluster, {pod("a", 1), pod("b", 2)});
  EXPECT_DOUBLE_EQ(occupancy.gpu_milli_fragmented(), 0);
  const Holdings one = {{.node = 0, .cpu_milli = 500, .gpus = {1}}};
  occupancy.take(one);
  // Half of the jobs need 2 GPUs and cannot use the other GPU of the node.
  EXPECT_DOUBLE_EQ(occupancy.gpu_milli_fragmented(), 500);
  const Holdings cpus = {{.node = 1, .cpu_milli = 4'000, .gpus = {}}};
  occupancy.take(cpus);
  // Besides, no job can use the 2 GPUs of the node without a free CPU.
  EXPECT_DOUBLE_EQ(occupancy.gpu_milli_fragmented(), 2'500);
  occupancy.give_back(one);
  occupancy.give_back(cpus);
  EXPECT_DOUBLE_EQ(occupancy.gpu_milli_fragmented(), 0);
  EXPECT_EQ(occupancy.gpu_milli_used(), 0);
}

TEST(OccupancyDeathTest, a_gpu_granted_twice_ends_the_program) {
  const Cluster cluster = parse_cluster("nodes=1,gpus=2").value();
  Occupancy occupancy(cluster, {pod("a", 1)});
  const Holdings one = {{.node = 0, .cpu_milli = 500, .gpus = {1}}};
  occupancy.take(one);
  EXPECT_DEATH(occupancy.take(one), "milli >= 0");
}

}  // namespace
}  // namespace cox::simulate
