#include "schedule/queue/order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

namespace cox::schedule {
namespace {

double seconds(Milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

// Returns the factor for short jobs, on a logarithmic scale: 1 for a time limit of 0, down to 0 for
// a week, for more and for none.
double shortness(std::optional<Milliseconds> time_limit) {
  constexpr double least_s = 60;
  constexpr double most_s = 7 * 24 * 3600;
  if (!time_limit) return 0;
  const double part =
      std::log1p(std::max(seconds(*time_limit), 0.0) / least_s) / std::log1p(most_s / least_s);
  return std::clamp(1 - part, 0.0, 1.0);
}

// Returns the points for age. No other factor changes while a job waits, and age grows equally for
// all waiting jobs.
double age_at(const PriorityWeights& weights, Milliseconds waited) {
  return static_cast<double>(weights.age) * static_cast<double>(waited.count()) /
         static_cast<double>(std::max<std::int64_t>(weights.max_age.count(), 1));
}

std::array<PriorityFactor, 9> factors_but_age(const PriorityWeights& weights,
                                              const PriorityInputs& inputs) {
  const double size = weights.favor_small ? 1 - inputs.nodes_part : inputs.nodes_part;
  const auto weighed = [](std::int64_t weight, double factor) {
    return static_cast<double>(weight) * factor;
  };
  return {{{"shortness", weighed(weights.shortness, shortness(inputs.time_limit))},
           {"size", weighed(weights.size, size)},
           {"fair share", weighed(weights.fair_share, inputs.fair_share)},
           {"partition", weighed(weights.partition, inputs.partition)},
           {"QOS", weighed(weights.qos, inputs.qos)},
           {"CPUs", weighed(weights.tres_cpu, inputs.cpus_part)},
           {"GPUs", weighed(weights.tres_gpu, inputs.gpus_part)},
           {"site", static_cast<double>(inputs.site)},
           {"nice", static_cast<double>(-inputs.nice)}}};
}

double multifactor(const PriorityWeights& weights, const PriorityInputs& inputs) {
  double sum = -age_at(weights, inputs.eligible - Wall{});
  for (const PriorityFactor& factor : factors_but_age(weights, inputs)) sum += factor.points;
  return sum;
}

// Returns the priority of jobs that have waited for max_age_of(). It changes in 16 steps per
// max_age, so that the queue is seldom reordered.
double aged(const PriorityWeights& weights, Wall now) {
  constexpr std::int64_t steps = 16;
  const std::int64_t step = std::max<std::int64_t>(weights.max_age.count() / steps, 1);
  const double age = static_cast<double>(to_ms(now) / step * step) /
                     static_cast<double>(std::max<std::int64_t>(weights.max_age.count(), 1));
  const std::int64_t most = weights.age + weights.shortness + weights.size + weights.partition +
                            weights.qos + weights.tres_cpu + weights.tres_gpu;
  return static_cast<double>(most) - static_cast<double>(weights.age) * age;
}

double units_of(std::int64_t gpus, std::int64_t cpus) {
  return static_cast<double>(std::max<std::int64_t>(gpus > 0 ? gpus : cpus, 1));
}

// GPUs weigh less than time: a large gang that is nearly done goes before many small ones.
double by_remaining(Milliseconds left, double units) {
  constexpr double units_power = 0.7;  // found on Muri's traces: bench/measured.md
  return -std::max(seconds(left), 1.0) * std::pow(units, units_power);
}

// Returns the smaller of the times that are known.
std::optional<Milliseconds> sooner(std::optional<Milliseconds> a, std::optional<Milliseconds> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

double by_attained(Milliseconds ran, double units) {
  constexpr double first_queue_unit_s = 3600;
  const double attained = seconds(ran) * units / first_queue_unit_s;
  return attained < 1 ? 0 : -(1 + std::floor(std::log2(attained)));
}

}  // namespace

Milliseconds max_age_of(const PriorityWeights& weights, Milliseconds longest) {
  constexpr double steps_per_doubling = 4;
  const Milliseconds least = std::min(weights.max_age_min, weights.max_age);
  if (longest <= least) return least;
  const double step =
      std::floor(std::log2(static_cast<double>(longest.count())) * steps_per_doubling);
  const Milliseconds rounded{std::llround(std::exp2(step / steps_per_doubling))};
  return std::clamp(rounded, least, weights.max_age);
}

bool preempts_inside_tier(OrderPolicy order) {
  return order == OrderPolicy::LeastAttained || order == OrderPolicy::ShortestRemaining ||
         order == OrderPolicy::Gittins;
}

bool ends_starvation(OrderPolicy order) {
  return order == OrderPolicy::Multifactor || order == OrderPolicy::ShortestFirst;
}

double priority_of(const Settings& settings, const PriorityInputs& inputs) {
  constexpr double last = std::numeric_limits<double>::lowest();
  const double units = units_of(inputs.gpus, inputs.cpus);
  switch (settings.order) {
    case OrderPolicy::Fcfs: return 0;
    case OrderPolicy::Multifactor: return multifactor(settings.priority, inputs);
    case OrderPolicy::ShortestFirst: return inputs.time_limit ? -seconds(*inputs.time_limit) : last;
    case OrderPolicy::LeastAttained: return by_attained(inputs.ran, units);
    case OrderPolicy::ShortestRemaining:
      if (const auto left = sooner(inputs.time_limit, inputs.work_left))
        return by_remaining(*left, units);
      return last;
    case OrderPolicy::Gittins: return 0;  // the engine computes it before each pass
  }
  return 0;
}

std::vector<PriorityFactor> factors_of(const Settings& settings, const PriorityInputs& inputs,
                                       Wall now) {
  if (settings.order != OrderPolicy::Multifactor) return {};
  const PriorityWeights& weights = settings.priority;
  const Milliseconds waited = std::max(now - inputs.eligible, Milliseconds{0});
  std::vector<PriorityFactor> all{{"age", age_at(weights, std::min(waited, weights.max_age))}};
  std::ranges::move(factors_but_age(weights, inputs), std::back_inserter(all));
  return all;
}

double fair_share_of(const Settings& settings, const PriorityInputs& inputs) {
  if (settings.order != OrderPolicy::Multifactor) return 0;
  return static_cast<double>(settings.priority.fair_share) * inputs.fair_share;
}

double priority_of_aged(const Settings& settings, Wall now) {
  if (settings.order == OrderPolicy::Multifactor) return aged(settings.priority, now);
  return std::numeric_limits<double>::infinity();
}

std::int64_t units_of(const Request& request) {
  if (!request.components.empty()) {
    std::int64_t units = 0;
    for (const Shared<Request>& one : request.components) units += units_of(*one);
    return units;
  }
  return request.gpus_per_node > 0 ? request.nodes * request.gpus_per_node
                                   : request.tasks * request.cpus_per_task;
}

Milliseconds service_of(const RunningJob& job, Boot now) {
  return job.suspended ? job.ran_before : job.ran_before + (now - job.began);
}

std::optional<Milliseconds> work_left(const RunningJob& job, Boot now) {
  if (!job.done_by || *job.done_by <= now) return std::nullopt;
  return *job.done_by - now;
}

double priority_of(const Settings& settings, const RunningJob& job, Boot now) {
  constexpr double last = std::numeric_limits<double>::lowest();
  const double units = std::max(job.loss_per_second_units, 1.0);
  if (settings.order == OrderPolicy::LeastAttained) return by_attained(service_of(job, now), units);
  std::optional<Milliseconds> of_limit;
  if (job.ends_by) of_limit = *job.ends_by - now;
  const auto left = sooner(of_limit, work_left(job, now));
  return left ? by_remaining(*left, units) : last;
}

}  // namespace cox::schedule
