// The result of `cox config check` for a coxswain.toml: every mistake, warnings, and the values
// that each program would use. Pure; client/io/private/config_check.cpp fills it in.
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
  bool given = false;              // the file sets the key; false: `value` is the default
};

struct ConfigReport {
  std::string path;
  std::vector<Refusal> problems;  // in the order of the file; each has file and line
  std::vector<Refusal> warnings;  // probable mistakes with which the programs start all the same
  std::vector<ConfigLine> lines;  // all keys of the tables that the file has
};

// Returns a connection string with its password replaced by ***.
std::string without_password(const std::string& database);

Shown show_config_report(const ConfigReport& report, const Screen& screen);

// The programs that read the file, and whether each can run from it.
struct ConfigProgram {
  std::string name;   // "cox-worker"
  std::string table;  // "[worker]"
  bool can_run = false;
};
std::vector<ConfigProgram> programs_of(const ConfigReport& report);

}  // namespace cox
