// etc/coxswain.toml → ControllerConfig, WorkerConfig, ClientConfig. An unknown key, a wrong type or
// a bad value is a Refusal with file, line, the limit and the nearest known key. toml++ lives in
// config_table.h and the .cpp alone.
//
// Where it is looked for: the path given; $COX_CONFIG; ~/.local/state/coxswain/coxswain.toml (a
// private cluster made by `cox up`); /etc/coxswain/coxswain.toml.
#pragma once

#include <string>
#include <vector>

#include "common/config.h"
#include "common/io/log.h"
#include "common/result.h"

namespace cox {

struct Config {
  std::string path;
  ControllerConfig controller;
  WorkerConfig worker;
  ClientConfig client;
  LogSettings controller_log;
  LogSettings worker_log;
};

// One key as its program takes it.
struct ConfigValue {
  std::string table;               // "[controller]"
  std::string key;                 // "lease"
  std::vector<std::string> value;  // as it is written in the file; empty: unset
  bool given = false;              // it stands in the file
};

// Everything there is to say of a file, good or not.
struct ConfigCheck {
  Config config;
  std::vector<ConfigValue> values;  // of the tables that are there, in the reader's order
  std::vector<Refusal> problems;    // in the file's order
};

Result<std::string> find_config(const std::string& given);
Result<Config> read_config(const std::string& path);
Result<Config> parse_config(const std::string& text, const std::string& path_shown);

Result<std::string> read_config_text(const std::string& path);
ConfigCheck check_config(const std::string& text, const std::string& path_shown);

}  // namespace cox
