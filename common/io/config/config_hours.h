// Reads the table [hours], which gives names to hours of the week. Only config_reader.cpp uses it.
#pragma once

#include <map>
#include <string>

#include "common/cluster/config.h"
#include "common/io/config/config_table.h"

namespace cox {

// Adds the names of [hours] with their hours to `hours`. A name whose hours are invalid gets hours
// that never open.
void read_hours(const toml::table& source, std::map<std::string, WeekHours>& hours,
                Problems& problems, std::vector<ConfigValue>& values);

}  // namespace cox
