#include "client/step/step_plan.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "client/options/host_file.h"
#include "client/options/options_in_effect.h"
#include "client/options/submit_option_table.h"
#include "client/step/command_hash.h"
#include "client/submit/job_environment.h"
#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/container.h"
#include "common/job/job_ref.h"
#include "common/job/job_variables.h"
#include "common/job/node_addresses.h"
#include "common/job/supervisor_folder.h"

namespace cox {
namespace {

bool gives(const GivenOptions& given, std::string_view name) {
  return std::ranges::any_of(given.options,
                             [&](const GivenOption& each) { return each.option->name == name; });
}

std::string value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& each : environment)
    if (each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=')
      return each.substr(name.size() + 1);
  return "";
}

std::string number(std::int64_t value) {
  return std::to_string(value);
}

// Drops numbers of nodes and tasks that come from the job's variables, such as SLURM_NTASKS, where
// they contradict options on the command line (`on_line`).
void resolve_places(const GivenOptions& on_line, StepSpec& spec) {
  const bool nodes = gives(on_line, "nodes");
  const bool tasks = gives(on_line, "ntasks") || gives(on_line, "tasks");
  const bool per_node = gives(on_line, "ntasks-per-node") || gives(on_line, "tasks-per-node");
  if (!nodes && !spec.nodelist.empty()) spec.nodes_min = spec.nodes_max = 0;
  if (!nodes && (!spec.exclude.empty() || spec.relative >= 0))
    spec.nodes_min = std::min<std::int64_t>(spec.nodes_min, 1);
  if (per_node && !tasks) spec.tasks = 0;
  if (tasks && !per_node && spec.nodes_max * spec.tasks_per_node < spec.tasks)
    spec.tasks_per_node = 0;
}

bool is_as_listed(const StepSpec& spec) {
  return spec.distribution == Distribution::Arbitrary;
}

// Assigns a node to each task (--distribution=arbitrary): task i runs on names[i]. The number of
// tasks follows from options on the command line (`on_line`), not from the job's variables; without
// such an option there is one task for each name.
Failure place_tasks_as_listed(const GivenOptions& on_line, std::vector<std::string> names,
                              StepSpec& spec) {
  if (names.empty()) {
    // "arbitrary" may come from the job's SLURM_DISTRIBUTION, while its node file exists only on
    // the submit host. Then use block.
    spec.distribution = Distribution::Block;
    if (!gives(on_line, "distribution")) return std::nullopt;
    return Refusal{
        "With Arbitrary distribution you need to specify a nodelist or hostfile with the -w option",
        "or name the file in SLURM_HOSTFILE"};
  }
  const bool tasks = gives(on_line, "ntasks") || gives(on_line, "tasks");
  const std::int64_t nodes = gives(on_line, "nodes") ? spec.nodes_max : 0;
  if (Failure failure = keep_first_hosts(names, tasks ? spec.tasks : nodes)) return failure;
  spec.tasks = std::ssize(names);
  spec.tasks_per_node = 0;
  spec.nodes_min = spec.nodes_max = std::ssize(nodes_among(names));
  spec.nodelist = std::move(names);
  return std::nullopt;
}

// Replaces addresses by the names of the nodes that have them. `scontrol show hostnames` prints
// addresses in a job whose nodes have names that no host has.
void name_nodes(const std::vector<std::string>& environment, std::vector<std::string>& names) {
  const NodeAddresses addresses(value_of(environment, supervisor_folder::variable_node_addresses));
  for (std::string& name : names) name = addresses.node_at(name);
}

void name_nodes(const std::vector<std::string>& environment, StepOptions& asked) {
  for (auto* names : {&asked.spec.nodelist, &asked.spec.exclude}) {
    name_nodes(environment, *names);
    *names = nodes_among(std::move(*names));
  }
  name_nodes(environment, asked.nodes_in_order);
}

// Sets the step's node list from a file of node names: that of --nodelist or else of
// SLURM_HOSTFILE. With --distribution=arbitrary, also assigns a node to each task.
Failure resolve_hosts(const GivenOptions& on_line, const std::vector<std::string>& environment,
                      const ReadFile& read_file, const SubmitOptions& asked, StepSpec& spec) {
  std::string path = asked.host_file;
  std::vector<std::string> names = asked.step.nodes_in_order;
  if (path.empty() && names.empty()) {
    path = host_file_variable(environment);
    if (!path.empty()) spec.distribution = Distribution::Arbitrary;
  }
  if (!path.empty()) {
    auto read = read_host_file(path, read_file);
    if (!read) return read.refusal();
    names = std::move(*read);
    name_nodes(environment, names);
    spec.nodelist = nodes_among(names);
  }
  if (is_as_listed(spec)) return place_tasks_as_listed(on_line, std::move(names), spec);
  return std::nullopt;
}

// Combines the options about GPUs and derives the number of tasks from --ntasks-per-gpu. Options on
// the command line (`on_line`) override those of the job, which the job's variables repeat. The
// job's SLURM_GPUS_PER_NODE counts only if no other option gives the step's number of GPUs.
void resolve_gpus(const GivenOptions& variables, const GivenOptions& on_line, StepOptions& asked) {
  StepSpec& spec = asked.spec;
  const bool on_nodes = gives(on_line, "gpus-per-node") || gives(on_line, "gres");
  const bool repeated = gives(variables, "gpus-per-node") && !gives(variables, "gres");
  if (repeated && !on_nodes && (spec.gpus >= 0 || spec.gpus_per_task >= 0)) spec.gpus_per_node = -1;
  const bool per_task = gives(on_line, "gpus-per-task");
  const bool per_gpu = gives(on_line, "ntasks-per-gpu");
  if (per_task && !per_gpu) asked.tasks_per_gpu = 0;
  if (per_gpu && !per_task) spec.gpus_per_task = -1;
  if (asked.tasks_per_gpu == 0 || spec.tasks_per_node > 0) return;
  if (spec.gpus > 0 && spec.tasks == 0)
    spec.tasks = spec.gpus * asked.tasks_per_gpu;
  else if (spec.gpus <= 0 && spec.gpus_per_node > 0)
    spec.tasks_per_node = spec.gpus_per_node * asked.tasks_per_gpu;
}

// Makes the numbers of nodes and tasks consistent, as Slurm's srun does. Returns warnings in the
// words of Slurm's srun.
std::vector<std::string> resolve_counts(StepSpec& spec) {
  std::vector<std::string> warnings;
  if (spec.tasks > 0 && spec.tasks < spec.nodes_min) {
    warnings.push_back("can't run " + number(spec.tasks) + " processes on " +
                       number(spec.nodes_min) + " nodes, setting nnodes to " + number(spec.tasks));
    spec.nodes_min = spec.nodes_max = spec.tasks;
  }
  if (spec.tasks > 0 && spec.nodes_max > 0 && spec.tasks_per_node > 0 &&
      spec.nodes_max * spec.tasks_per_node < spec.tasks) {
    warnings.push_back("can't honor --ntasks-per-node set to " + number(spec.tasks_per_node) +
                       " which doesn't match the requested tasks " + number(spec.tasks) +
                       " with the number of requested nodes " + number(spec.nodes_max) +
                       ". Ignoring --ntasks-per-node.");
    spec.tasks_per_node = 0;
  }
  return warnings;
}

Failure resolve_job(const StepOptions& asked, CreateStep& create) {
  if (asked.job.empty())
    return Refusal{"there is no allocation: neither --jobid nor SLURM_JOB_ID is set",
                   "name a job of yours with --jobid"};
  const Result<JobRef> ref = parse_job_ref(asked.job);
  if (!ref) return ref.refusal();
  create.job = ref->id;
  if (ref->tasks.empty()) return std::nullopt;
  const auto task = parse_count(ref->tasks, 0, limits::array_task_id_max);
  if (!task)
    return Refusal{quoted(asked.job) + " names several tasks of an array",
                   "name one, like " + number(ref->id.value) + "_4"};
  create.task = *task;
  return std::nullopt;
}

Failure resolve_name(const std::vector<std::string>& words, const std::string& asked,
                     StepSpec& spec) {
  spec.name = asked.empty() ? base_name(words.front()) : asked;
  const bool is_plain = is_utf8(spec.name) && !has_control_characters(spec.name) &&
                        spec.name.size() <= limits::name_bytes_max;
  if (is_plain) return std::nullopt;
  return Refusal{
      "the step would be called " + quoted(spec.name) + ", which is too long or not printable",
      "name it with --job-name"};
}

Failure resolve_programs(const ReadFile& read_file, StepPlan& plan) {
  const auto text = read_file(plan.words.front());
  if (!text)
    return Refusal{"cannot read the file of --multi-prog, " + quoted(plan.words.front()),
                   "name a file that you can read"};
  if (text->size() > limits::multi_prog_bytes_max)
    return Refusal{"the file of --multi-prog, " + quoted(plan.words.front()) + ", is larger than " +
                       std::to_string(limits::multi_prog_bytes_max) + " bytes",
                   "write one line for several tasks, as 0-99"};
  auto programs = parse_multi_prog(*text);
  if (!programs) return programs.refusal();
  plan.programs = std::move(*programs);
  if (plan.create.spec.tasks == 0) return std::nullopt;
  const auto commands = commands_of(plan.programs, plan.create.spec.tasks, plan.words.front());
  return commands ? Failure{} : commands.refusal();
}

}  // namespace

Result<StepCommand> parse_step(const std::vector<std::string>& words) {
  StepCommand command;
  auto given = read_options(words, OptionPlace::CommandLine, step_options());
  if (!given) return given.refusal();
  command.given = std::move(*given);
  if (Failure failure = apply_options(command.given, command.options)) return *std::move(failure);
  const SubmitOptions& asked = command.options;
  if (asked.help || asked.version || asked.step.list_mpi) return command;
  command.words.assign(words.begin() + static_cast<std::ptrdiff_t>(command.given.words_read),
                       words.end());
  if (command.words.empty() || command.words.front().empty())
    return Refusal{"No command given to execute.", "write: srun [OPTION]... COMMAND [ARGUMENT]..."};
  if (Failure failure = check_words(command.words)) return *std::move(failure);
  return command;
}

namespace {

// Splits the words of `srun A : B` at each word ":" that follows a word and is not the last one. A
// final ":" is an argument of the program.
std::vector<std::vector<std::string>> programs_of(const std::vector<std::string>& words) {
  std::vector<std::vector<std::string>> programs(1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool ends = words[i] == ":" && !programs.back().empty() && i + 1 < words.size();
    if (ends)
      programs.emplace_back();
    else
      programs.back().push_back(words[i]);
  }
  return programs;
}

StepPart part_on(StepCommand command, std::vector<std::string> words, std::int64_t component) {
  const std::size_t behind_options = command.given.words_read - (command.given.double_dash ? 1 : 0);
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(behind_options),
               component < 0 ? "--het-group=all" : "--het-group=" + number(component));
  command.options.step.spec.component = component;
  return {std::move(command), std::move(words)};
}

// Returns the environment with the variables of the heterogeneous job, such as SLURM_NTASKS, set to
// the values of this component.
std::vector<std::string> environment_on(const std::vector<std::string>& environment,
                                        std::int64_t component) {
  std::string block;
  for (const std::string& each : environment) block += each + '\0';
  Variables variables = users_variables(block);
  be_component(variables, component);
  return entries_of(variables);
}

}  // namespace

Result<std::vector<StepPart>> parse_steps(const std::vector<std::string>& words) {
  const auto programs = programs_of(words);
  std::vector<StepPart> parts;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    auto command = parse_step(programs[i]);
    if (!command) return command.refusal();
    std::vector<std::int64_t> groups = command->options.step.het_groups;
    if (groups.empty()) groups = {static_cast<std::int64_t>(i)};
    for (const std::int64_t group : groups) parts.push_back(part_on(*command, programs[i], group));
  }
  if (std::cmp_greater(parts.size(), limits::job_components_max))
    return Refusal{"srun would start " + std::to_string(parts.size()) +
                       " steps at once; the limit is " + std::to_string(limits::job_components_max),
                   "start fewer with one srun"};
  return parts;
}

Failure check_groups(const std::vector<StepPart>& parts,
                     const std::vector<std::string>& environment) {
  if (!parts.front().command.options.step.job.empty()) return std::nullopt;
  const auto given_size =
      parse_count(value_of(environment, "SLURM_HET_SIZE"), 1, limits::job_components_max);
  const std::int64_t size = given_size ? *given_size : 1;
  for (const StepPart& part : parts)
    if (const std::int64_t group = part.command.options.step.spec.component; group >= size)
      return Refusal{"Invalid het group " + number(group) + ": the job has " + number(size) +
                         (size == 1 ? " component" : " components") + ", numbered from 0",
                     "each program after a \":\" runs on another component of the job"};
  return std::nullopt;
}

namespace {

// Returns the options from variables and command line. Returns nothing if an option is not valid;
// plan_step() reports that.
std::optional<SubmitOptions> all_asked(const StepCommand& command,
                                       const std::vector<std::string>& environment) {
  SubmitOptions asked;
  const auto variables = read_option_variables(environment, step_options());
  const bool is_valid =
      variables && !apply_options(*variables, asked) && !apply_options(command.given, asked);
  return is_valid ? std::optional(std::move(asked)) : std::nullopt;
}

}  // namespace

std::string step_options_in_effect(const StepCommand& command, const SubmitSurroundings& around) {
  const auto asked = all_asked(command, around.environment);
  return asked ? options_in_effect("srun", *asked, around.here, around.work_dir) : "";
}

std::vector<std::string> step_clusters(const StepCommand& command,
                                       const SubmitSurroundings& around) {
  const auto asked = all_asked(command, around.environment);
  return asked ? asked->step.clusters : std::vector<std::string>{};
}

KnownFiles known_step_files(const StepCommand& command, const SubmitSurroundings& around) {
  const auto asked = all_asked(command, around.environment);
  return asked ? known_files(asked->step, around.work_dir) : KnownFiles{};
}

namespace {

// Returns the line of --verbose about the job's nodes and their CPUs, from the job's variables.
// Empty if the variables are missing or belong to another job.
std::string about_job(JobId job, const std::vector<std::string>& environment) {
  const std::string id = number(job.value);
  const std::string nodes = value_of(environment, "SLURM_JOB_NODELIST");
  const std::string cpus = value_of(environment, "SLURM_JOB_CPUS_PER_NODE");
  if (value_of(environment, "SLURM_JOB_ID") != id || nodes.empty() || cpus.empty()) return "";
  std::string counts;
  for (const std::string_view part : split(cpus, ',')) {
    counts += (counts.empty() ? "" : ",") + std::string(part);
    if (!part.ends_with(')')) counts += "(x1)";
  }
  return "jobid " + id + ": nodes(" + value_of(environment, "SLURM_JOB_NUM_NODES") + "):`" + nodes +
         "', cpu counts: " + counts;
}

// Returns the checkpoint folders of the attempt in which srun was started.
std::vector<std::string> checkpoint_folders(const std::vector<std::string>& environment) {
  std::vector<std::string> folders;
  for (const char* name :
       {supervisor_folder::variable_checkpoint_dir, supervisor_folder::variable_resume_from})
    folders.push_back(value_of(environment, name));
  return folders;
}

}  // namespace

Result<StepPlan> plan_step(const StepCommand& command, const SubmitSurroundings& outside,
                           const ReadFile& read_file) {
  StepPlan plan;
  SubmitSurroundings around = outside;
  const std::int64_t component = command.options.step.spec.component;
  around.environment = environment_on(outside.environment, component);
  const auto variables = read_option_variables(around.environment, step_options());
  if (!variables) return variables.refusal();
  if (Failure failure = apply_options(*variables, plan.asked)) return *std::move(failure);
  if (Failure failure = apply_options(command.given, plan.asked)) return *std::move(failure);
  resolve_gpus(*variables, command.given, plan.asked.step);
  name_nodes(around.environment, plan.asked.step);
  const StepOptions& asked = plan.asked.step;
  plan.words = command.words;
  plan.create.spec = asked.spec;
  plan.create.spec.component = component;
  plan.create.spec.command_hash = command_hash(plan.words, checkpoint_folders(around.environment));
  StepSpec& spec = plan.create.spec;
  if (Failure failure = resolve_name(plan.words, asked.name, spec)) return *std::move(failure);
  if (Failure failure = resolve_job(asked, plan.create)) return *std::move(failure);
  if (Failure failure =
          resolve_hosts(command.given, around.environment, read_file, plan.asked, spec))
    return *std::move(failure);
  if (!is_as_listed(spec)) resolve_places(command.given, spec);
  plan.warnings = resolve_counts(spec);
  for (const std::string& warning : ignored_option_warnings(plan.asked))
    plan.warnings.push_back(warning);
  if (plan.asked.verbose > 0) plan.about_job = about_job(plan.create.job, around.environment);
  if (asked.multi_prog)
    if (Failure failure = resolve_programs(read_file, plan)) return *std::move(failure);
  auto block =
      task_environment(around.environment, asked.export_list.empty() ? "ALL" : asked.export_list);
  if (!block) return block.refusal();
  plan.environment = std::move(*block);
  plan.names = {value_of(around.environment, "SLURM_JOB_NAME"), around.work_dir};
  plan.work_dir = asked.work_dir.starts_with('/') ? asked.work_dir
                  : asked.work_dir.empty()        ? around.work_dir
                                                  : around.work_dir + "/" + asked.work_dir;
  return plan;
}

// Appends the variables after the environment of srun, so that they override variables of the same
// name.
void add_step_variables(StepPlan& plan, const StepPlace& place, const SubmitSurroundings& around) {
  const auto set = [&](const std::string& name, const std::string& value) {
    plan.environment += name + '=' + value + '\0';
  };
  char mask[8];
  std::snprintf(mask, sizeof mask, "%04o", static_cast<unsigned>(place.umask) & 07777U);
  set("SLURM_UMASK", mask);
  set("SLURM_PRIO_PROCESS", number(place.priority));
  set("SLURM_SUBMIT_DIR", around.work_dir);
  set("SLURM_SUBMIT_HOST", around.submit_host);
  set("SLURM_SRUN_COMM_HOST", place.address.empty() ? place.host : place.address);
  set("SLURM_SRUN_COMM_PORT", number(place.port));
  set("SLURM_STEP_LAUNCHER_PORT", number(place.port));
  set("SLURM_LAUNCH_NODE_IPADDR", place.address);
  if (const auto limits = propagated_limits(plan.asked.propagate, around.soft_limits); limits)
    plan.environment += soft_limit_variables(*limits);
  constexpr std::int64_t debug_usual = 3;
  set("SRUN_DEBUG", number(debug_usual + plan.asked.verbose - (plan.asked.quiet ? 1 : 0)));
  // The step daemon on each node reads these variables, and sets them for each task.
  if (plan.asked.step.tasks_per_gpu > 0)
    set("SLURM_NTASKS_PER_GPU", number(plan.asked.step.tasks_per_gpu));
  if (const std::string& bind = plan.asked.step.cpu_bind; !bind.empty())
    set("SLURM_CPU_BIND", bind);
  if (const std::string& bind = plan.asked.step.gpu_bind; !bind.empty())
    set("SLURM_GPU_BIND", bind);
}

namespace {

// Returns the ranks of the tasks on each node, like "0,1;2,3", for MPI programs.
std::string task_map(const Step& step) {
  std::string text;
  for (const auto& ranks : ranks_on_nodes(step.nodes, step.spec)) {
    if (!text.empty()) text += ';';
    for (std::size_t i = 0; i < ranks.size(); ++i) text += (i > 0 ? "," : "") + number(ranks[i]);
  }
  return text;
}

}  // namespace

Result<StepBegin> begin_of(const StepPlan& plan, const StepView& step, const StepRoutes& routes) {
  StepBegin begin;
  if (plan.programs.empty()) {
    begin.commands = {{{}, plan.words}};
  } else {
    auto commands = commands_of(plan.programs, step.step.tasks, plan.words.front());
    if (!commands) return commands.refusal();
    begin.commands = std::move(*commands);
  }
  const auto wish = [&](const StreamRoute& route) {
    return StreamWish{route.mode, route.mode == StreamMode::File ? route.path : "", routes.append};
  };
  begin.environment = plan.environment;
  begin.work_dir = plan.work_dir;
  begin.input = wish(routes.input);
  begin.output = wish(routes.output);
  begin.error = wish(routes.error);
  begin.error_joins = routes.error_joins;
  begin.input_rank = routes.input.only_rank;
  begin.mpi = plan.asked.step.mpi;
  if (!begin.mpi.empty()) begin.task_map = task_map(step.step);
  if (plan.asked.step.pty) begin.pty_rank = 0;
  begin.unbuffered = plan.asked.step.unbuffered;
  begin.task_prolog = plan.asked.step.task_prolog;
  begin.container = container_options(plan.asked.spec.stored_options);
  begin.task_epilog = plan.asked.step.task_epilog;
  return begin;
}

int exit_code_for(const std::vector<std::string>& environment, std::string_view variable) {
  const auto code = parse_count(value_of(environment, variable), 0, 255);
  return code ? static_cast<int>(*code) : 1;
}

}  // namespace cox
