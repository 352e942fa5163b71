// Compares simulations with published logs and reference results. The repository has only logs that
// may be copied (bench/traces); COX_TRACES may name a folder with the others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "simulate/io/inputs.h"
#include "simulate/report/summary.h"
#include "simulate/trace/lines.h"
#include "simulate/trace/trace_reader.h"
#include "tests/simulate/jobs.h"

namespace cox::simulate {
namespace {

constexpr double tolerance = 0.001;

// Returns the path of the file in bench/traces or in $COX_TRACES; "" if neither has it.
std::string path_of(const std::string& file) {
  const char* elsewhere = std::getenv("COX_TRACES");
  for (const std::string folder : {"bench/traces", elsewhere == nullptr ? "" : elsewhere}) {
    std::string path = folder + "/" + file;
    if (!folder.empty() && std::filesystem::exists(path)) return path;
  }
  return {};
}

class Reference : public testing::Test {
 protected:
  struct Outcome {
    Trace trace;
    Simulated simulated;
    Summary summary;
  };

  Outcome run(const std::string& file, std::int64_t procs, const std::string& backfill) const {
    const std::string text = read_text(path_of(file)).value();
    Outcome out;
    out.trace = read_trace(guess_format(file, text).value(), text).value();
    const std::string spec = "procs=" + std::to_string(procs);
    out.simulated = simulate_on(spec, out.trace.jobs, {.order = "fcfs", .backfill = backfill});
    out.summary = summary_of(parse_cluster(spec).value(), out.trace, out.simulated);
    return out;
  }

  void expect_as_published(const std::string& log, const std::string& file,
                           const std::string& backfill) const {
    if (path_of(file).empty()) GTEST_SKIP() << "COX_TRACES names no folder with " << file;
    const std::string text = read_text(path_of("swf/reference_results.csv")).value();
    auto opened = CsvTable::open(text, {"log", "order", "backfill", "procs", "avg_wait_s"});
    CsvTable& table = opened.value();
    const auto value = [&table](std::string_view column) {
      return finite_number(table.text(column)).value();
    };
    while (table.next()) {
      if (table.text("log") != log || table.text("order") != "fcfs" ||
          table.text("backfill") != backfill)
        continue;
      const Summary summary =
          run(file, table.whole_number_in("procs", 1, count_max), backfill).summary;
      EXPECT_EQ(summary.ended, table.whole_number_in("jobs", 1, count_max));
      EXPECT_NEAR(summary.wait_s.mean, value("avg_wait_s"), tolerance * value("avg_wait_s"));
      EXPECT_NEAR(summary.wait_s.max, value("max_wait_s"), tolerance * value("max_wait_s"));
      EXPECT_NEAR(summary.slowdown.mean, value("avg_bsld_10s"), tolerance * value("avg_bsld_10s"));
      EXPECT_NEAR(summary.cpu_utilisation, value("utilisation"), tolerance);
      EXPECT_NEAR(summary.makespan_s, value("makespan_s"), tolerance * value("makespan_s"));
      EXPECT_EQ(summary.queue_max, table.whole_number_in("max_queue", 1, count_max));
      return;
    }
    FAIL() << "the reference has no such row";
  }

  void expect_as_golden(const std::string& log, std::int64_t procs) const {
    const std::string file = "swf/" + log + ".swf.gz";
    if (path_of(file).empty()) GTEST_SKIP() << "COX_TRACES names no folder with " << file;
    const std::string golden = read_text("tests/simulate/golden/" + log + "_easy.csv.gz").value();
    auto opened = CsvTable::open(golden, {"wait_s"});
    CsvTable& table = opened.value();
    const Outcome ours = run(file, procs, "easy");
    for (std::size_t i = 0; i < ours.trace.jobs.size(); ++i) {
      ASSERT_TRUE(table.next());
      const TraceJob& job = ours.trace.jobs[i];
      const Milliseconds wait = *ours.simulated.jobs[i].first_start - job.submit;
      ASSERT_EQ(wait, table.seconds("wait_s")) << "job " << job.name;
    }
    EXPECT_FALSE(table.next());
  }
};

TEST_F(Reference, hpc2n_with_easy_gives_the_published_waits) {
  expect_as_published("hpc2n_first3145", "swf/hpc2n_first3145.swf.gz", "easy");
}

TEST_F(Reference, hpc2n_without_backfill_gives_the_published_waits) {
  expect_as_published("hpc2n_first3145", "swf/hpc2n_first3145.swf.gz", "none");
}

TEST_F(Reference, theta_with_easy_gives_the_published_waits) {
  expect_as_published("theta2023", "swf/theta2023_walltime.swf.gz", "easy");
}

// golden/make_golden.py, which shares no code with the engine, made the schedules that these tests
// expect.
TEST_F(Reference, lublin_starts_every_job_when_an_independent_engine_does) {
  expect_as_golden("lublin_256", 256);
}

TEST_F(Reference, hpc2n_starts_every_job_when_an_independent_engine_does) {
  expect_as_golden("hpc2n_first3145", 240);
}

TEST_F(Reference, theta_starts_every_job_when_an_independent_engine_does) {
  expect_as_golden("theta2023_walltime", 4'392);
}

TEST_F(Reference, the_batsim_workload_with_easy_gives_the_published_waits) {
  expect_as_published("batsim_medium_late", "oracle-easy/medium_late.json.gz", "easy");
}

// For the first job of the queue the published schedule reserves certain machines, but this engine
// reserves only their number. 725 of the 801 jobs start at the same time in both.
TEST_F(Reference, most_jobs_of_the_batsim_workload_start_when_the_published_schedule_starts_them) {
  const Outcome ours = run("oracle-easy/medium_late.json.gz", 32, "easy");
  const std::string text = read_text(path_of("oracle-easy/batsim_easy_out_jobs.csv.gz")).value();
  auto opened = CsvTable::open(text, {"job_id", "starting_time"});
  CsvTable& table = opened.value();
  std::map<std::string, Milliseconds, std::less<>> published;
  while (table.next()) published.emplace(table.text("job_id"), table.seconds("starting_time"));
  ASSERT_FALSE(table.problem().has_value()) << table.problem()->fact;
  std::int64_t same = 0;
  for (std::size_t i = 0; i < ours.trace.jobs.size(); ++i) {
    const auto start = published.at(ours.trace.jobs[i].name);
    const Milliseconds apart = std::chrono::abs(*ours.simulated.jobs[i].first_start - start);
    if (apart <= Milliseconds{50}) ++same;  // both schedules add up rounded times
  }
  EXPECT_EQ(published.size(), ours.trace.jobs.size());
  EXPECT_GE(same, 720);
  EXPECT_LE(ours.summary.wait_s.mean, 9.516326);
}

}  // namespace
}  // namespace cox::simulate
