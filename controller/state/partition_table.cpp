#include "controller/state/partition_table.h"

#include <algorithm>

#include "common/cluster/unknown_group.h"

namespace cox {

const Partition& PartitionTable::row(const std::string& name) const {
  static const Partition up;
  const auto it = rows_.find(name);
  return it == rows_.end() ? up : it->second;
}

std::map<std::string, std::vector<std::string>> PartitionTable::unknown_groups() const {
  std::map<std::string, std::vector<std::string>> wanted;
  for (const std::string& partition : made_)
    for (const std::string& group : groups_named(rows_.at(partition).made_with)) {
      const auto known = groups_.find(group);
      if (known == groups_.end() || !known->second) wanted[group].push_back(partition);
    }
  for (const PartitionConfig& partition : config_.partitions)
    for (const AllowedGroup& group : partition.allow_groups)
      if (!is_made(partition.name) && is_unknown(group))
        wanted[group.name].push_back(partition.name);
  return wanted;
}

bool PartitionTable::is_open(const PartitionConfig& partition) const {
  return partition.hours.empty() || open_hours_.contains(partition.hours);
}

Partitions PartitionTable::named_by(const ParsedSpec& spec) const {
  return partitions_of(config_, spec.terms->partitions);
}

Partitions PartitionTable::open_to(const ParsedSpec& spec) const {
  Partitions open = named_by(spec);
  std::erase_if(open, [&](const PartitionConfig* one) {
    return bar_of(*one, row(one->name).state, is_open(*one), spec) != WaitReason::None;
  });
  // The components of a heterogeneous job start together: if one has no partition that starts it
  // now, the job has none.
  for (std::int64_t i = 1; i < component_count(spec); ++i)
    if (is_closed_to(component_spec(spec, i))) open.clear();
  return open;
}

// Returns false if none of the named partitions is configured any more: then the job is in the
// queue, and the engine gives the pending reason.
bool PartitionTable::is_closed_to(const ParsedSpec& spec) const {
  return open_to(spec).empty() && !named_by(spec).empty();
}

Partitions PartitionTable::of(const JobEntry& e) const {
  const Attempt* attempt = e.live_attempt();
  if (attempt != nullptr && !attempt->partition.empty())
    return partitions_of(config_, {attempt->partition});
  return named_by(*e.job.spec);
}

void PartitionTable::load(std::vector<Partition> rows) {
  for (const std::string& name : std::set<std::string>(made_)) undefine(name);
  rows_.clear();
  for (Partition& row : rows) {
    define(row);
    rows_[row.name] = std::move(row);
  }
}

void PartitionTable::put(const Partition& row) {
  const bool is_as_made = is_made(row.name) && rows_[row.name].made_with == row.made_with;
  rows_[row.name] = row;
  if (!is_as_made) define(row);
}

void PartitionTable::remove(const std::string& name) {
  rows_.erase(name);
  undefine(name);
}

// Groups decide only which submissions a partition accepts, so pending jobs are not checked again.
void PartitionTable::know_groups(const HostGroups& found) {
  for (const auto& [name, group] : found)
    if (group || !groups_.contains(name)) groups_[name] = group;
  for (const std::string& name : made_) define(rows_.at(name));
  for (PartitionConfig& partition : config_.partitions)
    for (AllowedGroup& group : partition.allow_groups) {
      const auto known = groups_.find(group.name);
      if (known != groups_.end() && known->second) group = *known->second;
    }
}

void PartitionTable::define(const Partition& row) {
  if (row.made_with.empty() || (!is_made(row.name) && partition_of(config_, row.name) != nullptr))
    return;
  auto made = made_partition(row.name, row.made_with, groups_);
  // A settings text of a later version cannot be parsed; jobs then wait as if the partition did not
  // exist.
  if (!made) return;
  if (made_.insert(row.name).second)
    config_.partitions.push_back(std::move(*made));
  else
    *std::ranges::find(config_.partitions, row.name, &PartitionConfig::name) = std::move(*made);
}

void PartitionTable::undefine(const std::string& name) {
  if (made_.erase(name) == 0) return;
  std::erase_if(config_.partitions, [&](const PartitionConfig& one) { return one.name == name; });
}

}  // namespace cox
