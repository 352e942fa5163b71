// How coxswain.toml names hours of the week, in [hours]. For config_reader.cpp alone.
#pragma once

#include <map>
#include <string>

#include "common/cluster/config.h"
#include "common/io/config/config_table.h"

namespace cox {

// A name whose hours are refused is there, and never open.
void read_hours(const toml::table& source, std::map<std::string, WeekHours>& hours,
                Problems& problems, std::vector<ConfigValue>& values);

}  // namespace cox
