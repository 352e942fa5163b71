// On SIGHUP, a daemon takes log_level and log_format from its settings file again, without a
// restart. All other settings change at the next start. Used by the main.cpp of the daemons.
#pragma once

#include <string>

#include "common/io/config/config_file.h"

namespace cox {

class LogSettingsFile {
 public:
  // `which` is the member of Config with the daemon's log settings: &Config::controller_log or
  // &Config::worker_log.
  LogSettingsFile(std::string path, LogSettings Config::*which)
      : path_(std::move(path)), which_(which) {}

  // Reads the settings file and applies its log settings, then logs one line about them at any
  // level. If the file has a mistake, nothing changes.
  void read_again() const;

 private:
  std::string path_;
  LogSettings Config::*which_;
};

}  // namespace cox
