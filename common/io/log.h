// The log: one line per fact, key=value pairs, through spdlog (the only file pair that includes
// it). Control characters are escaped.
//   2026-11-21T01:02:03.456Z info controller job=17 attempt=2 RUNNING→SIGNALING why="preempted"
#pragma once

#include <string>
#include <string_view>

namespace cox {

enum class LogLevel { Debug, Info, Warning, Error };

// file empty: standard error. Called once, before anything is logged.
void open_log(std::string_view program, const std::string& file, LogLevel level);
void log(LogLevel level, const std::string& line);

inline void log_info(const std::string& line) {
  log(LogLevel::Info, line);
}
inline void log_warning(const std::string& line) {
  log(LogLevel::Warning, line);
}
inline void log_error(const std::string& line) {
  log(LogLevel::Error, line);
}

}  // namespace cox
