// The log: one line per fact, key=value pairs, through spdlog (the only file pair that includes
// it). Control characters are escaped. common/base/log_line.h has the form of a fact.
//   2026-11-21T01:02:03.456Z info controller job=17 attempt=2 state=SIGNALING why="preempted"
//   {"time":"2026-11-21T01:02:03.456Z","level":"info","program":"controller","job":17,...}
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cox {

enum class LogLevel { Debug, Info, Warning, Error };
enum class LogFormat { Text, Json };  // Json: an object a line, see json_members()

struct LogSettings {
  LogLevel level = LogLevel::Info;
  LogFormat format = LogFormat::Text;
  bool operator==(const LogSettings&) const = default;
};

// file empty: standard error. Called once, before anything is logged.
void open_log(std::string_view program, const std::string& file, const LogSettings& settings);
void change_log(const LogSettings& settings);  // from the next line on
struct LogLine {
  LogLevel level = LogLevel::Info;
  std::string text;
};

// Written when it returns, so that nothing of it is missing after a crash.
void log(LogLevel level, const std::string& line);
// Several at once: into a file one write for all.
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
