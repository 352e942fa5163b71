// etc/coxswain.toml → ControllerConfig, WorkerConfig, ClientConfig. An unknown key, a wrong type or
// a bad value is a Refusal with file, line, the limit and the nearest known key. toml++ lives in
// config_table.h and the .cpp alone.
//
// Where it is looked for: the path given; $COX_CONFIG; ~/.local/state/coxswain/coxswain.toml (a
// private cluster made by `cox up`); /etc/coxswain/coxswain.toml.
#pragma once

#include <string>

#include "common/config.h"
#include "common/result.h"

namespace cox {

struct Config {
  std::string path;
  ControllerConfig controller;
  WorkerConfig worker;
  ClientConfig client;
};

Result<std::string> find_config(const std::string& given);
Result<Config> read_config(const std::string& path);
Result<Config> parse_config(const std::string& text, const std::string& path_shown);

}  // namespace cox
