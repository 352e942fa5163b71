#include "schedule/model/whole_node.h"

#include <algorithm>

namespace cox::schedule {

void WholeNode::reach(const NodeResources& total) {
  cpus = std::max(cpus, total.cpus);
  memory_mb = std::max(memory_mb, total.memory_mb);
  gpus = std::max(gpus, std::ssize(total.gpus));
  std::map<std::string, std::int64_t> of_type;
  for (const GpuDevice& gpu : total.gpus)
    if (!gpu.type.empty()) ++of_type[gpu.type];
  for (const auto& [type, count] : of_type)
    gpus_of_type[type] = std::max(gpus_of_type[type], count);
}

std::optional<std::int64_t> WholeNode::amount(const TresCount& what) const {
  if (what.what == Tres::Cpus) return cpus;
  if (what.what == Tres::MemoryMb) return memory_mb;
  if (what.what != Tres::GpuMilli) return std::nullopt;
  if (what.type.empty()) return gpus * gpu_whole;
  const auto found = gpus_of_type.find(what.type);
  return found == gpus_of_type.end() ? 0 : found->second * gpu_whole;
}

WholeNode largest_of(const Nodes& nodes, std::span<const NodeAt> at) {
  WholeNode whole;
  for (const NodeAt one : at) whole.reach(nodes[one].node->total);
  return whole;
}

WholeNode largest_of(const Nodes& nodes, const Placement& placement) {
  WholeNode whole;
  for (const NodeGrant& grant : placement) {
    if (const auto at = nodes.find(grant.node)) whole.reach(nodes[*at].node->total);
    // If a node is unknown now or was larger before, the granted amounts count.
    whole.cpus = std::max(whole.cpus, grant.cpus);
    whole.memory_mb = std::max(whole.memory_mb, grant.memory_mb);
    whole.gpus = std::max(whole.gpus, std::ssize(grant.gpus));
  }
  return whole;
}

}  // namespace cox::schedule
