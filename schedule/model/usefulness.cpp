#include "schedule/model/usefulness.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <string>

namespace cox::schedule {
namespace {

// Only the usual tasks with the largest weights are considered, at most so many. With 64 of them,
// 0.2 % fewer GPUs of the openb trace can be allocated.
constexpr std::size_t usual_tasks_max = 128;
constexpr double share_free = 0.7;
constexpr double share_with_cpus = 0.3;

struct Weighed {
  const UsualRequest* task = nullptr;
  double weight = 0;
};

// Returns the number of GPU devices of each type in the cluster.
std::map<std::string, double> devices_by_type(const Nodes& nodes) {
  std::map<std::string, double> devices;
  for (NodeAt at = 0; at < nodes.size(); ++at)
    for (const GpuKind& kind : nodes[at].gpu_kinds)
      devices[kind.type] += std::popcount(kind.devices);
  return devices;
}

std::vector<Weighed> weigh(const Nodes& nodes, const DemandProfile& usual) {
  const std::map<std::string, double> devices = devices_by_type(nodes);
  double all = 0;
  for (const auto& [type, count] : devices) all += count;
  std::vector<Weighed> weighed;
  double total = 0;
  for (const auto& [task, count] : usual.counts()) {
    double acceptable = 0;
    for (const auto& [type, there_are] : devices)
      if (task.gpu_types.empty() || std::ranges::find(task.gpu_types, type) != task.gpu_types.end())
        acceptable += there_are;
    if (acceptable == 0) continue;
    weighed.push_back({&task, count * std::sqrt(all / acceptable)});
  }
  std::ranges::stable_sort(weighed, std::ranges::greater{}, &Weighed::weight);
  if (weighed.size() > usual_tasks_max) weighed.resize(usual_tasks_max);
  for (const Weighed& one : weighed) total += one.weight;
  for (Weighed& one : weighed) one.weight /= total;
  return weighed;
}

}  // namespace

Usefulness::Usefulness(const Nodes& nodes, const DemandProfile& usual) {
  const std::vector<Weighed> weighed = weigh(nodes, usual);
  if (weighed.empty()) return;
  for (NodeAt at = 0; at < nodes.size(); ++at) {
    const std::vector<GpuKind>& kinds = nodes[at].gpu_kinds;
    auto sort = std::ranges::find(sorts_, kinds, &Sort::kinds);
    if (sort == sorts_.end()) {
      sort = sorts_.insert(sort, Sort{kinds, {}, {}});
      for (const Weighed& one : weighed) add(*sort, *one.task, one.weight);
    }
    sort_of_.push_back(static_cast<std::size_t>(sort - sorts_.begin()));
  }
}

void Usefulness::add(Sort& sort, const UsualRequest& task, double weight) const {
  Pool pool{0, task.gpu_milli};
  for (const GpuKind& kind : sort.kinds)
    if (task.gpu_types.empty() ||
        std::ranges::find(task.gpu_types, kind.type) != task.gpu_types.end())
      pool.devices |= kind.devices;
  if (std::popcount(pool.devices) < task.gpus) return;
  auto known = std::ranges::find(sort.pools, pool);
  if (known == sort.pools.end()) known = sort.pools.insert(known, pool);
  sort.tasks.push_back({static_cast<double>(task.cpus), task.gpus,
                        static_cast<double>(task.gpus * task.gpu_milli), weight,
                        static_cast<std::size_t>(known - sort.pools.begin())});
}

double Usefulness::of(NodeAt at, std::int64_t cpus,
                      std::span<const std::uint16_t> gpu_milli) const {
  struct Free {
    double milli = 0;
    std::int64_t devices = 0;
  };
  std::array<Free, usual_tasks_max> free;
  const Sort& sort = sorts_[sort_of_[static_cast<std::size_t>(at)]];
  for (std::size_t i = 0; i < sort.pools.size(); ++i) {
    free[i] = {};
    for (std::size_t device = 0; device < gpu_milli.size(); ++device) {
      if (gpu_milli[device] < sort.pools[i].milli) continue;
      if ((sort.pools[i].devices >> device & 1) == 0) continue;
      free[i].milli += gpu_milli[device];
      ++free[i].devices;
    }
  }
  double useful = 0;
  const auto free_cpus = static_cast<double>(cpus);
  for (const Task& task : sort.tasks) {
    const Free& pool = free[task.pool];
    if (free_cpus < task.cpus || pool.devices < task.gpus) continue;
    double with_cpus = pool.milli;
    if (task.cpus > 0) with_cpus = std::min(with_cpus, free_cpus / task.cpus * task.share_milli);
    useful += task.weight * (share_free * pool.milli + share_with_cpus * with_cpus);
  }
  return useful;
}

}  // namespace cox::schedule
