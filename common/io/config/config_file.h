// Reads coxswain.toml into ControllerConfig, WorkerConfig and ClientConfig. An unknown key, a
// wrong type or a bad value is a Refusal with file, line, the limit and the nearest known key.
//
// The file is looked for here, in this order: the given path; $COX_CONFIG;
// ~/.local/state/coxswain/coxswain.toml (a private cluster made by `cox up`);
// /etc/coxswain/coxswain.toml.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/io/config/config_check.h"

namespace cox {

Result<std::string> find_config(const std::string& given);
Result<Config> read_config(const std::string& path);
Result<Config> parse_config(const std::string& text, const std::string& path_shown);

Result<std::string> read_config_text(const std::string& path);
ConfigCheck check_config(const std::string& text, const std::string& path_shown);

}  // namespace cox
