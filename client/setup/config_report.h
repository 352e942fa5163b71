// What `cox config check` tells of a coxswain.toml: every mistake, and for each program what it
// would use. Pure; client/io/private/config_check.cpp fills it in.
#pragma once

#include <string>
#include <vector>

#include "client/text/screen.h"
#include "common/base/result.h"

namespace cox {

struct ConfigLine {
  std::string table;  // "[worker]"
  std::string key;
  std::vector<std::string> value;  // empty: unset
  bool given = false;              // it stands in the file; else it is the default
};

struct ConfigReport {
  std::string path;
  std::vector<Refusal> problems;  // in the file's order, with file and line
  std::vector<ConfigLine> lines;  // of the tables that are there
};

// A connection string without its password.
std::string without_password(const std::string& database);

Shown show_config_report(const ConfigReport& report, const Screen& screen);

// The programs, each with whether the file has its table.
struct ConfigProgram {
  std::string name;   // "cox-worker"
  std::string table;  // "[worker]"
  bool can_run = false;
};
std::vector<ConfigProgram> programs_of(const ConfigReport& report);

}  // namespace cox
