#include "simulate/run/occupancy.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "common/base/check.h"

namespace cox::simulate {
namespace {

// number of job classes considered, the most frequent; others hardly matter
constexpr std::size_t classes_max = 100;
constexpr std::int64_t whole_gpu = 1'000;

}  // namespace

std::vector<Occupancy::Class> Occupancy::classes_of(const std::vector<TraceJob>& jobs) {
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::vector<std::string>>;
  std::map<Key, std::int64_t> counts;
  for (const TraceJob& job : jobs) {
    const std::int64_t nodes = std::max<std::int64_t>(job.nodes, 1);
    const std::int64_t tasks = (job.tasks + nodes - 1) / nodes;
    ++counts[Key(tasks * job.cpu_milli_per_task, job.gpus, job.gpu_milli, job.gpu_types)];
  }
  std::vector<Class> classes;
  for (const auto& [key, count] : counts) {
    const auto& [cpu_milli, gpus, gpu_milli, types] = key;
    classes.push_back({cpu_milli, gpus, gpu_milli, types, static_cast<double>(count)});
  }
  std::ranges::stable_sort(classes, std::greater<>{}, &Class::weight);
  if (classes.size() > classes_max) classes.resize(classes_max);
  double sum = 0;
  for (const Class& each : classes) sum += each.weight;
  for (Class& each : classes) each.weight /= sum;
  return classes;
}

Occupancy::Occupancy(const Cluster& cluster, const std::vector<TraceJob>& jobs)
    : cluster_(cluster) {
  if (cluster.gpus() > 0) classes_ = classes_of(jobs);
  for (const ClusterNode& node : cluster.nodes)
    free_.push_back({node.cpu_milli, node.memory_mb,
                     std::vector<std::int64_t>(node.gpus.size(), whole_gpu), 0});
  for (std::size_t at = 0; at < free_.size(); ++at) look_again(static_cast<std::int32_t>(at));
}

void Occupancy::take(const Holdings& holdings) {
  for (const Holding& holding : holdings) change(holding, 1);
}

void Occupancy::give_back(const Holdings& holdings) {
  for (const Holding& holding : holdings) change(holding, -1);
}

void Occupancy::change(const Holding& holding, std::int64_t sign) {
  Free& free = free_[static_cast<std::size_t>(holding.node)];
  free.cpu_milli -= sign * holding.cpu_milli;
  free.memory_mb -= sign * holding.memory_mb;
  CHECK(free.cpu_milli >= 0 && free.memory_mb >= 0);
  for (const std::int32_t gpu : holding.gpus) {
    std::int64_t& milli = free.gpu_milli.at(static_cast<std::size_t>(gpu));
    milli -= sign * holding.gpu_milli;
    CHECK(milli >= 0 && milli <= whole_gpu);
    gpu_milli_used_ += sign * holding.gpu_milli;
  }
  cpu_milli_used_ += sign * holding.cpu_milli;
  look_again(holding.node);
}

double Occupancy::fragmented_for(const Class& like, const Free& free,
                                 const ClusterNode& node) const {
  double all = 0;
  double too_full = 0;
  std::int64_t fitting = 0;
  for (const std::int64_t milli : free.gpu_milli) {
    all += static_cast<double>(milli);
    if (milli >= like.gpu_milli) ++fitting;
    if (milli < like.gpu_milli) too_full += static_cast<double>(milli);
  }
  const bool type_allowed = like.types.empty() || node.gpus.empty() ||
                            std::ranges::find(like.types, node.gpus.front()) != like.types.end();
  const bool takes_it =
      like.gpus > 0 && fitting >= like.gpus && type_allowed && free.cpu_milli >= like.cpu_milli;
  return takes_it ? too_full : all;
}

void Occupancy::look_again(std::int32_t node) {
  Free& free = free_[static_cast<std::size_t>(node)];
  const ClusterNode& facts = cluster_.nodes[static_cast<std::size_t>(node)];
  if (facts.gpus.empty()) return;
  double sum = 0;
  for (const Class& like : classes_) sum += like.weight * fragmented_for(like, free, facts);
  fragmented_ += sum - free.fragmented;
  free.fragmented = sum;
}

}  // namespace cox::simulate
