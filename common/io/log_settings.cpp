#include "common/io/log_settings.h"

#include <algorithm>

#include "common/base/log_line.h"

namespace cox {
namespace {

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug: return "debug";
    case LogLevel::Info: return "info";
    case LogLevel::Warning: return "warning";
    case LogLevel::Error: return "error";
  }
  return "";
}

}  // namespace

void LogSettingsFile::read_again() const {
  const auto config = read_config(path_);
  if (!config) {
    return log_error("the settings are unchanged why=" + quoted_value(config.refusal().fact));
  }
  const LogSettings settings = (*config).*which_;
  // Logs the line at level Info, even if the new level hides such lines.
  change_log({std::min(settings.level, LogLevel::Info), settings.format});
  log_info("log settings read again file=" + quoted_value(path_) +
           " log_level=" + std::string(name_of(settings.level)) +
           " log_format=" + (settings.format == LogFormat::Json ? "json" : "text"));
  change_log(settings);
}

}  // namespace cox
