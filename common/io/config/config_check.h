// What coxswain.toml says, once it is read: the settings of each program, the keys with their
// values, and what is wrong with the file.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/cluster/config.h"
#include "common/io/log.h"

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

}  // namespace cox
