// How coxswain.toml tells the partitions, one [[partition]] each. For config_file.cpp alone.
#pragma once

#include <vector>

#include "common/config.h"
#include "common/io/config_table.h"

namespace cox {

// Without any there is one of all nodes. One of them is the default.
void read_partitions(const toml::table& root, std::vector<PartitionConfig>& partitions,
                     Problems& problems, std::vector<ConfigValue>& values);

}  // namespace cox
