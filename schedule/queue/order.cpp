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

// From 1 for no time at all to 0 for a week and more; each factor in time counts the same.
double shortness(std::optional<Milliseconds> time_limit) {
  constexpr double least_s = 60;
  constexpr double most_s = 7 * 24 * 3600;
  if (!time_limit) return 0;
  const double part =
      std::log1p(std::max(seconds(*time_limit), 0.0) / least_s) / std::log1p(most_s / least_s);
  return std::clamp(1 - part, 0.0, 1.0);
}

// By age alone it changes: what it is of max_age, which is the same for all from one moment to the
// next.
double age_at(const PriorityWeights& weights, Milliseconds waited) {
  return static_cast<double>(weights.age) * static_cast<double>(waited.count()) /
         static_cast<double>(std::max<std::int64_t>(weights.max_age.count(), 1));
}

std::array<PriorityFactor, 9> factors_but_age(const PriorityWeights& weights,
                                              const PriorityInputs& standing) {
  const double size = weights.favor_small ? 1 - standing.nodes_part : standing.nodes_part;
  const auto weighed = [](std::int64_t weight, double factor) {
    return static_cast<double>(weight) * factor;
  };
  return {{{"shortness", weighed(weights.shortness, shortness(standing.time_limit))},
           {"size", weighed(weights.size, size)},
           {"fair share", weighed(weights.fair_share, standing.fair_share)},
           {"partition", weighed(weights.partition, standing.partition)},
           {"QOS", weighed(weights.qos, standing.qos)},
           {"CPUs", weighed(weights.tres_cpu, standing.cpus_part)},
           {"GPUs", weighed(weights.tres_gpu, standing.gpus_part)},
           {"site", static_cast<double>(standing.site)},
           {"nice", static_cast<double>(-standing.nice)}}};
}

double multifactor(const PriorityWeights& weights, const PriorityInputs& standing) {
  double sum = -age_at(weights, standing.eligible - Wall{});
  for (const PriorityFactor& factor : factors_but_age(weights, standing)) sum += factor.points;
  return sum;
}

// Those that have waited for max_age move together, so seldom that it costs nothing.
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

// GPUs count less than time: a large gang that is nearly done goes before many small ones.
double by_remaining(Milliseconds left, double units) {
  constexpr double units_power = 0.7;  // found on Muri's traces: bench/measured.md
  return -std::max(seconds(left), 1.0) * std::pow(units, units_power);
}

double by_attained(Milliseconds ran, double units) {
  constexpr double first_queue_unit_s = 3600;
  const double attained = seconds(ran) * units / first_queue_unit_s;
  return attained < 1 ? 0 : -(1 + std::floor(std::log2(attained)));
}

}  // namespace

bool preempts_inside_tier(OrderPolicy order) {
  return order == OrderPolicy::LeastAttained || order == OrderPolicy::ShortestRemaining ||
         order == OrderPolicy::Gittins;
}

bool takes_room(OrderPolicy order, double waiting, double running) {
  constexpr double much_less = 0.2;  // guesses change: not for a little
  if (order == OrderPolicy::Gittins) return -waiting < much_less * -running;
  return waiting > running;
}

bool ends_starvation(OrderPolicy order) {
  return order == OrderPolicy::Multifactor || order == OrderPolicy::ShortestFirst;
}

double priority_of(const Settings& settings, const PriorityInputs& standing) {
  constexpr double last = std::numeric_limits<double>::lowest();
  const double units = units_of(standing.gpus, standing.cpus);
  switch (settings.order) {
    case OrderPolicy::Fcfs: return 0;
    case OrderPolicy::Multifactor: return multifactor(settings.priority, standing);
    case OrderPolicy::ShortestFirst:
      return standing.time_limit ? -seconds(*standing.time_limit) : last;
    case OrderPolicy::LeastAttained: return by_attained(standing.ran, units);
    case OrderPolicy::ShortestRemaining:
      if (!standing.time_limit) return last;
      return by_remaining(*standing.time_limit, units);
    case OrderPolicy::Gittins: return 0;  // the engine tells, when it knows of the others
  }
  return 0;
}

std::vector<PriorityFactor> factors_of(const Settings& settings, const PriorityInputs& standing,
                                       Wall now) {
  if (settings.order != OrderPolicy::Multifactor) return {};
  const PriorityWeights& weights = settings.priority;
  const Milliseconds waited = std::max(now - standing.eligible, Milliseconds{0});
  std::vector<PriorityFactor> all{{"age", age_at(weights, std::min(waited, weights.max_age))}};
  std::ranges::move(factors_but_age(weights, standing), std::back_inserter(all));
  return all;
}

double fair_share_of(const Settings& settings, const PriorityInputs& standing) {
  if (settings.order != OrderPolicy::Multifactor) return 0;
  return static_cast<double>(settings.priority.fair_share) * standing.fair_share;
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

double priority_of(const Settings& settings, const RunningJob& job, Boot now) {
  constexpr double last = std::numeric_limits<double>::lowest();
  const double units = std::max(job.loss_per_second_units, 1.0);
  if (settings.order == OrderPolicy::LeastAttained) return by_attained(service_of(job, now), units);
  return job.ends_by ? by_remaining(*job.ends_by - now, units) : last;
}

}  // namespace cox::schedule
