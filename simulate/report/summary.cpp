#include "simulate/report/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cox::simulate {
namespace {

constexpr double slowdown_bound_s = 10;
constexpr double ms_per_hour = 3'600'000;

double seconds(Milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

// Sums over the jobs that ended.
struct Gathered {
  std::vector<double> wait_s;
  std::vector<double> slowdown;
  std::vector<double> completion_s;
  std::vector<double> recorded_wait_s;
  std::vector<double> recorded_completion_s;
  double cpu_seconds = 0;  // CPU-seconds of work done, without time lost by preemptions
  double gpu_seconds = 0;
  Milliseconds first = Milliseconds::max();
  Milliseconds last = Milliseconds::min();

  void add(const TraceJob& job, const JobRecord& record) {
    const double completion = seconds(*record.end - job.submit);
    const double run = seconds(job.run);
    wait_s.push_back(seconds(record.waited));
    completion_s.push_back(completion);
    slowdown.push_back(std::max(1.0, completion / std::max(run, slowdown_bound_s)));
    if (job.recorded_wait) recorded_wait_s.push_back(seconds(*job.recorded_wait));
    if (job.recorded_completion) recorded_completion_s.push_back(seconds(*job.recorded_completion));
    cpu_seconds +=
        run * static_cast<double>(job.tasks) * static_cast<double>(job.cpu_milli_per_task) / 1'000;
    gpu_seconds += run * static_cast<double>(std::max<std::int64_t>(job.nodes, 1)) *
                   static_cast<double>(job.gpus * job.gpu_milli) / 1'000;
    first = std::min(first, job.submit);
    last = std::max(last, *record.end);
  }
};

// Returns the mean over time; the value of each moment holds until the next moment.
template <class Value>
double mean_over_time(const std::vector<Moment>& moments, Value value) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < moments.size(); ++i)
    sum += value(moments[i]) * seconds(moments[i + 1].at - moments[i].at);
  const double whole = moments.empty() ? 0 : seconds(moments.back().at - moments.front().at);
  return whole > 0 ? sum / whole : 0;
}

// Returns the spread of values that the trace recorded; empty unless it has one for every ended
// job.
std::optional<Spread> recorded(std::vector<double> values, std::int64_t jobs) {
  if (values.empty() || std::ssize(values) != jobs) return std::nullopt;
  return spread_of(std::move(values));
}

void add_gpus(Summary& summary, const Cluster& cluster, const Simulated& simulated,
              double gpu_seconds) {
  const auto gpus = static_cast<double>(cluster.gpus());
  if (gpus == 0) return;
  const double milli = gpus * 1'000;
  summary.gpu_utilisation =
      summary.makespan_s > 0 ? gpu_seconds / (gpus * summary.makespan_s) : 0.0;
  summary.gpu_allocation = mean_over_time(simulated.moments, [milli](const Moment& moment) {
    return static_cast<double>(moment.gpu_milli_used) / milli;
  });
  summary.gpu_fragmentation = mean_over_time(simulated.moments, [milli](const Moment& moment) {
    return moment.gpu_milli_fragmented / milli;
  });
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto size = static_cast<double>(values.size());
  const auto percentile = [&](double pct) {
    const auto rank = static_cast<std::size_t>(std::ceil(pct / 100 * size));
    return values[std::max<std::size_t>(rank, 1) - 1];
  };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum / size, percentile(50), percentile(95), percentile(99), values.back()};
}

Summary summary_of(const Cluster& cluster, const Trace& trace, const Simulated& simulated) {
  Summary summary;
  Gathered gathered;
  summary.jobs = std::ssize(trace.jobs);
  summary.skipped = trace.skipped;
  for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
    const JobRecord& record = simulated.jobs[i];
    if (!record.possible) ++summary.impossible;
    if (record.possible && !record.first_start) ++summary.never_started;
    if (record.end) gathered.add(trace.jobs[i], record);
  }
  summary.ended = std::ssize(gathered.wait_s);
  if (summary.ended > 0) summary.makespan_s = seconds(gathered.last - gathered.first);
  summary.recorded_wait_s = recorded(std::move(gathered.recorded_wait_s), summary.ended);
  summary.recorded_completion_s =
      recorded(std::move(gathered.recorded_completion_s), summary.ended);
  summary.wait_s = spread_of(std::move(gathered.wait_s));
  summary.slowdown = spread_of(std::move(gathered.slowdown));
  summary.completion_s = spread_of(std::move(gathered.completion_s));
  const double cpus = static_cast<double>(cluster.cpu_milli()) / 1'000;
  if (summary.makespan_s > 0)
    summary.cpu_utilisation = gathered.cpu_seconds / (cpus * summary.makespan_s);
  add_gpus(summary, cluster, simulated, gathered.gpu_seconds);
  for (const Moment& moment : simulated.moments)
    summary.queue_max = std::max(summary.queue_max, moment.pending);
  summary.preemptions = simulated.preemptions;
  summary.useless_kills = simulated.useless_kills;
  summary.lost_gpu_hours = simulated.lost_gpu_ms / ms_per_hour;
  summary.lost_cpu_hours = simulated.lost_cpu_ms / ms_per_hour;
  return summary;
}

}  // namespace cox::simulate
