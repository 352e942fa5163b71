// `cox config check [FILE]`: reads the file and shows the report.
#include "client/io/private/config_check.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>

#include "client/io/pages.h"
#include "client/io/private/run_program.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/setup/config_warnings.h"
#include "client/show/json.h"
#include "common/base/text.h"
#include "common/io/config/config_file.h"
#include "common/io/endpoint.h"
#include "common/io/host_groups.h"
#include "common/io/program_place.h"

namespace cox {
namespace {

bool has_controller(const ConfigReport& report) {
  return std::ranges::any_of(report.lines,
                             [](const auto& line) { return line.table == "[controller]"; });
}

// Lets cox-controller check what only it can: whether libpq understands `database`. Returns nothing
// if the program is not installed on this host.
Failure checked_by_controller(const std::string& path) {
  const auto program = find_program("cox-controller");
  if (!program) return std::nullopt;
  const auto done = output_of({*program, "--config", path, "--check-config"});
  if (done && WIFEXITED(done->status) && WEXITSTATUS(done->status) == 0) return std::nullopt;
  const std::string said = done ? done->text : "";
  const auto lines = split(said, '\n');
  const bool is_refused = done && WIFEXITED(done->status) && WEXITSTATUS(done->status) == 1;
  if (is_refused && lines.size() >= 2) return Refusal{std::string(lines[0]), std::string(lines[1])};
  return Refusal{*program + " --check-config failed", "check that it has the same version as cox"};
}

std::vector<MissingProgram> missing_programs(const ConfigReport& report) {
  static const std::set<std::string> keys{"mail_program",   "notify_program", "fence_program",
                                          "prolog_program", "epilog_program", "submit_program",
                                          "prolog",         "epilog",         "task_prolog",
                                          "task_epilog",    "health_check",   "supervisor_program"};
  std::vector<MissingProgram> missing;
  for (const ConfigLine& line : report.lines) {
    if (!line.given || line.value.empty() || !keys.contains(line.key)) continue;
    const std::string& path = line.value.front();
    if (!path.empty() && ::access(path.c_str(), X_OK) != 0)
      missing.push_back({line.table, line.key, path, std::strerror(errno)});
  }
  return missing;
}

std::vector<std::string> missing_groups(const ControllerConfig& config) {
  std::vector<std::string> missing;
  for (const PartitionConfig& partition : config.partitions)
    for (const AllowedGroup& group : partition.allow_groups)
      if (!find_host_group(group.name)) missing.push_back(group.name);
  return missing;
}

// Returns the QOS and nodes of the cluster of this name; nothing if its controller does not answer.
// `config_given`: path of the settings that name the controller.
std::optional<ClusterNames> ask_for_names(const std::string& config_given,
                                          const std::string& cluster_name) {
  constexpr Milliseconds patience{3'000};
  auto session = open_session(config_given);
  if (!session) return std::nullopt;
  const auto endpoints = endpoints_of(session->config.controller);
  if (std::ranges::none_of(endpoints, somebody_listens)) return std::nullopt;
  const auto answer = session->controller->ask(ShowCluster{}, patience);
  const auto* view = answer ? std::get_if<ClusterView>(&*answer) : nullptr;
  if (view == nullptr || view->name != cluster_name) return std::nullopt;
  const auto nodes = ask_all_pages(*session->controller, ListNodes{});
  const auto* list = nodes ? std::get_if<NodeList>(&*nodes) : nullptr;
  if (list == nullptr) return std::nullopt;
  ClusterNames names;
  names.qos = {view->qos.begin(), view->qos.end()};
  for (const NodeView& one : list->nodes) names.nodes.insert(one.node.name);
  for (const PartitionView& one : list->partitions) names.partitions.insert(one.name);
  return names;
}

void warn(ConfigReport& report, const std::string& config_given) {
  const auto config = read_config(report.path);
  if (!config) return;
  ConfigSurroundings surroundings;
  surroundings.programs = missing_programs(report);
  if (has_controller(report)) {
    const bool names_controller = !config->client.controller.empty();
    surroundings.missing_groups = missing_groups(config->controller);
    surroundings.cluster = ask_for_names(names_controller ? report.path : config_given,
                                         config->controller.cluster_name);
  }
  report.warnings = config_warnings(report, config->controller, surroundings);
}

}  // namespace

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
  if (report.problems.empty() && has_controller(report))
    if (Failure wrong = checked_by_controller(*path)) report.problems.push_back(std::move(*wrong));
  return report;
}

int run_config_check(const Command&, const FileOptions& options) {
  auto report = read_config_report(options.file.empty() ? options.config : options.file);
  if (report.problems.empty()) warn(report, options.config);
  Shown shown = show_config_report(report, screen_now(STDOUT_FILENO));
  if (options.json) shown.out = json_text(report);
  return print(shown);
}

}  // namespace cox
