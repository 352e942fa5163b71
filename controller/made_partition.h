// Partitions that an administrator makes while the cluster runs (scontrol create partition). Their
// settings, by Slurm's names, are kept in the row of cox.partition; a partition of the
// configuration has none there. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/config.h"
#include "common/partition_messages.h"
#include "common/result.h"

namespace cox {

// Returns the partition that the settings make: {"Nodes=n[1-2]", "MaxTime=60"}.
Result<PartitionConfig> made_partition(const std::string& name,
                                       const std::vector<std::string>& settings,
                                       const FindGroup& find_group);

// Returns whether the setting may change while jobs wait or run in the partition. Such a setting
// says which jobs are accepted from then on, how long they may be, or what attempts cost. Running
// attempts are included: each is priced as a whole.
bool changes_while_used(std::string_view name);

// Returns the settings with this one in place of what they said of it before.
std::vector<std::string> with_setting(std::vector<std::string> settings, const NamedValue& one);

}  // namespace cox
