#include "simulate/report/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "simulate/report/svg.h"
#include "simulate/run/arguments.h"
#include "tests/simulate/jobs.h"

namespace cox::simulate {
namespace {

struct Ran {
  Cluster cluster = parse_cluster("procs=4").value();
  Trace trace;
  Simulated simulated;
  Summary summary;
};

// Simulates two jobs of 10 s that run one after the other. The trace records waits of 1 s and 2 s
// for them.
Ran two_jobs() {
  Ran ran;
  ran.trace.jobs = {cpu_job(0, 10, 4), cpu_job(0, 10, 4), cpu_job(0, 1, 5)};
  ran.trace.jobs[0].recorded_wait = s(1);
  ran.trace.jobs[1].recorded_wait = s(2);
  ran.trace.skipped = 3;
  ran.simulated = simulate_on("procs=4", ran.trace.jobs);
  ran.summary = summary_of(ran.cluster, ran.trace, ran.simulated);
  return ran;
}

TEST(Summary, has_the_values_calculated_by_hand) {
  const Summary summary = two_jobs().summary;
  EXPECT_EQ(summary.ended, 2);
  EXPECT_EQ(summary.impossible, 1);
  EXPECT_DOUBLE_EQ(summary.wait_s.mean, 5);
  EXPECT_DOUBLE_EQ(summary.wait_s.max, 10);
  EXPECT_DOUBLE_EQ(summary.slowdown.mean, 1.5);
  EXPECT_DOUBLE_EQ(summary.completion_s.mean, 15);
  EXPECT_DOUBLE_EQ(summary.recorded_wait_s->mean, 1.5);
  EXPECT_FALSE(summary.recorded_completion_s.has_value());
  EXPECT_DOUBLE_EQ(summary.makespan_s, 20);
  EXPECT_DOUBLE_EQ(summary.cpu_utilisation, 1);
  EXPECT_FALSE(summary.gpu_utilisation.has_value());
  EXPECT_EQ(summary.queue_max, 1);
}

TEST(Summary, the_use_of_gpus_is_averaged_over_time) {
  Trace trace{Format::Muri, {gpu_job(0, 10, 4), gpu_job(0, 30, 2)}, 0};
  const Cluster cluster = parse_cluster("nodes=1,gpus=8").value();
  fit_to(cluster, trace.jobs);
  const Summary summary = summary_of(cluster, trace, simulate_on("nodes=1,gpus=8", trace.jobs));
  EXPECT_DOUBLE_EQ(*summary.gpu_utilisation, (40.0 + 60.0) / 240.0);
  EXPECT_DOUBLE_EQ(*summary.gpu_allocation, (40.0 + 60.0) / 240.0);
  // For 10 s, two GPUs are free that half of the jobs cannot use.
  EXPECT_DOUBLE_EQ(*summary.gpu_fragmentation, 10.0 / 240.0);
}

TEST(Spread, percentiles_are_values_of_the_sample) {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  const Spread spread = spread_of(values);
  EXPECT_DOUBLE_EQ(spread.mean, 50.5);
  EXPECT_DOUBLE_EQ(spread.p50, 50);
  EXPECT_DOUBLE_EQ(spread.p95, 95);
  EXPECT_DOUBLE_EQ(spread.p99, 99);
  EXPECT_DOUBLE_EQ(spread.max, 100);
  EXPECT_DOUBLE_EQ(spread_of({7}).p50, 7);
  EXPECT_DOUBLE_EQ(spread_of({}).max, 0);
}

TEST(Report, the_table_shows_how_many_jobs_were_left_out) {
  const Ran ran = two_jobs();
  const std::string text =
      text_of({"a\x1b.swf", "swf", "procs=4", {}, {}, 42}, ran.cluster, ran.summary);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("wait, s            5.00   0.0  10.0  10.0  10.0\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("jobs left out      1 that this cluster could never run\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("records skipped    3 that never ran\n"), std::string::npos) << text;
}

TEST(Report, json_has_every_job) {
  Ran ran = two_jobs();
  ran.trace.jobs[0].name = "\xff";
  const auto json = nlohmann::json::parse(json_of({}, ran.trace, ran.summary, ran.simulated));
  EXPECT_EQ(json["summary"]["wait_s"]["mean"], 5.0);
  EXPECT_EQ(json["summary"]["gpu_utilisation"], nullptr);
  ASSERT_EQ(json["jobs"].size(), 3u);
  EXPECT_EQ(json["jobs"][1]["start_s"], 10.0);
  EXPECT_EQ(json["jobs"][2]["start_s"], nullptr);
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Report, svg_draws_each_line_and_escapes_names) {
  const Ran ran = two_jobs();
  const std::string svg =
      svg_of({"a<b>&.swf", "swf", "procs=4", {}, {}, 42}, ran.cluster, ran.simulated);
  EXPECT_EQ(count(svg, "<polyline"), 4u);  // one each for queued jobs, running jobs, waits and CPUs
  EXPECT_EQ(count(svg, "nan"), 0u);
  EXPECT_EQ(count(svg, "inf"), 0u);
  EXPECT_NE(svg.find("a&lt;b&gt;&amp;.swf"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
}

TEST(Svg, no_peak_is_lost_among_many_changes) {
  Points changes;
  for (int i = 0; i < 100'000; ++i) changes.emplace_back(i, i == 54'321 ? 9 : 1);
  const Points line = steps(changes);
  EXPECT_LT(line.size(), 3'000u);
  EXPECT_TRUE(std::ranges::any_of(line, [](const auto& point) { return point.second == 9; }));
  EXPECT_TRUE(steps({}).empty());
}

TEST(Arguments, defaults_of_cox_simulate_apply_and_invalid_values_are_refused) {
  const auto arguments = read_arguments({{"trace", "t"}, {"cluster", "procs=1"}}).value();
  EXPECT_EQ(arguments.policy.backfill, "easy");
  EXPECT_EQ(arguments.seed, 42u);
  EXPECT_EQ(arguments.cost.save, s(0));
  EXPECT_EQ(read_arguments({{"save-time", "1.5"}}).value().cost.save, Milliseconds{1'500});
  EXPECT_EQ(read_arguments({{"save-time", "-1"}}).refusal().fact,
            "--save-time is \"-1\"; it must be a number of seconds from 0");
  EXPECT_EQ(arguments.progress, 0);
  EXPECT_EQ(read_arguments({{"progress", "0.5"}}).value().progress, 0.5);
  EXPECT_EQ(read_arguments({{"progress", "2"}}).refusal().fact,
            "--progress is \"2\"; it must be a number from 0 to 1");
  EXPECT_FALSE(read_arguments({{"seed", "x"}}).ok());
  EXPECT_FALSE(read_arguments({{"format", "x"}}).ok());
}

TEST(Engine, an_unknown_order_backfill_or_placement_is_refused) {
  const Cluster cluster = parse_cluster("procs=1").value();
  EXPECT_FALSE(Engine::open(cluster, {}, {.order = "magic"}).ok());
  EXPECT_FALSE(Engine::open(cluster, {}, {.backfill = "magic"}).ok());
  EXPECT_FALSE(Engine::open(cluster, {}, {.placement = "magic"}).ok());
  for (const char* weights : {"age=-1", "preempt_below=1.1", "near_jobs=0", "near_jobs", "magic=1"})
    EXPECT_FALSE(Engine::open(cluster, {}, {.weights = weights}).ok()) << weights;
}

}  // namespace
}  // namespace cox::simulate
