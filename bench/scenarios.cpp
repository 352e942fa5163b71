#include "bench/scenarios.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/fake_nodes.h"
#include "bench/measure.h"
#include "bench/submitters.h"
#include "common/io/clock.h"

namespace cox::bench {
namespace {

constexpr Milliseconds look_again{1};
constexpr std::int64_t bulk_jobs = 1'000;

SubmitJobs bulk_of(const SubmitJob& one, std::int64_t count) {
  SubmitJobs many;
  many.request_id = random_hex(16);
  many.script = one.script;
  many.environment = one.environment;
  many.specs.assign(static_cast<std::size_t>(count), one.spec);
  return many;
}

SubmitJob held(SubmitJob job) {
  job.spec.hold = true;
  return job;
}

// A path for stamps that nothing has been written to: a group may be measured twice.
std::string fresh_path(const std::string& folder, const std::string& name, int number) {
  std::string path = folder + "/" + name + "." + std::to_string(number);
  std::filesystem::remove(path);
  return path;
}

// The moments the jobs have written, once there are `count`.
std::vector<std::int64_t> wait_for_stamps(const std::string& path, std::size_t count) {
  const auto poller = Poller::create();
  const std::int64_t began = now_ns();
  for (;;) {
    std::ifstream file(path);
    std::vector<std::int64_t> stamps;
    for (std::int64_t stamp = 0; file >> stamp;) stamps.push_back(stamp);
    if (stamps.size() >= count) return stamps;
    if (seconds_since(began) > 60) give_up("a job did not start within 60 s: " + path);
    poller->wait(look_again);
    if (poller->asked_to_end()) give_up("asked to end");
  }
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

void measure_submits(const ClientConfig& config, int clients, std::int64_t jobs) {
  Submitters submitters(config, clients);
  const std::int64_t began = now_ns();
  const auto latencies = submitters.run(jobs, [] { return held(small_job({"true"})); });
  const std::string name = "submit_" + std::to_string(clients);
  report(name, static_cast<double>(jobs) / seconds_since(began), "jobs/s");
  report_quantiles(name + "_latency", latencies, "ms");
}

void measure_bulk(const ClientConfig& config, std::int64_t jobs, std::int64_t each) {
  constexpr int clients = 2;  // one is decoded while the other is written
  Submitters submitters(config, clients);
  const SubmitJob one = held(small_job({"true"}));
  const std::int64_t began = now_ns();
  submitters.run(jobs / each, [&] { return bulk_of(one, each); });
  report("submit_bulk", static_cast<double>(jobs / each * each) / seconds_since(began), "jobs/s");
}

void measure_scripts(const ClientConfig& config, std::int64_t jobs) {
  constexpr int clients = 4;  // as the peer's measurement
  Submitters submitters(config, clients);
  const std::int64_t began = now_ns();
  submitters.run(jobs, [] { return script_job(); });
  submitters.wait_until_idle();
  report("script_jobs", static_cast<double>(jobs) / seconds_since(began), "jobs/s");
}

void measure_null(const ClientConfig& config, int nodes, std::int64_t jobs) {
  FakeNodes fakes(config, nodes, 8);
  fakes.join();
  // The requests go out from here as well, so that one thread does it all; their answers are jobs
  // that end.
  auto connection = Connection::open({config.controller, config.controller_key, {}});
  if (!connection) give_up(connection.refusal().fact);
  const SubmitJob one = small_job({"true"});
  const std::int64_t began = now_ns();
  for (std::int64_t sent = 0; sent < jobs; sent += bulk_jobs)
    (*connection)->send({Request{sent, bulk_of(one, bulk_jobs)}});
  std::int64_t said = 0;
  while (fakes.ended() < jobs) {
    fakes.turn(Milliseconds{10});
    if (seconds_since(began) > 600) give_up("the jobs did not end within 600 s");
    for (; said + 10'000 <= fakes.ended(); said += 10'000)
      std::fprintf(stderr, "cox-bench: %ld of %ld jobs have ended\n", fakes.ended(), jobs);
  }
  report("null_jobs", static_cast<double>(jobs) / seconds_since(began), "jobs/s");
}

void measure_idle(const ClientConfig& config, int nodes, double seconds, int pid) {
  FakeNodes fakes(config, nodes, 8);
  fakes.join();
  for (const std::int64_t settled = now_ns(); seconds_since(settled) < 3;)
    fakes.turn(Milliseconds{100});
  const double before = cpu_seconds(pid);
  const std::int64_t began = now_ns();
  while (seconds_since(began) < seconds) fakes.turn(Milliseconds{10});
  report("idle_cpu", (cpu_seconds(pid) - before) / seconds_since(began), "cores");
}

void measure_dispatch(const ClientConfig& config, const std::string& stamp,
                      const std::string& folder, int count) {
  Submitters client(config, 1);
  std::vector<double> milliseconds;
  for (int i = 0; i < count; ++i) {
    const std::string path = fresh_path(folder, "dispatch", i);
    const SubmitJob job = small_job({stamp, path});
    const std::int64_t began = now_ns();
    client.ask(job);
    const auto started = wait_for_stamps(path, 1).front();
    milliseconds.push_back(static_cast<double>(started - began) / 1e6);
    client.wait_until_idle();
  }
  report_quantiles("dispatch", milliseconds, "ms");
}

void measure_preemption(const ClientConfig& config, const std::string& stamp,
                        const std::string& folder, int nodes, std::int64_t cpus, int count) {
  Submitters client(config, 1);
  std::vector<double> start_ms;
  for (int i = 0; i < count; ++i) {
    const std::string path = fresh_path(folder, "preemption", i);
    const std::string victims = fresh_path(folder, "victims", i);
    SubmitJob victim = small_job({stamp, victims, "stay"});
    victim.spec.qos = "besteffort";
    victim.spec.nodes = victim.spec.tasks = nodes;
    victim.spec.cpus_per_task = cpus;
    victim.spec.requeue = false;
    client.ask(victim);
    wait_for_stamps(victims, static_cast<std::size_t>(nodes));
    SubmitJob urgent = victim;
    urgent.request_id = random_hex(16);
    urgent.spec.qos = "critical";
    urgent.spec.command = {stamp, path};
    const std::int64_t began = now_ns();
    client.ask(urgent);
    const auto started = std::ranges::min(wait_for_stamps(path, 1));
    start_ms.push_back(static_cast<double>(started - began) / 1e6);
    client.wait_until_idle();
  }
  report_quantiles("preemption", start_ms, "ms");
}

void measure_gang(const ClientConfig& config, const std::string& stamp, const std::string& folder,
                  int nodes, int ranks, int count) {
  Submitters client(config, 1);
  std::vector<double> milliseconds;
  for (int i = 0; i < count; ++i) {
    const std::string path = fresh_path(folder, "gang", i);
    SubmitJob job = small_job({stamp, path});
    job.spec.nodes = nodes;
    job.spec.tasks = ranks;
    const std::int64_t began = now_ns();
    client.ask(job);
    const auto started = wait_for_stamps(path, static_cast<std::size_t>(ranks));
    milliseconds.push_back(static_cast<double>(std::ranges::max(started) - began) / 1e6);
    client.wait_until_idle();
  }
  report_quantiles("gang", milliseconds, "ms");
}

}  // namespace cox::bench
