// How coxswain.toml tells the partitions, one [[partition]] each. For config_reader.cpp alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/cluster/config.h"
#include "common/io/config/config_table.h"

namespace cox {

// Without any there is one of all nodes. One of them is the default. `hours`: those there are.
void read_partitions(const toml::table& root, std::vector<PartitionConfig>& partitions,
                     const std::map<std::string, WeekHours>& hours, Problems& problems,
                     std::vector<ConfigValue>& values);

}  // namespace cox
