// Partitions that an administrator makes while the cluster runs (scontrol create partition). Their
// settings, by Slurm's names, are kept in the row of cox.partition; a partition of the
// configuration has none there. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/cluster/config.h"
#include "common/messages/partition_messages.h"

namespace cox {

// Returns the partition that the settings define: {"Nodes=n[1-2]", "MaxTime=60"}. A group that is
// not among `groups` admits nobody.
Result<PartitionConfig> made_partition(const std::string& name,
                                       const std::vector<std::string>& settings,
                                       const HostGroups& groups);

// Returns the groups that the value of AllowGroups names; empty for any other setting.
std::vector<std::string> groups_named(const NamedValue& setting);
// Returns the groups that the settings of a partition name.
std::vector<std::string> groups_named(const std::vector<std::string>& settings);

// Returns whether the setting may change while jobs wait or run in the partition. Such a setting
// decides only which jobs are accepted from then on, how long they may run, or how their use is
// billed. A new billing weight applies to the whole run of live attempts, from their start.
bool changes_while_used(std::string_view name);

// Returns the settings with this one added, or in place of its old value.
std::vector<std::string> with_setting(std::vector<std::string> settings, const NamedValue& one);

}  // namespace cox
