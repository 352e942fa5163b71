// How coxswain.toml tells what is done with submissions: one [[submit_rule]] each, and the program
// of [controller]. For config_file.cpp alone.
#pragma once

#include <vector>

#include "common/config.h"
#include "common/io/config_table.h"

namespace cox {

void read_submit_program(TableReader& table, ControllerConfig& config);

void read_submit_rules(const toml::table& root, std::vector<SubmitRule>& rules, Problems& problems,
                       std::vector<ConfigValue>& values);

}  // namespace cox
