// The options of srun about resources and placement of tasks, streams, and srun itself.
#include <algorithm>
#include <array>
#include <string>

#include "client/options/option_values.h"
#include "client/options/submit_option_table.h"
#include "client/options/task_tres.h"
#include "client/text/size_format.h"
#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/job/job_ref.h"
#include "common/resources/gres.h"
#include "common/syntax/array_tasks.h"
#include "common/syntax/cpu_bind.h"
#include "common/syntax/gpu_bind.h"
#include "common/syntax/node_range.h"

namespace cox {
namespace step_option {
namespace {

constexpr std::int64_t seconds_max = limits::time_limit_s_max;

// ---- resources, placement --------------------------------------------------------------------

Failure set_nodes(SubmitOptions& asked, std::string_view value) {
  const Result<NodeRange> range = parse_node_range(value);
  if (!range) return range.refusal();
  asked.step.spec.nodes_min = range->least;
  asked.step.spec.nodes_max = range->most;
  return std::nullopt;
}

// Stores the number of CPUs of a task. As in Slurm, this implies --exact.
Failure set_cpus_per_task(SubmitOptions& asked, std::string_view value) {
  asked.step.spec.exact = true;
  return set_count(value, limits::cpus_per_task_max, asked.step.spec.cpus_per_task);
}

// Stores the nodes of the step, and also the names in the given order and with repetitions, for
// --distribution=arbitrary.
Failure set_nodelist(SubmitOptions& asked, std::string_view value) {
  asked.step.nodes_in_order.clear();
  asked.step.spec.nodelist.clear();
  if (value.empty()) return std::nullopt;
  if (Failure failure = set_nodes_or_file(value, asked.step.spec.nodelist, asked.host_file))
    return failure;
  if (asked.host_file.empty()) asked.step.nodes_in_order = *expand_hostlist(value);
  return std::nullopt;
}

Failure set_relative(SubmitOptions& asked, std::string_view value) {
  const Result<std::int64_t> first = parse_count(value, 0, limits::nodes_per_job_max);
  if (!first) return first.refusal();
  asked.step.spec.relative = *first;
  return std::nullopt;
}

Failure set_exclusive(SubmitOptions& asked, std::string_view value) {
  asked.step.spec.exact = asked.step.spec.exact || is_exclusive(value);
  return check_exclusive(value);
}

Failure set_memory(SubmitOptions& asked, std::string_view value) {
  const Result<std::int64_t> memory = parse_memory_mb(value);
  if (!memory) return memory.refusal();
  asked.step.spec.memory_mb_per_node = *memory;
  asked.step.spec.memory_mb_per_cpu = 0;
  return std::nullopt;
}

Failure set_memory_per_cpu(SubmitOptions& asked, std::string_view value) {
  const Result<std::int64_t> memory = parse_memory_mb(value);
  if (!memory) return memory.refusal();
  asked.step.spec.memory_mb_per_cpu = *memory;
  asked.step.spec.memory_mb_per_node = 0;
  return std::nullopt;
}

// Stores a number of GPUs. Refuses a fraction of a GPU. Ignores the type: a step uses the GPUs that
// its job holds.
Failure set_gpus(std::string_view value, std::int64_t most, std::int64_t& into) {
  into = 0;
  if (value == "0" || value == "none") return std::nullopt;
  const Result<GpuWish> gpus = parse_gpus(value, most);
  if (!gpus) return gpus.refusal();
  if (!gpus->is_whole())
    return Refusal{quoted(value) + " is a fraction of a GPU; a step has the fraction of its job",
                   "leave the option out"};
  into = gpus->count;
  return std::nullopt;
}

Failure set_gpus_of_all(SubmitOptions& asked, std::string_view value) {
  return set_gpus(value, limits::gpus_per_job_max, asked.step.spec.gpus);
}

Failure set_gpus_per_node(SubmitOptions& asked, std::string_view value) {
  return set_gpus(value, limits::gpus_per_node_max, asked.step.spec.gpus_per_node);
}

Failure set_gpus_per_task(SubmitOptions& asked, std::string_view value) {
  return set_gpus(value, limits::gpus_per_node_max, asked.step.spec.gpus_per_task);
}

// --tres-per-task is another spelling of --cpus-per-task and --gpus-per-task.
Failure set_task_tres(SubmitOptions& asked, std::string_view value) {
  const Result<TaskTres> tres = parse_task_tres(value);
  if (!tres) return tres.refusal();
  if (!tres->cpus.empty())
    if (Failure failure = set_cpus_per_task(asked, tres->cpus)) return failure;
  return tres->gpus.empty() ? std::nullopt : set_gpus_per_task(asked, tres->gpus);
}

Failure set_tasks_per_gpu(SubmitOptions& asked, std::string_view value) {
  std::int64_t tasks = 0;
  if (Failure failure = set_count(value, limits::tasks_per_job_max, tasks)) return failure;
  asked.step.tasks_per_gpu = static_cast<std::int32_t>(tasks);
  return std::nullopt;
}

// Stores the GPUs in --gres. Ignores other GRES, since all steps of a job share them.
Failure set_gres(SubmitOptions& asked, std::string_view value) {
  if (value.empty()) return std::nullopt;
  const Result<GresWish> gres = parse_gres(value);
  if (!gres) return gres.refusal();
  const auto names_gpus = [](std::string_view entry) {
    return entry == "none" || entry == "NONE" || entry == "gpu" || entry.starts_with("gpu:");
  };
  if (std::ranges::none_of(split(value, ','), names_gpus)) return std::nullopt;
  asked.step.spec.gpus_per_node = gres->gpus.count;
  return std::nullopt;
}

// Stores --distribution. The bare word "plane" means block: it is the value of SLURM_DISTRIBUTION
// in the tasks of a step with plane=N, and srun in such a task reads it.
Failure set_distribution(SubmitOptions& asked, std::string_view value) {
  const std::string_view first = value.substr(0, value.find_first_of(":,"));
  StepSpec& spec = asked.step.spec;
  if (first == "*" || first == "block" || first == "plane") {
    spec.distribution = Distribution::Block;
  } else if (first == "cyclic") {
    spec.distribution = Distribution::Cyclic;
  } else if (first == "arbitrary") {
    spec.distribution = Distribution::Arbitrary;
  } else if (first.starts_with("plane=")) {
    spec.distribution = Distribution::Plane;
    return set_count(first.substr(6), limits::tasks_per_job_max, spec.plane);
  } else {
    return Refusal{quoted(value) + " is not a supported distribution",
                   "write block, cyclic, arbitrary or plane=NUMBER"};
  }
  return std::nullopt;
}

Failure set_immediate(SubmitOptions& asked, std::string_view value) {
  if (!value.empty()) return set_count(value, seconds_max, asked.step.immediate_s);
  asked.step.spec.immediate = true;
  return std::nullopt;
}

// ---- its end ---------------------------------------------------------------------------------

Failure set_kill_on_bad_exit(SubmitOptions& asked, std::string_view value) {
  if (!value.empty() && value != "0" && value != "1")
    return Refusal{quoted(value) + " is neither 0 nor 1",
                   "write 1, or 0 to let the other tasks continue"};
  asked.step.kill_on_bad_exit = value != "0";
  return std::nullopt;
}

Failure set_wait(SubmitOptions& asked, std::string_view value) {
  const Result<std::int64_t> seconds = parse_count(value, 0, seconds_max);
  if (!seconds) return seconds.refusal();
  asked.step.wait_s = *seconds;
  return std::nullopt;
}

// ---- other options ---------------------------------------------------------------------------

Failure set_het_group(SubmitOptions& asked, std::string_view value) {
  if (value == "all") {
    asked.step.het_groups = {-1};
    return std::nullopt;
  }
  const auto groups = parse_array_tasks(value);
  if (!groups) return groups.refusal();
  if (groups->last() >= limits::job_components_max)
    return Refusal{quoted(value) + " exceeds the components of a job: at most " +
                       std::to_string(limits::job_components_max) + ", numbered from 0",
                   "give the numbers of the job's components"};
  asked.step.het_groups = groups->all();
  return std::nullopt;
}

Failure set_mpi(SubmitOptions& asked, std::string_view value) {
  asked.step.list_mpi = value == "list";
  asked.step.mpi.clear();
  if (value == "none" || value == "list") return std::nullopt;
  // "pmix_v4" and the like mean "pmix": the PMIx library supports clients of all versions.
  asked.step.mpi = value.starts_with("pmix") ? "pmix" : value;
  if (asked.step.mpi == "pmix" || asked.step.mpi == "pmi2") return std::nullopt;
  return Refusal{"Couldn't find the specified plugin name for mpi/" + printable(value),
                 "supported are none, pmi2 and pmix; start other programs with mpirun"};
}

Failure accept(SubmitOptions&, std::string_view) {
  return std::nullopt;
}

// Checks --hint, which has no effect.
Failure check_hint(SubmitOptions&, std::string_view value) {
  constexpr std::array<std::string_view, 4> hints{"compute_bound", "memory_bound", "multithread",
                                                  "nomultithread"};
  const std::string low = lower_case(value);
  for (const std::string_view word : split(low, ','))
    if (std::ranges::find(hints, word) == hints.end())
      return Refusal{quoted(word) + " is no hint",
                     "write compute_bound, memory_bound, multithread or nomultithread"};
  return std::nullopt;
}

// Checks --mem-bind, which has no effect: "verbose,local", "map_mem:0,1".
Failure check_mem_bind(SubmitOptions&, std::string_view value) {
  constexpr std::array<std::string_view, 8> words{"none",   "rank",   "local", "sort",
                                                  "nosort", "prefer", "quiet", "verbose"};
  const std::string low = lower_case(value);
  for (const std::string_view word : split(low, ',')) {
    if (word.starts_with("map_mem:") || word.starts_with("mask_mem:")) return std::nullopt;
    const bool is_short = word == "q" || word == "v" || word == "p";
    if (!is_short && std::ranges::find(words, word) == words.end())
      return Refusal{quoted(word) + " is no type of --mem-bind",
                     "write none, rank, local, map_mem:LIST or mask_mem:LIST; sort, nosort, "
                     "prefer, quiet or verbose may precede it"};
  }
  return std::nullopt;
}

constexpr auto none = Takes::Nothing;
constexpr auto optional = Takes::ValueAttached;
constexpr auto required = Takes::Value;

// clang-format off
constexpr SubmitOption options[] = {
  {"ntasks", 'n', required, "NUMBER", "tasks", "SLURM_NTASKS SLURM_NPROCS",
   count_into<limits::tasks_per_job_max, in_step, in_step_spec, &StepSpec::tasks>},
  {"tasks", 0, required, "", "", "",
   count_into<limits::tasks_per_job_max, in_step, in_step_spec, &StepSpec::tasks>},
  {"nodes", 'N', required, "NUMBER", "how many nodes of the allocation; 1-4: any of these",
   "SLURM_JOB_NUM_NODES SLURM_NNODES", set_nodes},
  {"ntasks-per-node", 0, required, "NUMBER", "tasks on each node, at most", "SLURM_NTASKS_PER_NODE",
   count_into<limits::tasks_per_job_max, in_step, in_step_spec, &StepSpec::tasks_per_node>},
  {"tasks-per-node", 0, required, "", "", "",
   count_into<limits::tasks_per_job_max, in_step, in_step_spec, &StepSpec::tasks_per_node>},
  {"cpus-per-task", 'c', required, "NUMBER", "CPUs of each task; implies --exact",
   "SRUN_CPUS_PER_TASK", set_cpus_per_task},
  {"nodelist", 'w', required, "NODES", "use all of these nodes: n1,n[3-4]; or ./FILE", "",
   set_nodelist},
  {"exclude", 'x', required, "NODES", "none of these", "",
   set_by<set_node_names, in_step, in_step_spec, &StepSpec::exclude>},
  {"relative", 'r', required, "NUMBER",
   "begin with this node of the allocation; the first is 0", "",
   set_relative},
  {"exact", 0, none, "", "use only the resources that its tasks ask for", "SLURM_EXACT",
   into<in_step, in_step_spec, &StepSpec::exact>},
  {"exclusive", 0, optional, "", "", "SLURM_EXCLUSIVE", set_exclusive},
  {"whole", 0, none, "", "use all resources of its nodes that no other step has", "SLURM_WHOLE",
   not_into<in_step, in_step_spec, &StepSpec::exact>},
  {"overlap", 0, none, "",
   "share resources with other steps; do not wait for them", "SLURM_OVERLAP",
   into<in_step, in_step_spec, &StepSpec::overlap>},
  {"oversubscribe", 's', none, "", "", "", into<in_step, in_step_spec, &StepSpec::overlap>},
  {"overcommit", 'O', none, "", "start all tasks, even with too few CPUs", "SLURM_OVERCOMMIT",
   into<in_step, in_step_spec, &StepSpec::overcommit>},
  {"mem", 0, required, "SIZE", "memory on each node: 4000 (MB), 16G; default: share the job's", "",
   set_memory},
  {"mem-per-cpu", 0, required, "SIZE", "memory for each CPU", "SLURM_MEM_PER_CPU",
   set_memory_per_cpu},
  {"gpus", 'G', required, "[TYPE:]NUMBER",
   "GPUs on all nodes together", "SLURM_GPUS", set_gpus_of_all},
  {"gpus-per-node", 0, required, "[TYPE:]NUMBER", "GPUs of each node", "SLURM_GPUS_PER_NODE",
   set_gpus_per_node},
  {"gpus-per-task", 0, required, "[TYPE:]NUMBER", "GPUs of each task", "SLURM_GPUS_PER_TASK",
   set_gpus_per_task},
  {"tres-per-task", 0, required, "cpu=NUMBER,gres/gpu[:TYPE]=NUMBER", "CPUs and GPUs of each task",
   "SLURM_TRES_PER_TASK", set_task_tres},
  {"ntasks-per-gpu", 0, required, "NUMBER", "tasks for each GPU; they see only that one",
   "SLURM_NTASKS_PER_GPU", set_tasks_per_gpu},
  {"gres", 0, required, "gpu[:TYPE]:NUMBER", "GPUs of each node; none", "SLURM_STEP_GRES",
   set_gres},
  {"distribution", 'm', required, "block|cyclic|arbitrary|plane=NUMBER",
   "how tasks are distributed to nodes", "SLURM_DISTRIBUTION", set_distribution},
  {"time", 't', required, "TIME", "its own limit: minutes, H:M:S, D-H, ...", "SLURM_TIMELIMIT",
   parsed_into<parse_time_limit, in_step, in_step_spec, &StepSpec::time_limit_s>},
  {"immediate", 'I', optional, "SECONDS",
   "fail if there is no room at once, or within SECONDS", "SLURM_IMMEDIATE",
   set_immediate},
  {"jobid", 0, required, "JOB", "run in this job's allocation", "SLURM_JOB_ID SLURM_JOBID",
   checked_text_into<parse_job_ref, in_step, &StepOptions::job>},
  {"job-name", 'J', required, "NAME", "the step's name; default: the program's", "",
   text_into<limits::name_bytes_max, in_step, &StepOptions::name>},
  {"output", 'o', required, "FILE",
   "where output goes: a file (%t: one for each task), all, none or a task", "SLURM_STDOUTMODE",
   text_into<limits::path_bytes_max, in_step, &StepOptions::output>},
  {"error", 'e', required, "FILE", "where errors go, likewise", "SLURM_STDERRMODE",
   text_into<limits::path_bytes_max, in_step, &StepOptions::error>},
  {"input", 'i', required, "FILE",
   "where input comes from, likewise; default: srun's, for all tasks", "SLURM_STDINMODE",
   text_into<limits::path_bytes_max, in_step, &StepOptions::input>},
  {"open-mode", 0, required, "MODE", "append or truncate", "SLURM_OPEN_MODE",
   set_by<set_append, in_step, &StepOptions::append>},
  {"label", 'l', none, "", "print the task's number before each line", "SLURM_LABELIO",
   into<in_step, &StepOptions::label>},
  {"unbuffered", 'u', none, "",
   "give tasks a terminal, so that their programs do not buffer output",
   "SLURM_UNBUFFEREDIO", into<in_step, &StepOptions::unbuffered>},
  {"pty", 0, none, "", "a terminal for task 0", "", into<in_step, &StepOptions::pty>},
  {"het-group", 0, required, "LIST",
   "for a heterogeneous job: a step on each of these components; all: one step on all", "",
   set_het_group},
  {"pack-group", 0, required, "", "", "", set_het_group},
  {"multi-prog", 0, none, "", "the command is a file: RANKS PROGRAM ...", "SLURM_MULTI_PROG",
   into<in_step, &StepOptions::multi_prog>},
  {"chdir", 'D', required, "FOLDER",
   "the working directory of the tasks; default: the current one", "SLURM_WORKING_DIR",
   text_into<limits::path_bytes_max, in_step, &StepOptions::work_dir>},
  {"export", 0, required, "LIST", "ALL, NONE, or NAME and NAME=VALUE,...",
   "SRUN_EXPORT_ENV SLURM_EXPORT_ENV", into<in_step, &StepOptions::export_list>},
  {"kill-on-bad-exit", 'K', optional, "0|1", "end all tasks when one fails",
   "SLURM_KILL_BAD_EXIT", set_kill_on_bad_exit},
  {"wait", 'W', required, "SECONDS",
   "end the other tasks SECONDS after the first has ended", "SLURM_WAIT",
   set_wait},
  {"quit-on-interrupt", 'q', none, "", "kill the tasks at the first ctrl-C", "",
   into<in_step, &StepOptions::quit_on_interrupt>},
  {"disable-status", 'X', none, "",
   "pass the first ctrl-C on to the tasks at once", "SLURM_DISABLE_STATUS",
   into<in_step, &StepOptions::interrupt_at_once>},
  {"mpi", 0, required, "none|pmi2|pmix|list", "how MPI programs find each other",
   "SLURM_MPI_TYPE", set_mpi},
  {"quiet", 'Q', none, "", "print only errors", "", into<&SubmitOptions::quiet>},
  {"verbose", 'v', none, "", "print the options in effect and what happens", "",
   into<&SubmitOptions::verbose>},
  {"cpu-bind", 0, required, "[verbose,]WHAT",
   "bind each task to CPUs: threads, cores, sockets, ldoms, rank, map_cpu:LIST, ...; none",
   "SLURM_CPU_BIND", checked_text_into<parse_cpu_bind, in_step, &StepOptions::cpu_bind>},
  {"gpu-bind", 0, required, "[verbose,]WHAT",
   "GPUs that tasks see: single:TASKS, map_gpu:LIST, mask_gpu:LIST, per_task:GPUS, closest; none",
   "SLURM_GPU_BIND", checked_text_into<parse_gpu_bind, in_step, &StepOptions::gpu_bind>},
  {"mem-bind", 0, required, "VALUE", "accepted, without effect in this version", "",
   check_mem_bind},
  {"hint", 0, required, "", "", "", check_hint},
  {"cpu-freq", 0, required, "", "", "", accept},
  {"threads-per-core", 0, required, "", "", "", accept},
  {"ntasks-per-core", 0, required, "", "", "", accept},
  {"ntasks-per-socket", 0, required, "", "", "", accept},
  {"extra-node-info", 'B', required, "", "", "", accept},
  {"sockets-per-node", 0, required, "", "", "", accept},
  {"cores-per-socket", 0, required, "", "", "", accept},
  {"core-spec", 'S', required, "", "", "", accept},
  {"gres-flags", 0, required, "", "", "", accept},
  {"acctg-freq", 0, required, "", "", "", accept},
  {"profile", 0, required, "", "", "", accept},
  {"threads", 'T', required, "", "", "", accept},
  {"slurmd-debug", 0, required, "", "", "", accept},
  {"msg-timeout", 0, required, "", "", "", accept},
  {"compress", 0, optional, "", "", "", accept},
  {"preserve-env", 'E', none, "", "accepted", "", accept},
  {"no-kill", 'k', optional, "", "accepted: a lost node ends the job's attempt", "", accept},
  {"external-launcher", 0, none, "", "accepted: for launchers like mpirun", "", accept},
  {"interactive", 0, none, "", "accepted", "", accept},
  {"account", 'A', required, "VALUE", "for the allocation that srun makes if there is none",
   "SLURM_ACCOUNT", accept},
  {"partition", 'p', required, "", "", "SLURM_PARTITION", accept},
  {"qos", 0, required, "", "", "SLURM_QOS", accept},
  {"constraint", 'C', required, "", "", "SLURM_CONSTRAINT", accept},
  {"prefer", 0, required, "", "", "", accept},
  {"mincpus", 0, required, "", "", "", accept},
  {"contiguous", 0, none, "", "", "", accept},
  {"comment", 0, required, "", "", "", accept},
  {"dependency", 'd', required, "", "", "", accept},
  {"cpus-per-gpu", 0, required, "", "", "", accept},
  {"mem-per-gpu", 0, required, "", "", "", accept},
  {"network", 0, required, "", "", "", accept},
  {"wckey", 0, required, "", "", "SLURM_WCKEY", accept},
  {"reservation", 0, required, "", "", "SLURM_RESERVATION", accept},
  {"licenses", 'L', required, "", "", "", accept},
  {"begin", 'b', required, "", "", "", accept},
  {"deadline", 0, required, "", "", "", accept},
  {"mail-type", 0, required, "", "", "", accept},
  {"mail-user", 0, required, "", "", "", accept},
  {"nice", 0, optional, "", "", "", accept},
  {"priority", 0, required, "", "", "", accept},
  {"hold", 'H', none, "", "", "", accept},
  {"switches", 0, required, "", "", "", accept},
  {"time-min", 0, required, "", "", "", accept},
  {"resv-ports", 0, optional, "", "", "", accept},
  {"treewidth", 0, required, "", "", "", accept},
  {"delay-boot", 0, required, "", "", "", accept},
  {"gpu-freq", 0, required, "", "", "", accept},
  {"mcs-label", 0, required, "", "", "", accept},
  {"thread-spec", 0, required, "", "", "", accept},
  {"power", 0, required, "", "", "", accept},
  {"spread-job", 0, none, "", "", "", accept},
  {"use-min-nodes", 0, none, "", "", "", accept},
  {"help", 'h', none, "", "print this", "", into<&SubmitOptions::help>,
   OptionForm::command_line_only},
  {"usage", 0, none, "", "", "", into<&SubmitOptions::help>, OptionForm::command_line_only},
  {"version", 'V', none, "", "print the version", "", into<&SubmitOptions::version>,
   OptionForm::command_line_only},
};
// clang-format on

}  // namespace
}  // namespace step_option

std::span<const SubmitOption> step_option_table() {
  return step_option::options;
}

}  // namespace cox
