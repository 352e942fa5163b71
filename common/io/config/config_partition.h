// Reads the partitions, one for each [[partition]]. Only config_reader.cpp uses it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/cluster/config.h"
#include "common/io/config/config_table.h"

namespace cox {

// Reads the partitions. Without any [[partition]] there is one partition, with all nodes. Exactly
// one partition is the default. `hours` has the names that a partition may use in its key `hours`.
void read_partitions(const toml::table& root, std::vector<PartitionConfig>& partitions,
                     const std::map<std::string, WeekHours>& hours, Problems& problems,
                     std::vector<ConfigValue>& values);

}  // namespace cox
