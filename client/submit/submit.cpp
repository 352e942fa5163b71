#include "client/submit/submit.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "client/options/host_file.h"
#include "client/options/options_in_effect.h"
#include "client/options/submit_option_table.h"
#include "client/submit/components.h"
#include "client/submit/job_environment.h"
#include "client/submit/resolve_job.h"
#include "client/submit/script.h"
#include "client/submit/script_warnings.h"
#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Determines the source of the job's work (command, script file, standard input or --wrap), and the
// words that belong to it.
Failure resolve_source(const std::vector<std::string>& words, SubmitCommand& command) {
  const auto rest = words.begin() + static_cast<std::ptrdiff_t>(command.given.words_read);
  command.words.assign(rest, words.end());
  const bool as_gang = command.given.double_dash && !command.as_sbatch;
  if (!command.options.wrap.empty()) {
    command.source = SubmitSource::Wrapped;
    if (as_gang || !command.words.empty())
      return Refusal{"Script arguments not permitted with --wrap option: " +
                         (command.words.empty() ? "--" : quoted(command.words[0])),
                     "put all of the command in quotes: --wrap='command argument'"};
    return std::nullopt;
  }
  if (as_gang) {
    command.source = SubmitSource::Command;
    if (command.words.empty() || command.words[0].empty())
      return Refusal{"there is no command after --", "write: cox submit -n4 -- command argument"};
    return std::nullopt;
  }
  if (command.words.empty()) {
    command.source = SubmitSource::ScriptStdin;
    return std::nullopt;
  }
  command.source = SubmitSource::ScriptFile;
  command.script_path = command.words[0];
  command.words.erase(command.words.begin());
  if (command.script_path.empty() || command.script_path.size() > limits::path_bytes_max)
    return Refusal{"the script's path has " + std::to_string(command.script_path.size()) +
                       " bytes; it must have 1 to " + std::to_string(limits::path_bytes_max),
                   "name the script's file"};
  return std::nullopt;
}

std::string default_name(const SubmitCommand& command) {
  switch (command.source) {
    case SubmitSource::Command: return base_name(command.words[0]);
    case SubmitSource::ScriptFile: return base_name(command.script_path);
    case SubmitSource::ScriptStdin: return command.as_sbatch ? "sbatch" : "stdin";
    case SubmitSource::Wrapped: return "wrap";
  }
  CHECK(false && "unknown SubmitSource");
}

// Returns how refusals name the script, such as its path.
std::string script_name(const SubmitCommand& command) {
  switch (command.source) {
    case SubmitSource::Command:
    case SubmitSource::ScriptStdin: return "the script on standard input";
    case SubmitSource::ScriptFile: return command.script_path;
    case SubmitSource::Wrapped: return "the script of --wrap";
  }
  CHECK(false && "unknown SubmitSource");
}

// Applies the options of the script, then of the variables, then of the command line, so that the
// later place wins.
Result<std::vector<SubmitOptions>> gather_options(const SubmitCommand& command,
                                                  std::string_view script,
                                                  const std::vector<std::string>& environment) {
  ComponentOptions all;
  if (command.source != SubmitSource::Command) {
    const std::string name = script_name(command);
    if (Failure failure = check_script(script, name, command.as_sbatch)) return *std::move(failure);
    if (Failure failure = apply_script_options(script, name, all)) return *std::move(failure);
  }
  const Result<GivenOptions> variables = read_option_variables(environment);
  if (!variables) return variables.refusal();
  all.of(command.beside.size());
  for (std::size_t i = 0; i < all.asked.size(); ++i) {
    SubmitOptions& asked = all.asked[i];
    if (Failure failure = apply_options(*variables, asked)) return *std::move(failure);
    const bool is_given = i <= command.beside.size();
    if (is_given)
      if (Failure failure = apply_options(i == 0 ? command.given : command.beside[i - 1], asked))
        return *std::move(failure);
    if (asked.overcommit && command.source == SubmitSource::Command)
      return Refusal{
          "--overcommit (-O) is only for batch scripts: each rank of a gang has CPUs of its own",
          "ask for fewer CPUs with --cpus-per-task"};
    if (Failure failure = resolve_options(asked)) return *std::move(failure);
    copy_common_options(asked, all.asked.front());
  }
  return std::move(all.asked);
}

// Gives a job without --job-name the name of its script or program. Refuses a name that is not
// valid.
Failure resolve_name(const SubmitCommand& command, JobSpec& spec) {
  if (!spec.name.empty()) return std::nullopt;
  spec.name = default_name(command);
  if (spec.name.size() <= limits::name_bytes_max && is_utf8(spec.name) &&
      !has_control_characters(spec.name))
    return std::nullopt;
  return Refusal{"the job would be called " + quoted(spec.name) +
                     ", which is not valid UTF-8, has control characters (shown as ?) or is "
                     "longer than " +
                     std::to_string(limits::name_bytes_max) + " bytes",
                 "name it with --job-name"};
}

// Sets each component's node list from --nodelist=FILE. For sbatch without components, also from
// SLURM_HOSTFILE; `cox submit` orders its ranks itself.
Failure resolve_hosts(const SubmitCommand& command, const SubmitSurroundings& around,
                      std::vector<SubmitOptions>& all) {
  for (SubmitOptions& asked : all) {
    HostsOfJob hosts = hosts_of(asked, around);
    if (!command.as_sbatch || all.size() > 1) hosts.variable.clear();
    if (Failure failure = resolve_hosts_of_job(hosts, around.read_file, asked)) return failure;
  }
  return std::nullopt;
}

// Returns the variable SLURM_HOSTFILE for a batch script, so that the steps of srun in the script
// use the same file of node names. Empty without such a file or --distribution=arbitrary.
std::string host_file_variable_for_steps(const SubmitOptions& asked, const JobSpec& spec,
                                         const std::string& here) {
  const bool as_listed =
      std::ranges::find(spec.stored_options, "distribution=arbitrary") != spec.stored_options.end();
  if (asked.host_file.empty() || !as_listed) return "";
  const std::string path =
      asked.host_file.starts_with('/') ? asked.host_file : here + "/" + asked.host_file;
  return "SLURM_HOSTFILE=" + path + '\0';
}

// Rounds a time limit in seconds up to whole minutes, as Slurm does.
void round_up_minutes(std::int64_t& seconds) {
  constexpr std::int64_t minute = 60;
  if (seconds > 0) seconds = (seconds + minute - 1) / minute * minute;
}

}  // namespace

std::vector<std::string> clusters_named(const JobSpec& spec) {
  constexpr std::string_view name = "clusters=";
  std::vector<std::string> clusters;
  for (const std::string& each : spec.stored_options)
    if (each.starts_with(name))
      for (const std::string_view word : split(std::string_view(each).substr(name.size()), ','))
        if (!word.empty()) clusters.emplace_back(word);
  return clusters;
}

Failure check_words(const std::vector<std::string>& words) {
  if (words.size() > limits::command_words_max)
    return Refusal{"the command has " + std::to_string(words.size()) + " words, and one may have " +
                       std::to_string(limits::command_words_max),
                   "put its arguments in a file"};
  std::size_t bytes = 0;
  for (const std::string& word : words) {
    bytes += word.size() + 1;
    if (!is_utf8(word) || word.find('\0') != std::string::npos)
      return Refusal{"the word " + quoted(word) + " is not valid UTF-8", "write it in UTF-8"};
  }
  if (bytes > limits::command_bytes_max)
    return Refusal{"the command has " + std::to_string(bytes) + " bytes, and one may have " +
                       std::to_string(limits::command_bytes_max),
                   "put its arguments in a file"};
  return std::nullopt;
}

Result<SubmitCommand> parse_submit(const std::vector<std::string>& words, bool as_sbatch) {
  SubmitCommand command;
  command.as_sbatch = as_sbatch;
  auto given = read_components(words, submit_options());
  if (!given) return given.refusal();
  command.given = std::move(given->front());
  command.beside.assign(std::next(given->begin()), given->end());
  if (Failure failure = apply_options(command.given, command.options)) return *std::move(failure);
  for (const GivenOptions& beside : command.beside) {
    SubmitOptions options;
    if (Failure failure = apply_options(beside, options)) return *std::move(failure);
    copy_common_options(options, command.options);
  }
  if (command.options.help || command.options.version) return command;
  if (Failure failure = resolve_source(words, command)) return *std::move(failure);
  if (Failure failure = check_words(command.words)) return *std::move(failure);
  return command;
}

namespace {

// Returns warnings about the script and its arguments.
std::vector<std::string> warnings_about(const SubmitCommand& command, const std::string& script) {
  const std::string name =
      command.source == SubmitSource::ScriptFile ? command.script_path : "standard input";
  std::vector<std::string> warnings = script_warnings(script, name);
  for (std::string& warning : argument_warnings(command.words, name))
    warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace

Result<SubmitPlan> build_submit(const SubmitCommand& command,
                                const std::optional<std::string>& script,
                                const SubmitSurroundings& surroundings) {
  const bool reads_script =
      command.source == SubmitSource::ScriptFile || command.source == SubmitSource::ScriptStdin;
  CHECK(script.has_value() == reads_script);
  SubmitPlan plan;
  if (script) plan.request.script = *script;
  if (command.source == SubmitSource::Wrapped)
    plan.request.script =
        "#!/bin/sh\n# This script was created by sbatch --wrap.\n\n" + command.options.wrap + "\n";
  auto all = gather_options(command, plan.request.script, surroundings.environment);
  if (!all) return all.refusal();
  SubmitOptions* asked = &all->front();
  if (Failure failure = resolve_hosts(command, surroundings, *all)) return *std::move(failure);
  for (const SubmitOptions& each : *all)
    plan.options_in_effect += options_in_effect(command.as_sbatch ? "sbatch" : "cox", each,
                                                surroundings.here, surroundings.work_dir);
  Result<std::string> environment =
      job_environment(surroundings.environment, asked->export_list, surroundings.login);
  if (!environment) return environment.refusal();
  plan.request.environment = std::move(*environment);
  JobSpec& spec = plan.request.spec;
  spec = std::move(asked->spec);
  spec.form = command.source == SubmitSource::Command ? JobForm::Gang : JobForm::Batch;
  if (spec.form == JobForm::Batch)
    plan.request.environment += variables_for_steps(asked->export_list, spec.append_output) +
                                host_file_variable_for_steps(*asked, spec, surroundings.work_dir);
  const auto limits = propagated_limits(asked->propagate, surroundings.soft_limits);
  if (!limits) return limits.refusal();
  plan.request.environment += soft_limit_variables(*limits);
  spec.command = command.words;
  spec.submit_host = surroundings.submit_host;
  if (command.source == SubmitSource::ScriptFile) {
    const bool absolute = command.script_path.starts_with('/');
    spec.command_path =
        absolute ? command.script_path : surroundings.work_dir + "/" + command.script_path;
  }
  if (script) plan.warnings = warnings_about(command, *script);
  if (Failure failure = resolve_name(command, spec)) return *std::move(failure);
  if (Failure failure = resolve_job(*asked, surroundings, spec, plan.warnings))
    return *std::move(failure);
  const std::vector<SubmitOptions> behind(std::next(all->begin()), all->end());
  if (Failure failure = add_components(behind, surroundings, spec, plan.warnings))
    return *std::move(failure);
  if (command.as_sbatch) {
    round_up_minutes(spec.time_limit_s);
    round_up_minutes(spec.time_min_s);
  }
  plan.clusters = clusters_named(spec);
  plan.request.request_id = asked->request_id;
  plan.parsable = asked->parsable;
  plan.quiet = asked->quiet;
  plan.json = asked->json;
  plan.test = asked->test;
  plan.wait = asked->wait;
  plan.resume_task = asked->resume_task;
  return plan;
}

}  // namespace cox
