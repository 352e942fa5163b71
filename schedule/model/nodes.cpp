#include "schedule/model/nodes.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/cluster/gpu_islands.h"

namespace cox::schedule {
namespace {

static_assert(limits::gpus_per_node_max <= 64, "GpuBits holds one bit for each device of a node");

std::vector<GpuBits> islands_of(const std::vector<const GpuDevice*>& devices) {
  std::map<std::int32_t, GpuBits> islands;
  for (std::size_t i = 0; i < devices.size(); ++i) islands[devices[i]->island] |= GpuBits{1} << i;
  std::vector<GpuBits> found;
  if (islands.size() > 1)
    for (const auto& [number, island] : islands) found.push_back(island);
  std::ranges::sort(found, {}, [](GpuBits island) { return std::countr_zero(island); });
  return found;
}

NodeFacts facts_of(const SchedulerNode& node) {
  NodeFacts facts;
  facts.node = &node;
  std::vector<const GpuDevice*> devices;
  for (const GpuDevice& device : node.total.gpus) devices.push_back(&device);
  std::ranges::sort(devices, {}, [](const GpuDevice* device) { return device->index; });
  if (std::cmp_greater(devices.size(), limits::gpus_per_node_max))
    devices.resize(limits::gpus_per_node_max);
  facts.islands = islands_of(devices);
  for (const GpuDevice* device : devices) {
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

// Orders nodes along the topology, then by name. Nodes without a domain come last.
bool along_topology(const SchedulerNode& a, const SchedulerNode& b) {
  if (a.domains != b.domains) {
    if (a.domains.empty() || b.domains.empty()) return b.domains.empty();
    return std::ranges::lexicographical_compare(a.domains, b.domains, host_name_before);
  }
  return host_name_before(a.name, b.name);
}

// Returns the domain and all domains around it, which distinguish domains of the same name.
std::span<const std::string> path_to(const SchedulerNode& node, std::size_t level) {
  const std::size_t depth = node.domains.size();
  if (level >= depth) return {};
  return {node.domains.data(), depth - level};
}

}  // namespace

GpuBits NodeFacts::devices_of(const std::vector<std::string>& types) const {
  if (types.empty()) return gpus;
  GpuBits devices = 0;
  for (const GpuKind& kind : gpu_kinds)
    if (std::ranges::find(types, kind.type) != types.end()) devices |= kind.devices;
  return devices;
}

Nodes::Nodes(std::vector<SchedulerNode> nodes, const Settings& settings)
    : nodes_(std::move(nodes)), level_names_(settings.topology_levels) {
  facts_.reserve(nodes_.size());
  for (const SchedulerNode& node : nodes_) facts_.push_back(facts_of(node));
  std::ranges::sort(facts_, [](const NodeFacts& a, const NodeFacts& b) {
    return along_topology(*a.node, *b.node);
  });
  std::vector<const SchedulerNode*> in_order;
  for (const NodeFacts& facts : facts_) in_order.push_back(facts.node);
  counted_.emplace(in_order, settings.licences);
  number_sorts();
  resolve_levels();
  first_gpu_.push_back(0);
  for (NodeAt at = 0; at < size(); ++at) {
    at_.emplace(name(at), at);
    first_gpu_.push_back(first_gpu_.back() + (*this)[at].gpu_indices.size());
  }
}

bool Nodes::take_availability(const std::vector<SchedulerNode>& nodes) {
  const auto is_the_same = [this](const SchedulerNode& node) {
    const auto at = find(node.name);
    if (!at) return false;
    const SchedulerNode& known = *(*this)[*at].node;
    return known.total == node.total && known.features == node.features &&
           known.domains == node.domains && known.weight == node.weight;
  };
  if (nodes.size() != nodes_.size() || !std::ranges::all_of(nodes, is_the_same)) return false;
  for (const SchedulerNode& node : nodes) {
    const auto place = facts_[static_cast<std::size_t>(*find(node.name))].node - nodes_.data();
    SchedulerNode& known = nodes_[static_cast<std::size_t>(place)];
    known.available = node.available;
    known.unavailable_why = node.unavailable_why;
  }
  return true;
}

void Nodes::number_sorts() {
  const auto kinds = static_cast<std::ptrdiff_t>(counted_->gres_kinds());
  const auto fixed = [&](NodeAt at) {
    const NodeFacts& facts = (*this)[at];
    const SchedulerNode& node = *facts.node;
    const auto gres = counted_->idle_gres().begin() + at * kinds;
    return std::tuple(node.total.cpus, node.total.memory_mb, facts.gpu_kinds, facts.islands,
                      node.features, node.weight, std::vector(gres, gres + kinds));
  };
  std::map<decltype(fixed(0)), std::int32_t> sorts;
  for (NodeAt at = 0; at < size(); ++at)
    facts_[static_cast<std::size_t>(at)].sort =
        sorts.try_emplace(fixed(at), static_cast<std::int32_t>(sorts.size())).first->second;
  sorts_ = sorts.size();
}

void Nodes::resolve_levels() {
  std::size_t depth = 0;
  for (const NodeFacts& facts : facts_) depth = std::max(depth, facts.node->domains.size());
  levels_.resize(depth);
  leaf_of_.assign(facts_.size(), -1);
  for (std::size_t level = 0; level < depth; ++level) {
    std::span<const std::string> last;
    for (NodeAt at = 0; at < size(); ++at) {
      const auto path = path_to(*(*this)[at].node, level);
      if (!path.empty() && !std::ranges::equal(path, last))
        levels_[level].push_back({path.back(), at, at});
      if (!path.empty()) levels_[level].back().last = at + 1;
      if (!path.empty() && level == 0)
        leaf_of_[static_cast<std::size_t>(at)] =
            static_cast<std::int32_t>(levels_[level].size()) - 1;
      last = path;
    }
  }
}

std::optional<std::size_t> Nodes::level(const std::string& name) const {
  const auto named = std::ranges::find(level_names_, name);
  const auto level = static_cast<std::size_t>(named - level_names_.begin());
  if (level >= std::min(level_names_.size(), levels_.size())) return std::nullopt;
  return level;
}

std::vector<std::string> Nodes::level_names() const {
  std::vector<std::string> names{std::string(gpu_island_level)};
  for (std::size_t i = 0; i < std::min(level_names_.size(), levels_.size()); ++i)
    names.push_back(level_names_[i]);
  return names;
}

const Domain* Nodes::leaf_of(NodeAt at) const {
  const std::int32_t leaf = leaf_of_[static_cast<std::size_t>(at)];
  return leaf < 0 ? nullptr : &levels_.front()[static_cast<std::size_t>(leaf)];
}

std::optional<NodeAt> Nodes::find(const std::string& name) const {
  const auto found = at_.find(name);
  if (found == at_.end()) return std::nullopt;
  return found->second;
}

}  // namespace cox::schedule
