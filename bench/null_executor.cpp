#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "bench/fake_nodes.h"
#include "bench/measure.h"
#include "bench/scenarios.h"
#include "bench/sql.h"
#include "bench/submitters.h"

namespace cox::bench {
namespace {

constexpr std::int64_t bulk_jobs = 1'000;
constexpr std::int64_t fake_cpus = 8;  // CPUs of each fake node

// Returns the jobs per second, from the first submission until all have ended.
double null_round(FakeNodes& fakes, const ClientConfig& config, std::int64_t jobs) {
  // One thread submits the jobs and plays the nodes. It does not read the replies to the
  // submissions: it counts the jobs that end.
  auto connection = Connection::open({config.controller, config.controller_key, {}});
  if (!connection) give_up(connection.refusal().fact);
  const SubmitJob one = small_job({"true"});
  const std::int64_t began = now_ns();
  const std::int64_t ended_before = fakes.ended();
  for (std::int64_t sent = 0; sent < jobs; sent += bulk_jobs)
    (*connection)->send({Request{sent, bulk_of(one, std::min(bulk_jobs, jobs - sent))}});
  Standstill standstill("the end of " + std::to_string(jobs) + " jobs");
  while (fakes.ended() < ended_before + jobs) {
    fakes.turn(Milliseconds{10});
    standstill.check(fakes.ended() - ended_before);
  }
  const double rate = static_cast<double>(jobs) / seconds_since(began);
  std::fprintf(stderr, "cox-bench: %ld jobs have ended, %.0f a second\n", jobs, rate);
  return rate;
}

double median_round(FakeNodes& fakes, const ClientConfig& config, std::int64_t jobs, int rounds) {
  std::vector<double> rates;
  for (int i = 0; i < rounds; ++i) rates.push_back(null_round(fakes, config, jobs));
  return quantile(rates, 0.5);
}

double cpu_seconds(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line.substr(line.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

void measure_null(const ClientConfig& config, int nodes, std::int64_t jobs, int rounds) {
  FakeNodes fakes(config, nodes, fake_cpus);
  fakes.join();
  report("null_jobs", median_round(fakes, config, jobs, rounds), "jobs/s");
}

void measure_aged(const ClientConfig& config, const std::string& database, int nodes,
                  std::int64_t jobs, int rounds, double seconds) {
  FakeNodes fakes(config, nodes, fake_cpus);
  fakes.join();
  report("young_jobs", median_round(fakes, config, jobs, rounds), "jobs/s");
  Sql administrator(database);
  administrator.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
  administrator.run("SELECT count(*) FROM cox.job");
  const std::int64_t began = now_ns();
  while (seconds_since(began) < seconds) null_round(fakes, config, jobs);
  report("aged_jobs", median_round(fakes, config, jobs, rounds), "jobs/s");
}

void measure_idle(const ClientConfig& config, int nodes, double seconds, int pid) {
  FakeNodes fakes(config, nodes, fake_cpus);
  fakes.join();
  for (const std::int64_t settled = now_ns(); seconds_since(settled) < 3;)
    fakes.turn(Milliseconds{100});
  const double before = cpu_seconds(pid);
  const std::int64_t began = now_ns();
  while (seconds_since(began) < seconds) fakes.turn(Milliseconds{10});
  report("idle_cpu", (cpu_seconds(pid) - before) / seconds_since(began), "cores");
}

void keep_jobs_running(const ClientConfig& config, std::int64_t jobs) {
  FakeNodes fakes(config, static_cast<int>(jobs) + 1, fake_cpus, FakeNodes::Jobs::RunForGood);
  fakes.join();
  SubmitJob one = small_job({"true"});
  one.spec.cpus_per_task = fake_cpus;
  Submitters submitters(config, 1);
  submitters.ask(bulk_of(one, jobs));
  for (;;) {  // until a signal ends the program
    fakes.turn(Milliseconds{10});
    for (const std::int64_t job : fakes.take_started())
      std::printf("started %ld %ld\n", job, now_ns());
    std::fflush(stdout);
  }
}

void submit_backlog(const ClientConfig& config, std::int64_t jobs, std::int64_t cpus) {
  constexpr int clients = 2;  // the controller decodes one request while the other one is committed
  Submitters submitters(config, clients);
  SubmitJob one = small_job({"true"});
  one.spec.qos = "besteffort";
  one.spec.cpus_per_task = cpus;
  std::int64_t left = jobs;
  submitters.run((jobs + bulk_jobs - 1) / bulk_jobs, [&] {
    const std::int64_t count = std::min(bulk_jobs, left);
    left -= count;
    return bulk_of(one, count);
  });
  const auto view = std::get<ClusterView>(submitters.ask(ShowCluster{}));
  if (view.jobs_pending < jobs) give_up("jobs that should stay queued do not");
}

}  // namespace cox::bench
