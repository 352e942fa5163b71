#include "client/step/allocation.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "client/options/host_file.h"
#include "client/options/option_values.h"
#include "client/options/options_in_effect.h"
#include "client/options/signal_format.h"
#include "client/options/submit_option_table.h"
#include "client/submit/components.h"
#include "client/submit/resolve_job.h"
#include "common/base/check.h"
#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_variables.h"

namespace cox {
namespace {

// The options of sbatch that salloc does not have, since they are about a script or its submission.
constexpr auto of_scripts =
    std::to_array<std::string_view>({"array",         "output",  "error",      "input",
                                     "open-mode",     "export",  "signal",     "checkpoint-signal",
                                     "checkpoint-by", "requeue", "no-requeue", "requeue-on-timeout",
                                     "no-fence",      "wrap",    "request-id", "parsable",
                                     "wait",          "test",    "test-only",  "json",
                                     "propagate"});

Failure set_immediate(SubmitOptions& asked, std::string_view value) {
  asked.allocation.immediate_s = 0;
  if (value.empty()) return std::nullopt;
  return set_count(value, limits::time_limit_s_max, asked.allocation.immediate_s);
}

Failure set_kill_command(SubmitOptions& asked, std::string_view value) {
  const Result<std::int32_t> signal = parse_signal(value.empty() ? "TERM" : value);
  if (!signal) return signal.refusal();
  asked.allocation.kill_signal = *signal;
  return std::nullopt;
}

constexpr auto none = Takes::Nothing;
constexpr auto optional = Takes::ValueAttached;

// clang-format off
constexpr SubmitOption own_options[] = {
  {"immediate", 'I', optional, "SECONDS", "give up unless granted at once, or within SECONDS",
   "SALLOC_IMMEDIATE", set_immediate},
  {"no-shell", 0, none, "", "make the allocation and exit without releasing it", "SALLOC_NO_SHELL",
   into<in_allocation, &AllocationOptions::no_shell>},
  {"bell", 0, none, "", "ring the bell when the allocation is granted", "SALLOC_BELL",
   into<in_allocation, &AllocationOptions::bell>},
  {"no-bell", 0, none, "", "do not ring the bell", "SALLOC_NO_BELL",
   not_into<in_allocation, &AllocationOptions::bell>},
  {"kill-command", 'K', optional, "SIGNAL",
   "signal for the command if the allocation ends before it", "SALLOC_KILL_CMD", set_kill_command},
};
// clang-format on

std::string_view as_allocations(std::string_view variable) {
  static std::deque<std::string> names;
  constexpr std::string_view sbatch = "SBATCH_";
  if (!variable.starts_with(sbatch)) return variable;
  return names.emplace_back("SALLOC_" + std::string(variable.substr(sbatch.size())));
}

// Makes the plan of an allocation. `all` has the options of each component of the job; `name` is
// its default name.
Result<AllocationPlan> planned(std::vector<SubmitOptions> all, const std::string& name,
                               const SubmitSurroundings& around) {
  AllocationPlan plan;
  for (SubmitOptions& each : all)
    if (Failure failure = resolve_options(each)) return *std::move(failure);
  SubmitOptions asked = std::move(all.front());
  all.erase(all.begin());
  if (asked.resume_task >= 0)
    return Refusal{"--resume-from names an array task, which an allocation does not accept",
                   "write the job id of the task, as `cox checkpoints --json` shows it"};
  plan.asked = asked.allocation;
  plan.quiet = asked.quiet;
  JobSpec& spec = plan.request.spec;
  spec = std::move(asked.spec);
  spec.form = JobForm::Allocation;
  if (asked.allocation.no_shell) spec.stored_options.push_back("no-shell");
  spec.submit_host = around.submit_host;
  if (spec.name.empty()) spec.name = cut_text(printable(name), limits::name_bytes_max);
  if (Failure failure = resolve_job(asked, around, spec, plan.warnings)) return *std::move(failure);
  if (Failure failure = add_components(all, around, spec, plan.warnings))
    return *std::move(failure);
  return plan;
}

// Returns those of srun's given options that salloc has as well, as options of salloc. They apply
// to the job that srun submits for its step.
GivenOptions of_job(const GivenOptions& given) {
  GivenOptions found;
  for (const GivenOption& each : given.options)
    for (const SubmitOption& row : allocation_options().options)
      if (row.name == each.option->name && row.takes == each.option->takes && row.set != nullptr &&
          row.name != "help" && row.name != "version")
        found.options.push_back({&row, each.value, each.written});
  return found;
}

}  // namespace

const OptionTable& allocation_options() {
  static const OptionTable table = [] {
    OptionTable all{{}, unsupported_allocation_option_table()};
    for (SubmitOption row : submit_options().options) {
      if (std::ranges::find(of_scripts, row.name) != of_scripts.end()) continue;
      row.variable = as_allocations(row.variable);
      all.options.push_back(row);
    }
    all.options.insert(all.options.end(), std::begin(own_options), std::end(own_options));
    return all;
  }();
  return table;
}

Result<AllocationCommand> parse_allocation(const std::vector<std::string>& words) {
  AllocationCommand command;
  auto given = read_components(words, allocation_options());
  if (!given) return given.refusal();
  command.given = std::move(given->front());
  command.beside.assign(std::next(given->begin()), given->end());
  if (Failure failure = apply_options(command.given, command.options)) return *std::move(failure);
  if (command.options.help || command.options.version) return command;
  command.words.assign(words.begin() + static_cast<std::ptrdiff_t>(command.given.words_read),
                       words.end());
  if (Failure failure = check_words(command.words)) return *std::move(failure);
  return command;
}

Result<AllocationPlan> plan_allocation(const AllocationCommand& command,
                                       const SubmitSurroundings& around) {
  const auto variables = read_option_variables(around.environment, allocation_options());
  if (!variables) return variables.refusal();
  std::vector<SubmitOptions> asked(1 + command.beside.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (Failure failure = apply_options(*variables, asked[i])) return *std::move(failure);
    const GivenOptions& given = i == 0 ? command.given : command.beside[i - 1];
    if (Failure failure = apply_options(given, asked[i])) return *std::move(failure);
    if (Failure failure =
            resolve_hosts_of_job(hosts_of(asked[i], around), around.read_file, asked[i]))
      return *std::move(failure);
  }
  std::string in_effect;
  for (const SubmitOptions& each : asked)
    in_effect += options_in_effect("salloc", each, around.here, around.work_dir);
  auto plan = planned(std::move(asked), "interactive", around);
  if (plan) plan->options_in_effect = std::move(in_effect);
  return plan;
}

Result<AllocationPlan> plan_allocation(const std::vector<StepCommand>& commands,
                                       const SubmitSurroundings& around) {
  const auto variables = read_option_variables(around.environment, step_options());
  if (!variables) return variables.refusal();
  std::vector<SubmitOptions> all;
  for (const StepCommand& command : commands) {
    SubmitOptions& asked = all.emplace_back();
    if (Failure failure = apply_options(of_job(*variables), asked)) return *std::move(failure);
    if (Failure failure = apply_options(of_job(command.given), asked)) return *std::move(failure);
    const StepOptions& step = command.options.step;
    const HostsOfJob hosts{host_file_variable(around.environment),
                           step.spec.distribution == Distribution::Arbitrary, step.nodes_in_order};
    if (Failure failure = resolve_hosts_of_job(hosts, around.read_file, asked))
      return *std::move(failure);
    if (!std::exchange(asked.overcommit, false)) continue;  // -O or SLURM_OVERCOMMIT was given
    asked.spec.tasks = 0;                                   // 0: as many as fit the allocated nodes
    asked.spec.tasks_asked = false;
    if (!asked.host_file.empty()) asked.spec.tasks_per_node = 0;
  }
  return planned(std::move(all), base_name(commands.front().words.front()), around);
}

bool has_allocation(const StepCommand& command, const std::vector<std::string>& environment) {
  if (!command.options.step.job.empty()) return true;
  return std::ranges::any_of(environment, [](const std::string& each) {
    constexpr std::string_view id = "SLURM_JOB_ID=", old = "SLURM_JOBID=";
    return (each.starts_with(id) && each.size() > id.size()) ||
           (each.starts_with(old) && each.size() > old.size());
  });
}

std::vector<std::string> allocation_environment(const std::vector<std::string>& environment,
                                                const JobDetail& detail,
                                                const std::string& cluster_name,
                                                const AddressOfNode& addresses) {
  CHECK(!detail.attempts.empty());
  const Attempt& attempt = detail.attempts.back();
  LaunchSpec launch;
  launch.key = attempt.key;
  launch.spec = *detail.view.job.spec;
  launch.cluster_name = cluster_name;
  launch.restarts = detail.view.job.restarts;
  for (const AttemptNode& node : attempt.nodes) {
    const auto known = addresses.find(node.grant.node);
    launch.nodes.push_back({node.grant, known == addresses.end() ? "" : known->second});
  }
  std::string block;
  for (const std::string& each : environment) block += each + '\0';
  Variables variables = users_variables(block);
  erase_job_variables(variables);
  const auto pwd = variables.find("PWD");
  set_job(variables, launch, {"", 0, detail.view.job.started},
          pwd == variables.end() ? "" : std::string(pwd->second));
  set_tasks_asked(variables, launch);
  return entries_of(variables);
}

std::string allocation_help() {
  return "Usage: salloc [OPTION]... [COMMAND [ARGUMENT]...]   a shell, if no command is given\n"
         "\nThe command line overrides SALLOC_* variables.\n\n" +
         option_lines(allocation_options());
}

}  // namespace cox
