// The options of sbatch, cox submit and salloc about resources, placement and times.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "client/options/option_values.h"
#include "client/options/submit_option_table.h"
#include "client/options/task_tres.h"
#include "client/text/moment_format.h"
#include "client/text/size_format.h"
#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/resources/gres.h"
#include "common/resources/licence.h"
#include "common/syntax/array_tasks.h"
#include "common/syntax/constraint.h"
#include "common/syntax/dependency.h"
#include "common/syntax/node_range.h"
#include "common/syntax/topology_wish.h"

namespace cox {
namespace resource_option {
namespace {

// Stores a value that must be one name. Refuses the characters in `operators`, such as ",": with
// them, Slurm would take the value as several names.
Failure set_word(std::string_view value, std::string_view operators, const char* advice,
                 std::string& into) {
  if (value.find_first_of(operators) != std::string_view::npos)
    return Refusal{quoted(value) + " is more than one name; only one is supported", advice};
  if (value.find(' ') != std::string_view::npos)
    return Refusal{quoted(value) + " contains a blank", advice};
  return set_text(value, limits::word_bytes_max, into);
}

Failure set_gpus(const GpuWish& gpus, SubmitOptions& asked) {
  asked.gpus_type = format_gpu_types(gpus.types);
  asked.spec.gpus_per_node = gpus.count;
  asked.spec.gpu_milli = static_cast<std::int32_t>(gpus.milli);
  return std::nullopt;
}

// Stores the value as written, if `parse` accepts it.
template <class Parse>
Failure set_checked_text(std::string_view value, Parse parse, std::string& into) {
  const auto wish = parse(value);
  if (!wish) return wish.refusal();
  into = value;
  return std::nullopt;
}

Failure set_nodes(SubmitOptions& asked, std::string_view value) {
  const Result<NodeRange> range = parse_node_range(value);
  if (!range) return range.refusal();
  asked.spec.nodes = range->least;
  asked.spec.node_sizes = range->is_fixed() ? "" : format_node_range(*range);
  return std::nullopt;
}

// Follows Slurm: an empty value means that the option is not given, not even by a variable, since
// scripts write --dependency=$PREVIOUS. Clears the field and returns true if the value is empty.
bool clears(std::string_view value, auto& field) {
  if (value.empty()) field = {};
  return value.empty();
}

Failure set_tasks(SubmitOptions& asked, std::string_view value) {
  asked.spec.tasks_asked = true;
  return set_count(value, limits::tasks_per_job_max, asked.spec.tasks);
}

Failure set_cpus_per_task(SubmitOptions& asked, std::string_view value) {
  asked.spec.cpus_per_task_asked = true;
  return set_count(value, limits::cpus_per_task_max, asked.spec.cpus_per_task);
}

Failure set_size(std::string_view value, std::int64_t& into) {
  const Result<std::int64_t> memory = parse_memory_mb(value);
  if (!memory) return memory.refusal();
  into = *memory;
  return std::nullopt;
}

// Stores --mem. In Slurm as here, 0 means all memory of a node.
Failure set_memory(SubmitOptions& asked, std::string_view value) {
  if (Failure failure = set_size(value, asked.spec.memory_mb_per_node)) return failure;
  asked.spec.whole_memory = asked.spec.memory_mb_per_node == 0;
  return std::nullopt;
}

// Stores a number of GPUs. Refuses a fraction of a GPU: it can be requested only per node
// (--gres=gpu:0.25).
Failure set_whole_gpus(SubmitOptions& asked, std::string_view value, std::int64_t& into) {
  const Result<GpuWish> gpus = parse_gpus(value, limits::tasks_per_job_max);
  if (!gpus) return gpus.refusal();
  if (!gpus->is_whole())
    return Refusal{quoted(value) + " is a fraction of a GPU",
                   "ask for it on each node: --gres=gpu:0.25"};
  asked.gpus_type = format_gpu_types(gpus->types);
  into = gpus->count;
  return std::nullopt;
}

Failure set_gpus_of_all(SubmitOptions& asked, std::string_view value) {
  return set_whole_gpus(asked, value, asked.spec.gpus);
}

Failure set_gpus_per_task(SubmitOptions& asked, std::string_view value) {
  return set_whole_gpus(asked, value, asked.spec.gpus_per_task);
}

// --tres-per-task is another spelling of --cpus-per-task and --gpus-per-task.
Failure set_task_tres(SubmitOptions& asked, std::string_view value) {
  const Result<TaskTres> tres = parse_task_tres(value);
  if (!tres) return tres.refusal();
  if (!tres->cpus.empty())
    if (Failure failure = set_cpus_per_task(asked, tres->cpus)) return failure;
  return tres->gpus.empty() ? std::nullopt : set_gpus_per_task(asked, tres->gpus);
}

Failure set_gres(SubmitOptions& asked, std::string_view value) {
  const Result<GresWish> gres = parse_gres(value.empty() ? "none" : value);
  if (!gres) return gres.refusal();
  asked.spec.gres = gres->others.empty() ? "" : format_gres({{}, gres->others});
  forget_gpus_per_node(asked.spec.stored_options);
  return set_gpus(gres->gpus, asked);
}

// Stores --gpus-per-node, also as written: as in Slurm, only this option sets SLURM_GPUS_PER_NODE,
// and --gres=gpu:N does not.
Failure set_gpus_per_node(SubmitOptions& asked, std::string_view value) {
  const Result<GpuWish> gpus = parse_gpus(value, limits::gpus_per_node_max);
  if (!gpus) return gpus.refusal();
  forget_gpus_per_node(asked.spec.stored_options);
  if (gpus->is_whole() && gpus->count > 0)
    asked.spec.stored_options.push_back(std::string(gpus_per_node_stored) + std::string(value));
  return set_gpus(*gpus, asked);
}

Failure set_kill_on_invalid_dep(SubmitOptions& asked, std::string_view value) {
  if (value != "yes" && value != "no")
    return Refusal{quoted(value) + " is neither yes nor no", "write yes or no"};
  asked.spec.kill_on_invalid_dependency = value == "yes";
  return std::nullopt;
}

// Checks that the value is a time, and stores it as written. resolve_job() converts it to UTC.
Failure set_moment(std::string_view value, std::string& into) {
  return set_checked_text(
      value, [](std::string_view text) { return parse_local_moment(text, {}); }, into);
}

// Stores --exclusive. As in Slurm, if it is given several times, the last value counts.
Failure set_exclusive(SubmitOptions& asked, std::string_view value) {
  if (Failure failure = check_exclusive(value)) return failure;
  asked.spec.exclusive = is_exclusive(value);
  asked.spec.exclusive_user = lower_case(value) == "user";
  return std::nullopt;
}

Failure set_partition(SubmitOptions& asked, std::string_view value) {
  if (clears(value, asked.spec.partition)) return std::nullopt;
  if (value.find_first_not_of(',') == std::string_view::npos)
    return Refusal{quoted(value) + " names no partition", "name one, or several like debug,gpu"};
  return set_word(value, "", "name one partition, or several like debug,gpu", asked.spec.partition);
}

Failure set_qos(SubmitOptions& asked, std::string_view value) {
  if (clears(value, asked.spec.qos)) return std::nullopt;
  return set_word(value, ",", "name one QOS", asked.spec.qos);
}

Failure set_account(SubmitOptions& asked, std::string_view value) {
  if (clears(value, asked.spec.account)) return std::nullopt;
  return set_word(value, ",", "name one account", asked.spec.account);
}

Failure set_nodelist(SubmitOptions& asked, std::string_view value) {
  if (clears(value, asked.host_file) && clears(value, asked.spec.nodelist)) return std::nullopt;
  return set_nodes_or_file(value, asked.spec.nodelist, asked.host_file);
}

Failure set_exclude(SubmitOptions& asked, std::string_view value) {
  if (clears(value, asked.spec.exclude)) return std::nullopt;
  return set_node_names(value, asked.spec.exclude);
}

Failure set_features(std::string_view value, std::string& into) {
  if (clears(value, into)) return std::nullopt;
  return set_checked_text(value, parse_constraint, into);
}

Failure set_licences(SubmitOptions& asked, std::string_view value) {
  if (clears(value, asked.spec.licences)) return std::nullopt;
  return set_checked_text(value, parse_licences, asked.spec.licences);
}

// Follows Slurm: 0 means no dependency, too.
Failure set_dependency(SubmitOptions& asked, std::string_view value) {
  if (clears(value == "0" ? "" : value, asked.spec.dependency)) return std::nullopt;
  return set_checked_text(value, parse_dependency, asked.spec.dependency);
}

// Without a value, --nice means 100, as in Slurm.
Failure set_nice(SubmitOptions& asked, std::string_view value) {
  constexpr std::int64_t nice_alone = 100;
  asked.spec.nice = nice_alone;
  if (value.empty()) return std::nullopt;
  const bool minus = value.starts_with('-');
  const Result<std::int64_t> number =
      parse_count(minus ? value.substr(1) : value, 0, limits::nice_max);
  const std::string most = std::to_string(limits::nice_max);
  if (!number)
    return Refusal{quoted(value) + " is not a whole number from -" + most + " to " + most,
                   "it is subtracted from the priority: 50 makes the job less urgent, -50 more; "
                   "--nice alone is " +
                       std::to_string(nice_alone)};
  asked.spec.nice = minus ? -*number : *number;
  return std::nullopt;
}

constexpr auto none = Takes::Nothing;
constexpr auto optional = Takes::ValueAttached;
constexpr auto required = Takes::Value;

// clang-format off
constexpr SubmitOption options[] = {
  {"nodes", 'N', required, "NUMBER", "how many nodes; 4-16 or 4,8: any of these", "",
   set_nodes},
  {"ntasks", 'n', required, "NUMBER", "how many ranks", "", set_tasks},
  {"tasks", 0, required, "", "", "", set_tasks},
  {"ntasks-per-node", 0, required, "NUMBER", "ranks on each node", "",
   count_into<limits::tasks_per_job_max, in_job, &JobSpec::tasks_per_node>},
  {"tasks-per-node", 0, required, "", "", "",
   count_into<limits::tasks_per_job_max, in_job, &JobSpec::tasks_per_node>},
  {"cpus-per-task", 'c', required, "NUMBER", "CPUs of each rank", "", set_cpus_per_task},
  {"mincpus", 0, required, "NUMBER", "at least this many CPUs on each node", "",
   count_into<limits::cpus_per_task_max, in_job, &JobSpec::min_cpus>},
  {"overcommit", 'O', none, "", "all tasks of a node share the CPUs of one task",
   "SBATCH_OVERCOMMIT", into<&SubmitOptions::overcommit>},
  {"mem", 0, required, "SIZE", "memory on each node: 4000 (MB), 16G", "SBATCH_MEM_PER_NODE",
   set_memory},
  {"mem-per-cpu", 0, required, "SIZE",
   "instead of --mem: memory for each CPU", "SBATCH_MEM_PER_CPU",
   set_by<set_size, in_job, &JobSpec::memory_mb_per_cpu>},
  {"mem-per-gpu", 0, required, "SIZE",
   "instead of --mem: memory for each GPU", "SBATCH_MEM_PER_GPU",
   set_by<set_size, in_job, &JobSpec::memory_mb_per_gpu>},
  {"gres", 0, required, "NAME[:TYPE]:NUMBER", "on each node: gpu:2, gpu:h100:4, gpu:0.25, fpga:1",
   "SBATCH_GRES", set_gres},
  {"gpus", 'G', required, "[TYPE:]NUMBER",
   "GPUs on all nodes together", "SBATCH_GPUS", set_gpus_of_all},
  {"gpus-per-task", 0, required, "[TYPE:]NUMBER", "GPUs for each rank", "SBATCH_GPUS_PER_TASK",
   set_gpus_per_task},
  {"tres-per-task", 0, required, "cpu=NUMBER,gres/gpu[:TYPE]=NUMBER", "CPUs and GPUs for each rank",
   "SBATCH_TRES_PER_TASK", set_task_tres},
  {"ntasks-per-gpu", 0, required, "NUMBER", "ranks for each GPU", "SBATCH_NTASKS_PER_GPU",
   count_into<limits::tasks_per_job_max, in_job, &JobSpec::tasks_per_gpu>},
  {"cpus-per-gpu", 0, required, "NUMBER", "CPUs for each GPU", "SBATCH_CPUS_PER_GPU",
   count_into<limits::cpus_per_task_max, in_job, &JobSpec::cpus_per_gpu>},
  {"gpus-per-node", 0, required, "[TYPE:]NUMBER", "GPUs on each node", "SBATCH_GPUS_PER_NODE",
   set_gpus_per_node},
  {"gpu-type", 0, required, "TYPES", "acceptable GPU types, with their speed: h200|h100:0.8", "",
   checked_text_into<parse_gpu_types, in_job, &JobSpec::gpu_type>},
  {"gpu-choice", 0, required, "cost|speed|balanced", "which of these types to try first", "",
   checked_text_into<parse_preference, in_job, &JobSpec::gpu_choice>},
  {"licenses", 'L', required, "LIST", "licences to use: matlab:2,ansys", "",
   set_licences},
  {"time", 't', required, "TIME", "minutes, H:M:S, D-H, ... or UNLIMITED", "SBATCH_TIMELIMIT",
   parsed_into<parse_time_limit, in_job, &JobSpec::time_limit_s>},
  {"time-min", 0, required, "TIME", "accept a time limit this short, to start sooner", "",
   parsed_into<parse_time_limit, in_job, &JobSpec::time_min_s>},
  {"partition", 'p', required, "NAMES",
   "the partitions it may run in; it starts in the first with room", "SBATCH_PARTITION",
   set_partition},
  {"qos", 'q', required, "NAME", "tier: critical, standard or besteffort", "SBATCH_QOS", set_qos},
  {"account", 'A', required, "NAME", "the account to charge", "SBATCH_ACCOUNT", set_account},
  {"reservation", 0, required, "NAME", "an advance reservation to run in", "SBATCH_RESERVATION",
   into<in_job, &JobSpec::reservation>},
  {"nodelist", 'w', required, "NODES", "use all of these nodes: n1,n[3-4]; or ./FILE", "",
   set_nodelist},
  {"exclude", 'x', required, "NODES", "use none of these nodes", "",
   set_exclude},
  {"constraint", 'C', required, "FEATURES",
   "features of its nodes: a&b, !a, [a|b], [a*2&b*4]",
   "SBATCH_CONSTRAINT", set_by<set_features, in_job, &JobSpec::constraint>},
  {"prefer", 0, required, "FEATURES", "features to try first, in place of --constraint", "",
   set_by<set_features, in_job, &JobSpec::prefer>},
  {"contiguous", 0, none, "", "nodes next to one another, in the cluster's order", "",
   into<in_job, &JobSpec::contiguous>},
  {"switches", 0, required, "NUMBER[@TIME]",
   "on at most this many leaf switches; wait for that up to TIME",
   "SBATCH_REQ_SWITCH", checked_text_into<parse_switches, in_job, &JobSpec::switches>},
  {"topology", 0, required, "required:LEVEL",
   "all nodes in one domain: leaf; linked GPUs: nvlink", "",
   checked_text_into<parse_topology_wish, in_job, &JobSpec::topology>},
  {"nice", 0, optional, "NUMBER", "lower the priority by NUMBER, or by 100", "", set_nice},
  {"exclusive", 0, optional, "user", "no other job on its nodes; user: no job of other users",
   "SBATCH_EXCLUSIVE", set_exclusive},
  {"dependency", 'd', required, "LIST", "wait for other jobs: afterok:12:13, afterany:14", "",
   set_dependency},
  {"array", 'a', required, "TASKS",
   "an array of tasks: 0-999%50, 1,3,5-7, 0-15:4", "SBATCH_ARRAY_INX",
   checked_text_into<parse_array, in_job, &JobSpec::array>},
  {"kill-on-invalid-dep", 0, required, "yes|no", "end if the dependency can never be satisfied", "",
   set_kill_on_invalid_dep},
  {"begin", 'b', required, "MOMENT", "do not start before: 16:00, now+2hours, 2026-12-24T18:00", "",
   set_by<set_moment, &SubmitOptions::begin>},
  {"deadline", 0, required, "MOMENT", "end by then, or be cancelled", "",
   set_by<set_moment, &SubmitOptions::deadline>},
};
// clang-format on

}  // namespace
}  // namespace resource_option

std::span<const SubmitOption> resource_option_table() {
  return resource_option::options;
}

}  // namespace cox
