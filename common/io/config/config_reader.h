// Reads the tables of a coxswain.toml that is already parsed. Only config_file.cpp and
// config_overlay.cpp use it.
#pragma once

#include <string>

#include "common/io/config/config_check.h"
#include "common/io/config/config_table.h"

namespace cox {

ConfigCheck check_config(const toml::table& root, const std::string& path_shown);

}  // namespace cox
