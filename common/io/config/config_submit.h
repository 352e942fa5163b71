// Reads the keys of coxswain.toml about submissions: the [[submit_rule]] tables and submit_program
// of [controller]. Only config_reader.cpp uses it.
#pragma once

#include <vector>

#include "common/cluster/config.h"
#include "common/io/config/config_table.h"

namespace cox {

void read_submit_program(TableReader& table, ControllerConfig& config);

void read_submit_rules(const toml::table& root, std::vector<SubmitRule>& rules, Problems& problems,
                       std::vector<ConfigValue>& values);

}  // namespace cox
