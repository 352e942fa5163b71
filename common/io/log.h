// The log: one line for each fact, with key=value pairs. Uses spdlog, which only this file and
// its .cpp include. Control characters are escaped. common/base/log_line.h defines the form of a
// fact.
//   2026-11-21T01:02:03.456Z info controller job=17 attempt=2 state=SIGNALING why="preempted"
//   {"time":"2026-11-21T01:02:03.456Z","level":"info","program":"controller","job":17,...}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/log_line.h"

namespace cox {

enum class LogFormat { Text, Json };  // Json: one object on each line, see json_members()

struct LogSettings {
  LogLevel level = LogLevel::Info;
  LogFormat format = LogFormat::Text;
  bool operator==(const LogSettings&) const = default;
};

// An empty `file` means standard error. Call it once, before anything is logged.
void open_log(std::string_view program, const std::string& file, const LogSettings& settings);
void change_log(const LogSettings& settings);  // applies to all later lines

// Writes one line before it returns, so that a later crash does not lose it.
void log(LogLevel level, const std::string& line);
// Logs several lines; if the log is a file, with one write().
void log_all(const std::vector<LogLine>& lines);

inline void log_debug(const std::string& line) {
  log(LogLevel::Debug, line);
}
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
