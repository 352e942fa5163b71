// Reads the wiring of the cluster: [topology], and [[switch]] for a tree or [[block]] for blocks.
// Only config_reader.cpp uses it.
#pragma once

#include <vector>

#include "common/cluster/config.h"
#include "common/io/config/config_table.h"

namespace cox {

void read_topology(const toml::table& root, ControllerConfig& config, Problems& problems,
                   std::vector<ConfigValue>& values);

}  // namespace cox
