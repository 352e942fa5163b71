// The contents of a coxswain.toml after reading: the settings of each program, the keys with
// their values, and all mistakes in the file.
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

// One key of the settings, with the value that the program uses: that of the file, or the default.
struct ConfigValue {
  std::string table;               // "[controller]"
  std::string key;                 // "lease"
  std::vector<std::string> value;  // the value in the form of the file; empty: unset
  bool given = false;              // whether the file has the key
};

// The result of reading a file: what could be read, and all problems.
struct ConfigCheck {
  Config config;
  // The keys of the tables that the file has, in the order in which they were read.
  std::vector<ConfigValue> values;
  std::vector<Refusal> problems;  // mistakes, by their line in the file
};

}  // namespace cox
