#include "common/io/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <memory>

#include "common/base/log_line.h"

namespace cox {
namespace {

// Returns the logger. It is null until open_log(): lines are dropped then, so that tests log
// nothing.
std::unique_ptr<spdlog::logger>& logger() {
  static std::unique_ptr<spdlog::logger> the_logger;
  return the_logger;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::Debug: return spdlog::level::debug;
    case LogLevel::Info: return spdlog::level::info;
    case LogLevel::Warning: return spdlog::level::warn;
    case LogLevel::Error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

bool is_control(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto is_c1 = [&](std::size_t i) {  // C1 is U+0080 to U+009F, which some terminals interpret
    return i + 1 < text.size() && byte(i) == 0xC2 && byte(i + 1) >= 0x80 && byte(i + 1) <= 0x9F;
  };
  return byte(at) < 0x20 || byte(at) == 0x7F || is_c1(at) || (at > 0 && is_c1(at - 1));
}

// Escapes control characters. Lines quote input from outside, which must neither begin a new line
// nor control a terminal.
std::string escaped(const std::string& line) {
  std::string result;
  result.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    if (line[i] == '\n') {
      result += "\\n";
    } else if (is_control(line, i)) {
      result += "\\x";
      result += "0123456789abcdef"[byte >> 4];
      result += "0123456789abcdef"[byte & 15];
    } else {
      result += line[i];
    }
  }
  return result;
}

spdlog::sink_ptr open_sink(const std::string& file, std::string& problem) {
  if (!file.empty()) {
    try {
      return std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    } catch (const spdlog::spdlog_ex& error) {
      problem = error.what();
    }
  }
  return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

// Formats one line of the log, in the form text or JSON. The line arrives unescaped, since the two
// forms escape it differently.
class LineFormatter : public spdlog::formatter {
 public:
  explicit LineFormatter(LogFormat format)
      : format_(format),
        pattern_(format == LogFormat::Json
                     ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","program":"%n",%v})"
                     : "%Y-%m-%dT%H:%M:%S.%eZ %l %n %v",
                 spdlog::pattern_time_type::utc) {}

  void format(const spdlog::details::log_msg& original, spdlog::memory_buf_t& line) override {
    const std::string fact(original.payload.data(), original.payload.size());
    const std::string shown = format_ == LogFormat::Json ? json_members(fact) : escaped(fact);
    spdlog::details::log_msg message = original;
    message.payload = spdlog::string_view_t(shown);
    pattern_.format(message, line);
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<LineFormatter>(format_);
  }

 private:
  LogFormat format_;
  spdlog::pattern_formatter pattern_;
};

}  // namespace

void open_log(std::string_view program, const std::string& file, const LogSettings& settings) {
  std::string problem;
  auto sink = open_sink(file, problem);
  logger() = std::make_unique<spdlog::logger>(std::string(program), std::move(sink));
  change_log(settings);
  if (!problem.empty()) log_error("log file cannot be opened, using standard error: " + problem);
}

void change_log(const LogSettings& settings) {
  logger()->set_formatter(std::make_unique<LineFormatter>(settings.format));
  logger()->set_level(to_spdlog(settings.level));
}

void log(LogLevel level, const std::string& line) {
  if (logger() && logger()->should_log(to_spdlog(level))) log_all({{level, line}});
}

void log_all(const std::vector<LogLine>& lines) {
  if (!logger() || lines.empty()) return;
  for (const LogLine& line : lines)
    logger()->log(to_spdlog(line.level), spdlog::string_view_t(line.text));
  logger()->flush();
}

}  // namespace cox
