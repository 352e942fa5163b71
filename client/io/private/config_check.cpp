// `cox config check [FILE]`: reads the file and shows the report.
#include "client/io/private/config_check.h"

#include <unistd.h>

#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/show/json.h"
#include "common/io/config/config_file.h"

namespace cox {

ConfigReport read_config_report(const std::string& given) {
  ConfigReport report;
  const auto path = find_config(given);
  if (!path) {
    report.problems.push_back(path.refusal());
    return report;
  }
  report.path = *path;
  const auto text = read_config_text(*path);
  if (!text) {
    report.problems.push_back(text.refusal());
    return report;
  }
  ConfigCheck check = check_config(*text, *path);
  report.problems = std::move(check.problems);
  for (auto& value : check.values) {
    if (value.key == "database" && !value.value.empty())
      value.value.front() = without_password(value.value.front());
    report.lines.push_back({value.table, value.key, std::move(value.value), value.given});
  }
  return report;
}

int run_config_check(const Command&, const FileOptions& options) {
  const auto report = read_config_report(options.file.empty() ? options.config : options.file);
  Shown shown = show_config_report(report, screen_now(STDOUT_FILENO));
  if (options.json) shown.out = json_text(report);
  return print(shown);
}

}  // namespace cox
