// The options of srun.
#include <algorithm>
#include <string>

#include "client/options/option_values.h"
#include "client/options/submit_option_table.h"
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
namespace {

constexpr std::int64_t seconds_max = limits::time_limit_s_max;

// ---- how much and where ----------------------------------------------------------------------

Failure set_tasks(SubmitOptions& asked, std::string_view value) {
  return set_count(value, limits::tasks_per_job_max, asked.step.spec.tasks);
}

Failure set_nodes(SubmitOptions& asked, std::string_view value) {
  const Result<NodeRange> range = parse_node_range(value);
  if (!range) return range.refusal();
  asked.step.spec.nodes_min = range->least;
  asked.step.spec.nodes_max = range->most;
  return std::nullopt;
}

Failure set_tasks_per_node(SubmitOptions& asked, std::string_view value) {
  return set_count(value, limits::tasks_per_job_max, asked.step.spec.tasks_per_node);
}

// As in Slurm it says as well: no more of the nodes than that.
Failure set_cpus_per_task(SubmitOptions& asked, std::string_view value) {
  asked.step.spec.exact = true;
  return set_count(value, limits::cpus_per_task_max, asked.step.spec.cpus_per_task);
}

// Stores the nodes. --distribution=arbitrary uses the names in their order, with repetitions.
Failure set_nodelist(SubmitOptions& asked, std::string_view value) {
  asked.step.nodes_in_order.clear();
  if (Failure failure = set_nodes_or_file(value, asked.step.spec.nodelist, asked.host_file))
    return failure;
  if (asked.host_file.empty()) asked.step.nodes_in_order = *expand_hostlist(value);
  return std::nullopt;
}

Failure set_exclude(SubmitOptions& asked, std::string_view value) {
  return set_node_names(value, asked.step.spec.exclude);
}

Failure set_relative(SubmitOptions& asked, std::string_view value) {
  const Result<std::int64_t> first = parse_count(value, 0, limits::nodes_per_job_max);
  if (!first) return first.refusal();
  asked.step.spec.relative = *first;
  return std::nullopt;
}

Failure set_exact(SubmitOptions& asked, std::string_view) {
  asked.step.spec.exact = true;
  return std::nullopt;
}

Failure set_exclusive(SubmitOptions& asked, std::string_view value) {
  asked.step.spec.exact = asked.step.spec.exact || is_exclusive(value);
  return check_exclusive(value);
}

Failure set_whole(SubmitOptions& asked, std::string_view) {
  asked.step.spec.exact = false;
  return std::nullopt;
}

Failure set_overlap(SubmitOptions& asked, std::string_view) {
  asked.step.spec.overlap = true;
  return std::nullopt;
}

Failure set_overcommit(SubmitOptions& asked, std::string_view) {
  asked.step.spec.overcommit = true;
  return std::nullopt;
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

// Whole ones; the type is the allocation's.
Failure set_gpus(std::string_view value, std::int64_t most, std::int64_t& into) {
  into = 0;
  if (value == "0" || value == "none") return std::nullopt;
  const Result<GpuWish> gpus = parse_gpus(value, most);
  if (!gpus) return gpus.refusal();
  if (!gpus->is_whole())
    return Refusal{quoted(value) + " is a part of a GPU, which a step shares as its job has it",
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

Failure set_tasks_per_gpu(SubmitOptions& asked, std::string_view value) {
  std::int64_t tasks = 0;
  if (Failure failure = set_count(value, limits::tasks_per_job_max, tasks)) return failure;
  asked.step.tasks_per_gpu = static_cast<std::int32_t>(tasks);
  return std::nullopt;
}

// What else than GPUs a job was given, its steps share.
Failure set_gres(SubmitOptions& asked, std::string_view value) {
  const Result<GresWish> gres = parse_gres(value);
  if (!gres) return gres.refusal();
  const auto names_gpus = [](std::string_view entry) {
    return entry == "none" || entry == "NONE" || entry == "gpu" || entry.starts_with("gpu:");
  };
  if (std::ranges::none_of(split(value, ','), names_gpus)) return std::nullopt;
  asked.step.spec.gpus_per_node = gres->gpus.count;
  return std::nullopt;
}

// "plane" alone is what the tasks of such a step see: a step of theirs goes its own way.
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
    return Refusal{quoted(value) + " is not a distribution of this version",
                   "write block, cyclic, arbitrary or plane=NUMBER"};
  }
  return std::nullopt;
}

Failure set_time(SubmitOptions& asked, std::string_view value) {
  const Result<std::int64_t> time = parse_time_limit(value);
  if (!time) return time.refusal();
  asked.step.spec.time_limit_s = *time;
  return std::nullopt;
}

Failure set_immediate(SubmitOptions& asked, std::string_view value) {
  if (!value.empty()) return set_count(value, seconds_max, asked.step.immediate_s);
  asked.step.spec.immediate = true;
  return std::nullopt;
}

Failure set_job(SubmitOptions& asked, std::string_view value) {
  const Result<JobRef> ref = parse_job_ref(value);
  if (!ref) return ref.refusal();
  asked.step.job = value;
  return std::nullopt;
}

// ---- what runs, and its streams --------------------------------------------------------------

Failure set_name(SubmitOptions& asked, std::string_view value) {
  return set_text(value, limits::name_bytes_max, asked.step.name);
}

Failure set_output(SubmitOptions& asked, std::string_view value) {
  return set_text(value, limits::path_bytes_max, asked.step.output);
}

Failure set_error(SubmitOptions& asked, std::string_view value) {
  return set_text(value, limits::path_bytes_max, asked.step.error);
}

Failure set_input(SubmitOptions& asked, std::string_view value) {
  return set_text(value, limits::path_bytes_max, asked.step.input);
}

Failure set_open_mode(SubmitOptions& asked, std::string_view value) {
  return set_append(value, asked.step.append);
}

Failure set_unbuffered(SubmitOptions& asked, std::string_view) {
  asked.step.unbuffered = true;
  return std::nullopt;
}

Failure set_label(SubmitOptions& asked, std::string_view) {
  asked.step.label = true;
  return std::nullopt;
}

Failure set_pty(SubmitOptions& asked, std::string_view) {
  asked.step.pty = true;
  return std::nullopt;
}

Failure set_multi_prog(SubmitOptions& asked, std::string_view) {
  asked.step.multi_prog = true;
  return std::nullopt;
}

Failure set_work_dir(SubmitOptions& asked, std::string_view value) {
  return set_text(value, limits::path_bytes_max, asked.step.work_dir);
}

Failure set_export(SubmitOptions& asked, std::string_view value) {
  asked.step.export_list = value;
  return std::nullopt;
}

// ---- its end ---------------------------------------------------------------------------------

Failure set_kill_on_bad_exit(SubmitOptions& asked, std::string_view value) {
  if (!value.empty() && value != "0" && value != "1")
    return Refusal{quoted(value) + " is neither 0 nor 1", "write 1, or 0 for going on"};
  asked.step.kill_on_bad_exit = value != "0";
  return std::nullopt;
}

Failure set_wait(SubmitOptions& asked, std::string_view value) {
  const Result<std::int64_t> seconds = parse_count(value, 0, seconds_max);
  if (!seconds) return seconds.refusal();
  asked.step.wait_s = *seconds;
  return std::nullopt;
}

Failure set_quit_on_interrupt(SubmitOptions& asked, std::string_view) {
  asked.step.quit_on_interrupt = true;
  return std::nullopt;
}

Failure set_disable_status(SubmitOptions& asked, std::string_view) {
  asked.step.interrupt_at_once = true;
  return std::nullopt;
}

// ---- others ----------------------------------------------------------------------------------

Failure set_het_group(SubmitOptions& asked, std::string_view value) {
  if (value == "all") {
    asked.step.het_groups = {-1};
    return std::nullopt;
  }
  const auto groups = parse_array_tasks(value);
  if (!groups) return groups.refusal();
  if (groups->last() >= limits::job_components_max)
    return Refusal{quoted(value) + " is beyond what a job may have: " +
                       std::to_string(limits::job_components_max) + " components, from 0",
                   "give numbers of the job's components"};
  asked.step.het_groups = groups->all();
  return std::nullopt;
}

Failure set_mpi(SubmitOptions& asked, std::string_view value) {
  asked.step.list_mpi = value == "list";
  asked.step.mpi.clear();
  if (value == "none" || value == "list") return std::nullopt;
  // pmix_v4 and the like: the library talks to clients of all its versions.
  asked.step.mpi = value.starts_with("pmix") ? "pmix" : value;
  if (asked.step.mpi == "pmix" || asked.step.mpi == "pmi2") return std::nullopt;
  return Refusal{"Couldn't find the specified plugin name for mpi/" + printable(value),
                 "there is: none, pmi2, pmix; programs of other kinds are started with mpirun"};
}

Failure set_cpu_bind(SubmitOptions& asked, std::string_view value) {
  const auto bind = parse_cpu_bind(value);
  if (!bind) return bind.refusal();
  asked.step.cpu_bind = value;
  return std::nullopt;
}

Failure set_gpu_bind(SubmitOptions& asked, std::string_view value) {
  const auto bind = parse_gpu_bind(value);
  if (!bind) return bind.refusal();
  asked.step.gpu_bind = value;
  return std::nullopt;
}

Failure set_quiet(SubmitOptions& asked, std::string_view) {
  asked.quiet = true;
  return std::nullopt;
}

Failure set_verbose(SubmitOptions& asked, std::string_view) {
  ++asked.verbose;
  return std::nullopt;
}

Failure set_help(SubmitOptions& asked, std::string_view) {
  asked.help = true;
  return std::nullopt;
}

Failure set_version(SubmitOptions& asked, std::string_view) {
  asked.version = true;
  return std::nullopt;
}

Failure accept(SubmitOptions&, std::string_view) {
  return std::nullopt;
}

constexpr auto none = Takes::Nothing;
constexpr auto optional = Takes::ValueAttached;
constexpr auto required = Takes::Value;

// clang-format off
constexpr SubmitOption options[] = {
  {"ntasks", 'n', required, "SLURM_NTASKS SLURM_NPROCS", "NUMBER", "tasks", false, set_tasks},
  {"tasks", 0, required, "", "", "", false, set_tasks},
  {"nodes", 'N', required, "SLURM_JOB_NUM_NODES SLURM_NNODES", "NUMBER",
   "nodes of the allocation; 1-4: what there is", false, set_nodes},
  {"ntasks-per-node", 0, required, "SLURM_NTASKS_PER_NODE", "NUMBER", "tasks on each node, at most",
   false, set_tasks_per_node},
  {"tasks-per-node", 0, required, "", "", "", false, set_tasks_per_node},
  {"cpus-per-task", 'c', required, "SRUN_CPUS_PER_TASK", "NUMBER",
   "CPUs of each task; says --exact too", false, set_cpus_per_task},
  {"nodelist", 'w', required, "", "NODES", "these nodes, all of them: n1,n[3-4]; or ./FILE",
   false, set_nodelist},
  {"exclude", 'x', required, "", "NODES", "none of these", false, set_exclude},
  {"relative", 'r', required, "", "NUMBER", "from this node of the allocation on, the first is 0",
   false, set_relative},
  {"exact", 0, none, "SLURM_EXACT", "", "of its nodes only what its tasks ask for", false,
   set_exact},
  {"exclusive", 0, optional, "SLURM_EXCLUSIVE", "", "", false, set_exclusive},
  {"whole", 0, none, "SLURM_WHOLE", "", "of its nodes all that no other step has", false,
   set_whole},
  {"overlap", 0, none, "SLURM_OVERLAP", "", "shares with other steps, and waits for none", false,
   set_overlap},
  {"oversubscribe", 's', none, "", "", "", false, set_overlap},
  {"overcommit", 'O', none, "SLURM_OVERCOMMIT", "", "as many tasks as asked, whatever the CPUs",
   false, set_overcommit},
  {"mem", 0, required, "", "SIZE", "memory on each node: 4000 (MB), 16G; else the job's, shared",
   false, set_memory},
  {"mem-per-cpu", 0, required, "SLURM_MEM_PER_CPU", "SIZE", "memory for each CPU", false,
   set_memory_per_cpu},
  {"gpus", 'G', required, "SLURM_GPUS", "[TYPE:]NUMBER", "GPUs of all nodes", false,
   set_gpus_of_all},
  {"gpus-per-node", 0, required, "SLURM_GPUS_PER_NODE", "[TYPE:]NUMBER", "GPUs of each node", false,
   set_gpus_per_node},
  {"gpus-per-task", 0, required, "SLURM_GPUS_PER_TASK", "[TYPE:]NUMBER", "GPUs of each task", false,
   set_gpus_per_task},
  {"ntasks-per-gpu", 0, required, "SLURM_NTASKS_PER_GPU", "NUMBER",
   "tasks for each GPU, which see that one alone", false, set_tasks_per_gpu},
  {"gres", 0, required, "SLURM_STEP_GRES", "gpu[:TYPE]:NUMBER", "GPUs of each node; none", false,
   set_gres},
  {"distribution", 'm', required, "SLURM_DISTRIBUTION", "block|cyclic|arbitrary|plane=NUMBER",
   "how tasks are dealt out to nodes", false, set_distribution},
  {"time", 't', required, "SLURM_TIMELIMIT", "TIME", "its own limit: minutes, H:M:S, D-H, ...",
   false, set_time},
  {"immediate", 'I', optional, "SLURM_IMMEDIATE", "SECONDS", "do not wait for room, or so long",
   false, set_immediate},
  {"jobid", 0, required, "SLURM_JOB_ID SLURM_JOBID", "JOB", "in this job's allocation", false,
   set_job},
  {"job-name", 'J', required, "", "NAME", "the step's name; else the program's", false, set_name},
  {"output", 'o', required, "SLURM_STDOUTMODE", "FILE",
   "output: a file, with %t one for each task; all, none or a task", false, set_output},
  {"error", 'e', required, "SLURM_STDERRMODE", "FILE", "errors, likewise", false, set_error},
  {"input", 'i', required, "SLURM_STDINMODE", "FILE", "input, likewise; else srun's to all tasks",
   false, set_input},
  {"open-mode", 0, required, "SLURM_OPEN_MODE", "MODE", "append or truncate", false,
   set_open_mode},
  {"label", 'l', none, "SLURM_LABELIO", "", "the task's number before each line", false, set_label},
  {"unbuffered", 'u', none, "SLURM_UNBUFFEREDIO", "",
   "tasks write to a terminal, so programs do not hold it back; it goes as it comes", false,
   set_unbuffered},
  {"pty", 0, none, "", "", "a terminal for task 0", false, set_pty},
  {"het-group", 0, required, "", "LIST",
   "of a heterogeneous job: a step on each of these components; all: one step on all", false,
   set_het_group},
  {"pack-group", 0, required, "", "", "", false, set_het_group},
  {"multi-prog", 0, none, "SLURM_MULTI_PROG", "", "the command is a file: RANKS PROGRAM ...", false,
   set_multi_prog},
  {"chdir", 'D', required, "SLURM_WORKING_DIR", "FOLDER", "where the tasks run; here, if not given",
   false, set_work_dir},
  {"export", 0, required, "SRUN_EXPORT_ENV SLURM_EXPORT_ENV", "LIST",
   "ALL, NONE, or NAME and NAME=VALUE,...", false, set_export},
  {"kill-on-bad-exit", 'K', optional, "SLURM_KILL_BAD_EXIT", "0|1",
   "end them all with the first that fails", false, set_kill_on_bad_exit},
  {"wait", 'W', required, "SLURM_WAIT", "SECONDS", "end the others so long after the first ended",
   false, set_wait},
  {"quit-on-interrupt", 'q', none, "", "", "kill the tasks at the first ctrl-C", false,
   set_quit_on_interrupt},
  {"disable-status", 'X', none, "SLURM_DISABLE_STATUS", "", "hand the first ctrl-C on at once",
   false, set_disable_status},
  {"mpi", 0, required, "SLURM_MPI_TYPE", "none|pmi2|pmix|list",
   "what MPI programs find each other by", false, set_mpi},
  {"quiet", 'Q', none, "", "", "nothing but errors", false, set_quiet},
  {"verbose", 'v', none, "", "", "print the options in effect and what happens",
   false, set_verbose},
  {"cpu-bind", 0, required, "SLURM_CPU_BIND", "[verbose,]WHAT",
   "keep each task to CPUs: threads, cores, sockets, ldoms, rank, map_cpu:LIST, ...; none", false,
   set_cpu_bind},
  {"gpu-bind", 0, required, "SLURM_GPU_BIND", "[verbose,]WHAT",
   "show each task GPUs: single:TASKS, map_gpu:LIST, mask_gpu:LIST, per_task:GPUS, closest; none",
   false, set_gpu_bind},
  {"mem-bind", 0, required, "", "VALUE", "accepted, without effect in this version", false,
   accept},
  {"hint", 0, required, "", "", "", false, accept},
  {"cpu-freq", 0, required, "", "", "", false, accept},
  {"threads-per-core", 0, required, "", "", "", false, accept},
  {"ntasks-per-core", 0, required, "", "", "", false, accept},
  {"ntasks-per-socket", 0, required, "", "", "", false, accept},
  {"extra-node-info", 'B', required, "", "", "", false, accept},
  {"sockets-per-node", 0, required, "", "", "", false, accept},
  {"cores-per-socket", 0, required, "", "", "", false, accept},
  {"core-spec", 'S', required, "", "", "", false, accept},
  {"gres-flags", 0, required, "", "", "", false, accept},
  {"acctg-freq", 0, required, "", "", "", false, accept},
  {"profile", 0, required, "", "", "", false, accept},
  {"threads", 'T', required, "", "", "", false, accept},
  {"slurmd-debug", 0, required, "", "", "", false, accept},
  {"msg-timeout", 0, required, "", "", "", false, accept},
  {"compress", 0, optional, "", "", "", false, accept},
  {"preserve-env", 'E', none, "", "", "accepted", false, accept},
  {"no-kill", 'k', optional, "", "", "accepted: a lost node ends the job's attempt", false, accept},
  {"external-launcher", 0, none, "", "", "accepted: of launchers like mpirun", false, accept},
  {"interactive", 0, none, "", "", "accepted", false, accept},
  {"account", 'A', required, "SLURM_ACCOUNT", "VALUE",
   "of the allocation it makes where there is none", false, accept},
  {"partition", 'p', required, "SLURM_PARTITION", "", "", false, accept},
  {"qos", 0, required, "SLURM_QOS", "", "", false, accept},
  {"constraint", 'C', required, "SLURM_CONSTRAINT", "", "", false, accept},
  {"prefer", 0, required, "", "", "", false, accept},
  {"mincpus", 0, required, "", "", "", false, accept},
  {"contiguous", 0, none, "", "", "", false, accept},
  {"comment", 0, required, "", "", "", false, accept},
  {"dependency", 'd', required, "", "", "", false, accept},
  {"cpus-per-gpu", 0, required, "", "", "", false, accept},
  {"mem-per-gpu", 0, required, "", "", "", false, accept},
  {"network", 0, required, "", "", "", false, accept},
  {"wckey", 0, required, "SLURM_WCKEY", "", "", false, accept},
  {"reservation", 0, required, "SLURM_RESERVATION", "", "", false, accept},
  {"licenses", 'L', required, "", "", "", false, accept},
  {"begin", 'b', required, "", "", "", false, accept},
  {"deadline", 0, required, "", "", "", false, accept},
  {"mail-type", 0, required, "", "", "", false, accept},
  {"mail-user", 0, required, "", "", "", false, accept},
  {"nice", 0, optional, "", "", "", false, accept},
  {"priority", 0, required, "", "", "", false, accept},
  {"hold", 'H', none, "", "", "", false, accept},
  {"switches", 0, required, "", "", "", false, accept},
  {"time-min", 0, required, "", "", "", false, accept},
  {"resv-ports", 0, optional, "", "", "", false, accept},
  {"treewidth", 0, required, "", "", "", false, accept},
  {"delay-boot", 0, required, "", "", "", false, accept},
  {"gpu-freq", 0, required, "", "", "", false, accept},
  {"mcs-label", 0, required, "", "", "", false, accept},
  {"thread-spec", 0, required, "", "", "", false, accept},
  {"power", 0, required, "", "", "", false, accept},
  {"spread-job", 0, none, "", "", "", false, accept},
  {"use-min-nodes", 0, none, "", "", "", false, accept},
  {"help", 'h', none, "", "", "print this", true, set_help},
  {"usage", 0, none, "", "", "", true, set_help},
  {"version", 'V', none, "", "", "print the version", true, set_version},
};
// clang-format on

}  // namespace

std::span<const SubmitOption> step_option_table() {
  return options;
}

}  // namespace cox
