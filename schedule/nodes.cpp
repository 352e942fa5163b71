#include "schedule/nodes.h"

#include <algorithm>

#include "common/hostlist.h"
#include "common/limits.h"

namespace cox::schedule {
namespace {

static_assert(limits::gpus_per_node_max <= 64, "GpuBits holds one bit for each device of a node");

NodeFacts facts_of(const WorldNode& node) {
  NodeFacts facts;
  facts.node = &node;
  std::vector<const GpuDevice*> devices;
  for (const GpuDevice& device : node.total.gpus) devices.push_back(&device);
  std::ranges::sort(devices, {}, [](const GpuDevice* device) { return device->index; });
  for (const GpuDevice* device : devices) {
    if (facts.gpu_indices.size() == limits::gpus_per_node_max) break;
    const GpuBits bit = GpuBits{1} << facts.gpu_indices.size();
    facts.gpu_indices.push_back(device->index);
    facts.gpus |= bit;
    auto kind = std::ranges::find(facts.gpu_kinds, device->type, &GpuKind::type);
    if (kind == facts.gpu_kinds.end())
      kind = facts.gpu_kinds.insert(kind, GpuKind{device->type, 0});
    kind->devices |= bit;
  }
  return facts;
}

}  // namespace

GpuBits NodeFacts::devices_of(const std::vector<std::string>& types) const {
  if (types.empty()) return gpus;
  GpuBits devices = 0;
  for (const GpuKind& kind : gpu_kinds)
    if (std::ranges::find(types, kind.type) != types.end()) devices |= kind.devices;
  return devices;
}

Nodes::Nodes(std::vector<WorldNode> nodes) : nodes_(std::move(nodes)) {
  facts_.reserve(nodes_.size());
  for (const WorldNode& node : nodes_) facts_.push_back(facts_of(node));
  std::ranges::sort(facts_, [](const NodeFacts& a, const NodeFacts& b) {
    return host_name_before(a.node->name, b.node->name);
  });
  first_gpu_.push_back(0);
  for (NodeAt at = 0; at < size(); ++at) {
    at_.emplace(name(at), at);
    first_gpu_.push_back(first_gpu_.back() + (*this)[at].gpu_indices.size());
  }
}

std::optional<NodeAt> Nodes::find(const std::string& name) const {
  const auto found = at_.find(name);
  if (found == at_.end()) return std::nullopt;
  return found->second;
}

}  // namespace cox::schedule
