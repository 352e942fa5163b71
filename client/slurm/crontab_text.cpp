#include "client/slurm/crontab_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "client/options/submit_option_table.h"
#include "client/setup/slurm_lines.h"
#include "client/submit/script.h"
#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/base/variables.h"
#include "common/syntax/cron_schedule.h"

namespace cox {
namespace {

constexpr std::string_view directive = "#SCRON";

// Options of sbatch that #SCRON lines may not have, as in Slurm; also --deadline and --resume-from,
// which could apply only to the first run.
constexpr auto not_in_crontabs = std::to_array<std::string_view>({"array",
                                                                  "batch",
                                                                  "bb",
                                                                  "bbf",
                                                                  "begin",
                                                                  "cluster-constraint",
                                                                  "clusters",
                                                                  "deadline",
                                                                  "export-file",
                                                                  "get-user-env",
                                                                  "gid",
                                                                  "hold",
                                                                  "ignore-pbs",
                                                                  "kill-on-invalid-dep",
                                                                  "no-requeue",
                                                                  "parsable",
                                                                  "prefer",
                                                                  "propagate",
                                                                  "requeue",
                                                                  "resume-from",
                                                                  "test",
                                                                  "test-only",
                                                                  "uid",
                                                                  "wait",
                                                                  "wait-all-nodes",
                                                                  "wrap"});

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

// Parses a line that sets a variable: "NAME = value" or "NAME='a value'". Returns nothing for other
// lines.
std::optional<std::pair<std::string, std::string>> variable_of(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && is_of_name(line[end])) ++end;
  const std::string name(line.substr(0, end));
  line = without_blanks(line.substr(end));
  if (name.empty() || !line.starts_with('=')) return std::nullopt;
  line = without_blanks(line.substr(1));
  if (!line.starts_with('"') && !line.starts_with('\'')) return std::pair(name, std::string(line));
  const std::size_t close = line.find(line.front(), 1);
  if (close == std::string_view::npos || !without_blanks(line.substr(close + 1)).empty())
    return std::nullopt;
  return std::pair(name, std::string(line.substr(1, close - 1)));
}

// Replaces $NAME by its value, if the crontab sets NAME; the shell expands other variables. Stops
// when the text exceeds the limit on bytes of a command.
std::string expanded(std::string_view command, const Variables& variables) {
  std::string text;
  while (!command.empty() && text.size() <= limits::command_bytes_max) {
    std::size_t end = 1;
    while (command.front() == '$' && end < command.size() && is_of_name(command[end])) ++end;
    const auto known = variables.find(command.substr(1, end - 1));
    if (end > 1 && known != variables.end())
      text += known->second;
    else
      text += command.substr(0, end);
    command.remove_prefix(end);
  }
  return text;
}

const SubmitOption& option_named(std::string_view name) {
  const auto& options = submit_options().options;
  const auto at = std::ranges::find(options, name, &SubmitOption::name);
  CHECK(at != options.end());
  return *at;
}

Failure add_options(std::string_view line, std::vector<GivenOption>& all) {
  const auto words = directive_words(line);
  if (!words) return words.refusal();
  const auto given = read_options(*words, OptionPlace::Script);
  if (!given) return given.refusal();
  if (given->words_read < words->size() || given->double_dash)
    return Refusal{"Invalid option found in #SCRON line: " +
                       printable(words->at(given->words_read - (given->double_dash ? 1 : 0))),
                   "options begin with - or --"};
  for (const GivenOption& one : given->options)
    if (std::ranges::find(not_in_crontabs, one.option->name) != not_in_crontabs.end())
      return Refusal{"option " + printable(one.written) + " is not allowed in a crontab",
                     "leave it out of the #SCRON lines"};
  all.insert(all.end(), given->options.begin(), given->options.end());
  return std::nullopt;
}

// Returns the login environment from the user database, with PATH and COX_CONFIG of the caller.
std::vector<std::string> login_environment(const SubmitSurroundings& around) {
  std::vector<std::string> all = around.login;
  for (const std::string& each : around.environment)
    if (each.starts_with("PATH=") || each.starts_with("COX_CONFIG=")) all.push_back(each);
  return all;
}

std::string home_of(const SubmitSurroundings& around) {
  constexpr std::string_view name = "HOME=";
  for (const std::string& each : around.login)
    if (each.starts_with(name)) return each.substr(name.size());
  return "/";
}

// Returns the surroundings of a crontab's jobs: the login environment, the home directory and no
// soft limits; all else as in the process that sends the crontab.
SubmitSurroundings surroundings_of_jobs(const SubmitSurroundings& around) {
  SubmitSurroundings jobs = around;
  jobs.environment = login_environment(around);
  jobs.work_dir = home_of(around);
  jobs.soft_limits.clear();
  return jobs;
}

class CrontabReader {
 public:
  explicit CrontabReader(const SubmitSurroundings& around)
      : around_(surroundings_of_jobs(around)) {}

  Failure take(std::string_view line) {
    ++number_;
    const std::string_view text = without_blanks(line);
    if (text.empty()) return std::nullopt;
    if (text.starts_with(directive)) {
      if (first_ == 0) first_ = number_;
      directives_ += std::string(text) + "\n";
      return add_options(text.substr(directive.size()), given_);
    }
    if (text.starts_with('#')) return std::nullopt;
    if (auto variable = variable_of(text)) {
      variables_.insert_or_assign(variable->first, variable->second);
      return std::nullopt;
    }
    return add_job(text);
  }

  std::int32_t first() const { return first_ == 0 ? number_ : first_; }
  std::int32_t last() const { return number_; }
  CrontabPlan plan() && { return std::move(plan_); }

 private:
  // Returns the #SCRON options for the job of this command. Like Slurm, names the job after its
  // command unless an option names it.
  std::vector<GivenOption> options_of(const std::string& command) const {
    const std::string name = command.substr(0, command.find(' '));
    std::vector<GivenOption> all{{&option_named("job-name"),
                                  cut_text(printable(name), limits::name_bytes_max),
                                  "the command"}};
    all.insert(all.end(), given_.begin(), given_.end());
    return all;
  }

  Failure add_job(std::string_view text) {
    const auto line = parse_cron_line(text);
    if (!line) return line.refusal();
    const std::string command = expanded(line->command, variables_);
    if (command.size() > limits::command_bytes_max)
      return Refusal{"with its variables expanded the command has more than " +
                         std::to_string(limits::command_bytes_max) + " bytes",
                     "put the command in a script"};
    SubmitCommand submit;
    submit.as_sbatch = true;
    submit.source = SubmitSource::ScriptStdin;
    submit.given.options = options_of(command);
    const std::string script = "#!/bin/sh\n# This job was submitted through scrontab\n" +
                               directives_ + "# crontab time request was: '" + line->request +
                               "'\n" + command + "\n";
    auto plan = build_submit(submit, script, around_);
    if (!plan) return plan.refusal();
    for (const std::string& warning : plan->warnings)
      plan_.warnings.push_back("line " + std::to_string(number_) + ": " + warning);
    plan_.lines.push_back({first(), number_, format_cron_schedule(line->schedule),
                           std::move(plan->request.spec), std::move(plan->request.script),
                           std::move(plan->request.environment)});
    given_.clear();
    directives_.clear();
    first_ = 0;
    return std::nullopt;
  }

  const SubmitSurroundings around_;
  CrontabPlan plan_;
  Variables variables_;
  std::int32_t number_ = 0;
  // These three hold the #SCRON lines since the last job.
  std::int32_t first_ = 0;
  std::string directives_;
  std::vector<GivenOption> given_;
};

Failure check_size(const std::string& text) {
  if (text.size() > limits::crontab_bytes_max)
    return Refusal{"the crontab has more than " + std::to_string(limits::crontab_bytes_max) +
                       " bytes, the limit",
                   "put commands in scripts"};
  if (!is_utf8(text) || text.find('\0') != std::string::npos)
    return Refusal{"the crontab is not valid UTF-8, or has a NUL byte", "write it as plain text"};
  if (text.find("\r\n") != std::string::npos)
    return Refusal{"the crontab has DOS line breaks (\\r\\n), which no shell accepts",
                   "remove them with sed -i 's/\\r$//' FILE"};
  return std::nullopt;
}

}  // namespace

std::variant<CrontabPlan, BadCronLines> read_crontab(const std::string& text,
                                                     const SubmitSurroundings& around) {
  if (auto why = check_size(text)) return BadCronLines{*std::move(why), 0, 0};
  CrontabReader reader(around);
  for (const std::string_view line : lines_of(text))
    if (auto why = reader.take(line))
      return BadCronLines{*std::move(why), reader.first(), reader.last()};
  return std::move(reader).plan();
}

}  // namespace cox
