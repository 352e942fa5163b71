#include "client/step/step_routes.h"

#include <cctype>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/output_path.h"

namespace cox {
namespace {

std::string filled(const std::string& pattern, const StepView& step, const StepNames& names) {
  JobSpec spec;
  spec.user_name = step.user_name;
  spec.name = names.job_name;
  const StepKey& key = step.step.key;
  OutputPlace place{key.attempt, "", 0, 0, step.array_job, step.array_task, key.number};
  const std::string path = fill_pattern(pattern, spec, place);
  return path.starts_with('/') ? path : names.here + "/" + path;
}

StreamRoute route(const std::string& asked, const StepView& step, const StepNames& names) {
  const std::string word = lower_case(asked);
  if (asked.empty() || word == "all") return {};
  if (word == "none") return {StreamMode::Null, "", -1};
  // A number is the rank of a task, if the step has such a task; otherwise it is a file name.
  const auto rank = parse_count(asked, 0, step.step.tasks - 1);
  if (rank) return {StreamMode::Client, "", static_cast<std::int32_t>(*rank)};
  if (is_per_task(asked)) return {StreamMode::File, asked, -1};
  return {StreamMode::Client, filled(asked, step, names), -1};
}

// Returns the path of the file that the option names. Empty if the option names no file, or one
// whose name depends on the step (a pattern, or a number that may be a task).
std::string known_file(const std::string& asked, const std::string& here) {
  const std::string word = lower_case(asked);
  const bool is_pattern = asked.find_first_of("%\\") != std::string::npos;
  const bool may_be_task = parse_count(asked, 0, limits::tasks_per_job_max).ok();
  if (asked.empty() || word == "all" || word == "none" || is_pattern || may_be_task) return "";
  return asked.starts_with('/') ? asked : here + "/" + asked;
}

}  // namespace

KnownFiles known_files(const StepOptions& asked, const std::string& here) {
  KnownFiles files;
  if (asked.pty) return files;
  // With --prolog the input file is not checked, since the prolog may create it.
  const bool has_prolog = !asked.prolog.empty() && lower_case(asked.prolog) != "none";
  if (!has_prolog) files.input = known_file(asked.input, here);
  for (const std::string& output : {asked.output, asked.error})
    if (std::string file = known_file(output, here); !file.empty()) files.outputs.push_back(file);
  return files;
}

bool is_per_task(const std::string& pattern) {
  if (pattern.find('\\') != std::string::npos) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    std::size_t letter = i + 1;
    while (letter < pattern.size() && std::isdigit(static_cast<unsigned char>(pattern[letter])))
      ++letter;
    if (letter == pattern.size()) return false;
    if (pattern[letter] == 't' || pattern[letter] == 'n' || pattern[letter] == 'N') return true;
    i = letter;
  }
  return false;
}

StepRoutes route_streams(const StepOptions& asked, const StepView& step, const StepNames& names) {
  StepRoutes routes;
  routes.append = asked.append;
  if (asked.pty) {
    // With --pty, task 0 gets the terminal; the streams of other tasks are /dev/null.
    routes.input = routes.output = routes.error = {StreamMode::Null, "", -1};
    return routes;
  }
  routes.input = route(asked.input, step, names);
  routes.output = route(asked.output, step, names);
  routes.error_joins = asked.error.empty() && !asked.output.empty();
  routes.error_joins |= !asked.error.empty() && asked.error == asked.output;
  routes.error = routes.error_joins ? routes.output : route(asked.error, step, names);
  return routes;
}

}  // namespace cox
