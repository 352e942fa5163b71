#include "controller/state/node_table.h"

#include <algorithm>
#include <utility>

#include "schedule/queue/quota.h"

namespace cox {
namespace {

bool is_mixed(const Node& node) {
  const auto& gpus = node.total.gpus;
  return std::ranges::any_of(gpus,
                             [&](const GpuDevice& gpu) { return gpu.type != gpus.front().type; });
}

}  // namespace

const Node* NodeTable::find(const std::string& name) const {
  const auto it = nodes_.find(name);
  return it == nodes_.end() ? nullptr : &it->second;
}

std::int64_t NodeTable::total_of(const TresCount& tres) const {
  constexpr std::size_t tres_kinds_max = 4096;
  if (totals_.size() >= tres_kinds_max) totals_.clear();
  const auto [known, is_new] = totals_.emplace(tres_name(tres), 0);
  if (is_new)
    for (const auto& [name, node] : nodes_) known->second += schedule::amount_of(node.total, tres);
  return known->second;
}

NodeTable::GpuTypes NodeTable::put(Node node) {
  totals_.clear();
  Node& kept = nodes_[node.name];
  const bool same_gpus = kept.total.gpus == node.total.gpus;
  const GpuTypes types = same_gpus ? GpuTypes::Same : count_gpu_types(kept, node);
  capacity_.cpus += node.total.cpus - kept.total.cpus;
  capacity_.gpus += std::ssize(node.total.gpus) - std::ssize(kept.total.gpus);
  kept = std::move(node);
  return types;
}

NodeTable::GpuTypes NodeTable::count_gpu_types(const Node& before, const Node& now) {
  const auto names = [](const auto& types) {
    std::vector<std::string> all;
    for (const auto& [name, count] : types) all.push_back(name);
    return all;
  };
  const std::vector<std::string> types_before = names(gpu_types_);
  const bool was_mixed = has_mixed_gpus();
  mixed_gpu_nodes_ += (is_mixed(now) ? 1 : 0) - (is_mixed(before) ? 1 : 0);
  for (const GpuDevice& device : now.total.gpus) ++gpu_types_[device.type];
  for (const GpuDevice& device : before.total.gpus) --gpu_types_[device.type];
  std::erase_if(gpu_types_, [](const auto& one) { return one.second == 0; });
  if (names(gpu_types_) == types_before && has_mixed_gpus() == was_mixed) return GpuTypes::Same;
  return gpu_types_.size() < 2 && types_before.size() < 2 ? GpuTypes::OnlyOne : GpuTypes::Differ;
}

}  // namespace cox
