#include "controller/limits/partitions.h"

#include <algorithm>

#include "common/base/time_format.h"

namespace cox {
namespace {

bool is_in(const PartitionConfig& partition, const std::string& node) {
  return partition.nodes.empty() ||
         std::ranges::find(partition.nodes, node) != partition.nodes.end();
}

// Returns whether the value exceeds the limit `most`; 0 means no limit.
bool is_beyond(std::int64_t value, std::int64_t most) {
  return most > 0 && value > most;
}

}  // namespace

const PartitionConfig* partition_of(const ControllerConfig& config, std::string_view name) {
  for (const auto& p : config.partitions)
    if (name.empty() ? p.is_default : p.name == name) return &p;
  return nullptr;
}

Partitions partitions_of(const ControllerConfig& config, const std::vector<std::string>& names) {
  if (names.empty()) {
    const PartitionConfig* main = partition_of(config, "");
    return main == nullptr ? Partitions{} : Partitions{main};
  }
  Partitions found;
  for (const std::string& name : names)
    if (const PartitionConfig* partition = partition_of(config, name)) found.push_back(partition);
  if (found.size() > 1)
    std::ranges::stable_sort(found, std::ranges::greater{}, &PartitionConfig::priority_tier);
  return found;
}

NodeSpan nodes_asked(const ParsedSpec& spec) {
  const auto& range = spec.terms->node_range;
  return range ? NodeSpan{range->least, range->most} : NodeSpan{spec.nodes, spec.nodes};
}

WaitReason bar_of(const PartitionConfig& partition, PartitionState state, bool open,
                  const ParsedSpec& spec) {
  if (state == PartitionState::Inactive) return WaitReason::PartitionInactive;
  if (!starts_jobs(state) || !open) return WaitReason::PartitionDown;
  if (is_beyond(spec.time_limit_s, partition.time_limit_max_s))
    return WaitReason::PartitionTimeLimit;
  if (partition.min_nodes == 0 && partition.max_nodes == 0 && partition.max_memory_mb_per_node == 0)
    return WaitReason::None;
  return check_size(partition, spec) ? WaitReason::PartitionNodeLimit : WaitReason::None;
}

std::string bar_text(const PartitionConfig& partition, const Partition& now,
                     const ParsedSpec& spec) {
  switch (bar_of(partition, now.state, true, spec)) {
    case WaitReason::PartitionTimeLimit: return check_time(partition, spec)->fact;
    case WaitReason::PartitionNodeLimit: return check_size(partition, spec)->fact;
    default: break;
  }
  return "partition " + partition.name + " is " + std::string(name(now.state)) +
         (now.reason.empty() ? "" : " (" + now.reason + ")");
}

const PartitionConfig* partition_granting(
    const Partitions& partitions, const Placement& placement,
    const std::function<std::int64_t(const std::string&)>& cpus_of_node) {
  const auto could = [&](const PartitionConfig* partition) {
    const auto nodes = static_cast<std::int64_t>(placement.size());
    if (nodes < partition->min_nodes || is_beyond(nodes, partition->max_nodes)) return false;
    return std::ranges::all_of(placement, [&](const NodeGrant& grant) {
      return is_in(*partition, grant.node) &&
             (!partition->exclusive || grant.cpus == cpus_of_node(grant.node));
    });
  };
  const auto found = std::ranges::find_if(partitions, could);
  if (found != partitions.end()) return *found;
  return partitions.empty() ? nullptr : partitions.front();
}

Failure check_time(const PartitionConfig& partition, const JobSpec& spec) {
  if (!is_beyond(spec.time_limit_s, partition.time_limit_max_s)) return std::nullopt;
  return Refusal{"--time asks for " + format_time_limit(spec.time_limit_s) + "; partition " +
                     partition.name + " allows at most " +
                     format_time_limit(partition.time_limit_max_s) + " (time_limit_max)",
                 "ask for less, or for another partition"};
}

Failure check_size(const PartitionConfig& partition, const ParsedSpec& spec) {
  const NodeSpan asked = nodes_asked(spec);
  const std::string name = "; partition " + partition.name;
  if (is_beyond(asked.least, partition.max_nodes))
    return Refusal{"the job asks for " + std::to_string(asked.least) + " nodes" + name +
                       " allows at most " + std::to_string(partition.max_nodes) + " (max_nodes)",
                   "ask for fewer, or for another partition"};
  if (asked.most < partition.min_nodes)
    return Refusal{"the job asks for " + std::to_string(asked.most) +
                       (asked.most == 1 ? " node" : " nodes") + name + " wants at least " +
                       std::to_string(partition.min_nodes) + " (min_nodes)",
                   "ask for more, or for another partition"};
  if (is_beyond(spec.memory_mb_per_node, partition.max_memory_mb_per_node))
    return Refusal{"--mem asks for " + std::to_string(spec.memory_mb_per_node) + " MB" + name +
                       " allows " + std::to_string(partition.max_memory_mb_per_node) +
                       " on a node (max_memory_mb_per_node)",
                   "ask for less, or for another partition"};
  return std::nullopt;
}

}  // namespace cox
