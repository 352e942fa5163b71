// A daemon's log follows its settings file: SIGHUP makes it read the file again and take log_level
// and log_format from it, without a restart. Everything else in the file waits for the next start.
// For the main.cpp of the daemons.
#pragma once

#include <string>

#include "common/io/config/config_file.h"

namespace cox {

class LogSettingsFile {
 public:
  // which: Config::controller_log or Config::worker_log
  LogSettingsFile(std::string path, LogSettings Config::*which)
      : path_(std::move(path)), which_(which) {}

  // Says in one line what holds now, whatever the level. A bad file changes nothing.
  void read_again() const;

 private:
  std::string path_;
  LogSettings Config::*which_;
};

}  // namespace cox
