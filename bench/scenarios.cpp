#include "bench/scenarios.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>

#include "bench/measure.h"
#include "bench/submitters.h"
#include "common/io/clock.h"

namespace cox::bench {
namespace {

constexpr Milliseconds look_again{1};

SubmitJob held(SubmitJob job) {
  job.spec.hold = true;
  return job;
}

// Returns the path of a file to which jobs append the time of their start (a stamp). Removes the
// file if an earlier measurement of the group made it.
std::string fresh_path(const std::string& folder, const std::string& name, int number) {
  std::string path = folder + "/" + name + "." + std::to_string(number);
  std::filesystem::remove(path);
  return path;
}

// Waits until the jobs have written `count` stamps, and returns all of them.
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
    if (poller->is_end_requested()) give_up("asked to end");
  }
}

// Returns the milliseconds to read a file into memory, as saver.c does.
double read_ms(const std::string& path, std::size_t bytes) {
  const std::int64_t began = now_ns();
  const auto state = std::make_unique_for_overwrite<char[]>(bytes);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::size_t done = 0;
  for (ssize_t got = 1; fd >= 0 && got > 0; done += static_cast<std::size_t>(got))
    got = std::max<ssize_t>(0, ::read(fd, state.get() + done, bytes - done));
  ::close(fd);
  if (done != bytes) give_up("cannot read " + path);
  return seconds_since(began) * 1e3;
}

// Returns the file that a job of one rank saved at `step`, its newest checkpoint.
std::string saved_file(Submitters& client, JobId id, std::int64_t step) {
  const auto detail = std::get<JobDetail>(client.ask(ShowJob{id}));
  if (detail.checkpoints.empty() || detail.checkpoints.back().step != step)
    give_up("the preempted job did not save step " + std::to_string(step));
  return detail.job_checkpoint_dir + "/attempt-" +
         std::to_string(detail.checkpoints.back().key.attempt.value) + "/step-" +
         std::to_string(step) + "/rank-0";
}

// Returns the job with a request for nodes n1 to n`nodes` alone. Each job gets the same nodes, so
// that the next job must preempt it.
SubmitJob whole_nodes(SubmitJob job, int nodes, const std::string& qos) {
  job.spec.qos = qos;
  job.spec.nodes = job.spec.tasks = nodes;
  for (int i = 1; i <= nodes; ++i) job.spec.nodelist.push_back("n" + std::to_string(i));
  job.spec.exclusive = true;
  return job;
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
  constexpr int clients = 2;  // the controller decodes one request while the other one is committed
  Submitters submitters(config, clients);
  const SubmitJob one = held(small_job({"true"}));
  const std::int64_t began = now_ns();
  submitters.run(jobs / each, [&] { return bulk_of(one, each); });
  report("submit_bulk", static_cast<double>(jobs / each * each) / seconds_since(began), "jobs/s");
}

void measure_scripts(const ClientConfig& config, std::int64_t jobs) {
  constexpr int clients = 4;  // as many as in the measurement of Slurm (bench/peers)
  Submitters submitters(config, clients);
  const std::int64_t began = now_ns();
  submitters.run(jobs, [] { return script_job(); });
  submitters.wait_until_idle();
  report("script_jobs", static_cast<double>(jobs) / seconds_since(began), "jobs/s");
}

void measure_dispatch(const ClientConfig& config, const std::string& stamp,
                      const std::string& folder, int nodes, int count) {
  Submitters client(config, 1);
  std::vector<double> milliseconds;
  for (int i = 0; i < count; ++i) {
    const std::string path = fresh_path(folder, "dispatch", i);
    SubmitJob job = small_job({stamp, path});
    job.spec.nodes = job.spec.tasks = nodes;
    const std::int64_t began = now_ns();
    const JobId id = std::get<Submitted>(client.ask(job)).id;
    const auto started = std::ranges::min(wait_for_stamps(path, 1));
    milliseconds.push_back(static_cast<double>(started - began) / 1e6);
    client.wait_until_ended(id);  // not wait_until_idle(): there may be held jobs
  }
  report_quantiles("dispatch_" + std::to_string(nodes), milliseconds, "ms");
}

void measure_preemption(const ClientConfig& config, const std::string& stamp,
                        const std::string& folder, int nodes, int count) {
  Submitters client(config, 1);
  std::vector<double> start_ms;
  for (int i = 0; i < count; ++i) {
    const std::string path = fresh_path(folder, "preemption", i);
    const std::string victims = fresh_path(folder, "victims", i);
    SubmitJob victim = whole_nodes(small_job({stamp, victims, "stay"}), nodes, "besteffort");
    victim.spec.requeue = false;
    client.ask(victim);
    wait_for_stamps(victims, static_cast<std::size_t>(nodes));
    const SubmitJob urgent = whole_nodes(small_job({stamp, path}), nodes, "critical");
    const std::int64_t began = now_ns();
    client.ask(urgent);
    const auto started = std::ranges::min(wait_for_stamps(path, 1));
    start_ms.push_back(static_cast<double>(started - began) / 1e6);
    client.wait_until_idle();
  }
  report_quantiles("preemption_" + std::to_string(nodes), start_ms, "ms");
}

void measure_return(const ClientConfig& config, const std::string& stamp, const std::string& saver,
                    const std::string& folder, std::int64_t bytes, int count) {
  Submitters client(config, 1);
  const std::string states = fresh_path(folder, "return", 0);
  SubmitJob victim = whole_nodes(small_job({saver, states, std::to_string(bytes)}), 1, "standard");
  victim.spec.checkpoint_signal = SIGUSR1;
  const JobId id = std::get<Submitted>(client.ask(victim)).id;
  std::vector<double> return_ms;
  std::vector<double> reading_ms;
  for (int i = 0; i < count; ++i) {
    const auto attempts = static_cast<std::size_t>(i) + 1;
    wait_for_stamps(states, attempts);
    const std::string path = fresh_path(folder, "urgent", i);
    client.ask(whole_nodes(small_job({stamp, path}), 1, "critical"));
    const auto urgent_ended = wait_for_stamps(path, 1).front();
    const auto returned = wait_for_stamps(states, attempts + 1).back();
    return_ms.push_back(static_cast<double>(returned - urgent_ended) / 1e6);
    reading_ms.push_back(read_ms(saved_file(client, id, i + 1), static_cast<std::size_t>(bytes)));
  }
  client.ask(ActOnJobs{JobVerb::Cancel, {id}});
  client.wait_until_idle();
  report_quantiles("return", return_ms, "ms");
  report_quantiles("state_read", reading_ms, "ms");
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
