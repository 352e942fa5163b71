// Options of jobs: what they ask for, and when.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "client/options/option_values.h"
#include "client/options/submit_option_table.h"
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
namespace {

// The name of one QOS or feature, or of partitions; `operators` are the characters by which Slurm
// would take the value for more than one.
Failure set_word(std::string_view value, std::string_view operators, const char* advice,
                 std::string& into) {
  if (value.find_first_of(operators) != std::string_view::npos)
    return Refusal{quoted(value) + " is more than one name, which is not in this version", advice};
  if (value.find(' ') != std::string_view::npos)
    return Refusal{quoted(value) + " has a blank in it", advice};
  return set_text(value, limits::word_bytes_max, into);
}

Failure set_gpus(const GpuWish& gpus, SubmitOptions& asked) {
  asked.gpus_type = format_gpu_types(gpus.types);
  asked.spec.gpus_per_node = gpus.count;
  asked.spec.gpu_milli = static_cast<std::int32_t>(gpus.milli);
  return std::nullopt;
}

// As it was written, once it can be read.
template <class Parse>
Failure set_wish(std::string_view value, Parse parse, std::string& into) {
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

Failure set_tasks(SubmitOptions& asked, std::string_view value) {
  asked.spec.tasks_asked = true;
  return set_count(value, limits::tasks_per_job_max, asked.spec.tasks);
}

Failure set_tasks_per_node(SubmitOptions& asked, std::string_view value) {
  return set_count(value, limits::tasks_per_job_max, asked.spec.tasks_per_node);
}

Failure set_cpus_per_task(SubmitOptions& asked, std::string_view value) {
  asked.spec.cpus_per_task_asked = true;
  return set_count(value, limits::cpus_per_task_max, asked.spec.cpus_per_task);
}

Failure set_overcommit(SubmitOptions& asked, std::string_view) {
  asked.overcommit = true;
  return std::nullopt;
}

Failure set_size(std::string_view value, std::int64_t& into) {
  const Result<std::int64_t> memory = parse_memory_mb(value);
  if (!memory) return memory.refusal();
  into = *memory;
  return std::nullopt;
}

// 0 is all that a node has, as Slurm means it.
Failure set_memory(SubmitOptions& asked, std::string_view value) {
  if (Failure failure = set_size(value, asked.spec.memory_mb_per_node)) return failure;
  asked.spec.whole_memory = asked.spec.memory_mb_per_node == 0;
  return std::nullopt;
}

Failure set_memory_per_cpu(SubmitOptions& asked, std::string_view value) {
  return set_size(value, asked.spec.memory_mb_per_cpu);
}

Failure set_memory_per_gpu(SubmitOptions& asked, std::string_view value) {
  return set_size(value, asked.spec.memory_mb_per_gpu);
}

// Of whole ones alone: a part of one is of a node's.
Failure set_whole_gpus(SubmitOptions& asked, std::string_view value, std::int64_t& into) {
  const Result<GpuWish> gpus = parse_gpus(value, limits::tasks_per_job_max);
  if (!gpus) return gpus.refusal();
  if (!gpus->is_whole())
    return Refusal{quoted(value) + " is a part of a GPU",
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

Failure set_tasks_per_gpu(SubmitOptions& asked, std::string_view value) {
  return set_count(value, limits::tasks_per_job_max, asked.spec.tasks_per_gpu);
}

Failure set_cpus_per_gpu(SubmitOptions& asked, std::string_view value) {
  return set_count(value, limits::cpus_per_task_max, asked.spec.cpus_per_gpu);
}

Failure set_time(SubmitOptions& asked, std::string_view value) {
  const Result<std::int64_t> time = parse_time_limit(value);
  if (!time) return time.refusal();
  asked.spec.time_limit_s = *time;
  return std::nullopt;
}

Failure set_gres(SubmitOptions& asked, std::string_view value) {
  const Result<GresWish> gres = parse_gres(value);
  if (!gres) return gres.refusal();
  asked.spec.gres = gres->others.empty() ? "" : format_gres({{}, gres->others});
  forget_gpus_per_node(asked.spec.stored_options);
  return set_gpus(gres->gpus, asked);
}

// It is stored as written, too: as in Slurm SLURM_GPUS_PER_NODE is set for this option alone.
Failure set_gpus_per_node(SubmitOptions& asked, std::string_view value) {
  const Result<GpuWish> gpus = parse_gpus(value, limits::gpus_per_node_max);
  if (!gpus) return gpus.refusal();
  forget_gpus_per_node(asked.spec.stored_options);
  if (gpus->is_whole() && gpus->count > 0)
    asked.spec.stored_options.push_back(std::string(gpus_per_node_stored) + std::string(value));
  return set_gpus(*gpus, asked);
}

Failure set_dependency(SubmitOptions& asked, std::string_view value) {
  return set_wish(value, parse_dependency, asked.spec.dependency);
}

Failure set_array(SubmitOptions& asked, std::string_view value) {
  return set_wish(value, parse_array, asked.spec.array);
}

Failure set_kill_on_invalid_dep(SubmitOptions& asked, std::string_view value) {
  if (value != "yes" && value != "no")
    return Refusal{quoted(value) + " is neither yes nor no", "write yes or no"};
  asked.spec.kill_on_invalid_dependency = value == "yes";
  return std::nullopt;
}

// Whether it is a moment at all is judged here, which one when the job is submitted.
Failure set_moment(std::string_view value, std::string& into) {
  return set_wish(
      value, [](std::string_view text) { return parse_local_moment(text, {}); }, into);
}

Failure set_begin(SubmitOptions& asked, std::string_view value) {
  return set_moment(value, asked.begin);
}

Failure set_deadline(SubmitOptions& asked, std::string_view value) {
  return set_moment(value, asked.deadline);
}

// Stores the value; the last one counts, as in Slurm.
Failure set_exclusive(SubmitOptions& asked, std::string_view value) {
  if (Failure failure = check_exclusive(value)) return failure;
  asked.spec.exclusive = is_exclusive(value);
  asked.spec.exclusive_user = lower_case(value) == "user";
  return std::nullopt;
}

Failure set_contiguous(SubmitOptions& asked, std::string_view) {
  asked.spec.contiguous = true;
  return std::nullopt;
}

Failure set_min_cpus(SubmitOptions& asked, std::string_view value) {
  return set_count(value, limits::cpus_per_task_max, asked.spec.min_cpus);
}

Failure set_partition(SubmitOptions& asked, std::string_view value) {
  if (!value.empty() && value.find_first_not_of(',') == std::string_view::npos)
    return Refusal{quoted(value) + " names no partition", "name one, or several like debug,gpu"};
  return set_word(value, "", "name one partition, or several like debug,gpu", asked.spec.partition);
}

Failure set_qos(SubmitOptions& asked, std::string_view value) {
  return set_word(value, ",", "name one QOS", asked.spec.qos);
}

Failure set_account(SubmitOptions& asked, std::string_view value) {
  return set_word(value, ",", "name one account", asked.spec.account);
}

Failure set_nodelist(SubmitOptions& asked, std::string_view value) {
  return set_nodes_or_file(value, asked.spec.nodelist, asked.host_file);
}

Failure set_exclude(SubmitOptions& asked, std::string_view value) {
  return set_node_names(value, asked.spec.exclude);
}

Failure set_features(std::string_view value, std::string& into) {
  if (value.empty()) return Refusal{"the value is empty", "leave the option out, or fill it in"};
  return set_wish(value, parse_constraint, into);
}

Failure set_constraint(SubmitOptions& asked, std::string_view value) {
  return set_features(value, asked.spec.constraint);
}

Failure set_prefer(SubmitOptions& asked, std::string_view value) {
  return set_features(value, asked.spec.prefer);
}

Failure set_gpu_type(SubmitOptions& asked, std::string_view value) {
  return set_wish(value, parse_gpu_types, asked.spec.gpu_type);
}

Failure set_gpu_choice(SubmitOptions& asked, std::string_view value) {
  return set_wish(value, parse_preference, asked.spec.gpu_choice);
}

Failure set_reservation(SubmitOptions& asked, std::string_view value) {
  asked.spec.reservation = value;
  return std::nullopt;
}

Failure set_licences(SubmitOptions& asked, std::string_view value) {
  return set_wish(value, parse_licences, asked.spec.licences);
}

Failure set_switches(SubmitOptions& asked, std::string_view value) {
  return set_wish(value, parse_switches, asked.spec.switches);
}

Failure set_topology(SubmitOptions& asked, std::string_view value) {
  return set_wish(value, parse_topology_wish, asked.spec.topology);
}

Failure set_time_min(SubmitOptions& asked, std::string_view value) {
  const Result<std::int64_t> time = parse_time_limit(value);
  if (!time) return time.refusal();
  asked.spec.time_min_s = *time;
  return std::nullopt;
}

// Slurm's --nice alone is 100.
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
                   "it is taken off the priority: 50 is less urgent, -50 more; --nice alone is " +
                       std::to_string(nice_alone)};
  asked.spec.nice = minus ? -*number : *number;
  return std::nullopt;
}

constexpr auto none = Takes::Nothing;
constexpr auto optional = Takes::ValueAttached;
constexpr auto required = Takes::Value;

// clang-format off
constexpr SubmitOption options[] = {
  {"nodes", 'N', required, "", "NUMBER", "nodes of the gang; 4-16 or 4,8: what there is", false,
   set_nodes},
  {"ntasks", 'n', required, "", "NUMBER", "ranks of the gang", false, set_tasks},
  {"tasks", 0, required, "", "", "", false, set_tasks},
  {"ntasks-per-node", 0, required, "", "NUMBER", "ranks on each node", false, set_tasks_per_node},
  {"tasks-per-node", 0, required, "", "", "", false, set_tasks_per_node},
  {"cpus-per-task", 'c', required, "", "NUMBER", "CPUs of each rank", false, set_cpus_per_task},
  {"mincpus", 0, required, "", "NUMBER", "at least so many CPUs on each node", false, set_min_cpus},
  {"overcommit", 'O', none, "SBATCH_OVERCOMMIT", "",
   "all tasks of a node share the CPUs of one task", false,
   set_overcommit},
  {"mem", 0, required, "SBATCH_MEM_PER_NODE", "SIZE", "memory on each node: 4000 (MB), 16G", false,
   set_memory},
  {"mem-per-cpu", 0, required, "SBATCH_MEM_PER_CPU", "SIZE", "instead: for each CPU", false,
   set_memory_per_cpu},
  {"mem-per-gpu", 0, required, "SBATCH_MEM_PER_GPU", "SIZE", "instead: for each GPU", false,
   set_memory_per_gpu},
  {"gres", 0, required, "SBATCH_GRES", "NAME[:TYPE]:NUMBER",
   "on each node: gpu:2, gpu:h100:4, gpu:0.25, fpga:1", false, set_gres},
  {"gpus", 'G', required, "SBATCH_GPUS", "[TYPE:]NUMBER", "GPUs of all its nodes", false,
   set_gpus_of_all},
  {"gpus-per-task", 0, required, "SBATCH_GPUS_PER_TASK", "[TYPE:]NUMBER", "GPUs for each rank",
   false, set_gpus_per_task},
  {"ntasks-per-gpu", 0, required, "SBATCH_NTASKS_PER_GPU", "NUMBER", "ranks for each GPU", false,
   set_tasks_per_gpu},
  {"cpus-per-gpu", 0, required, "SBATCH_CPUS_PER_GPU", "NUMBER", "CPUs for each GPU", false,
   set_cpus_per_gpu},
  {"gpus-per-node", 0, required, "SBATCH_GPUS_PER_NODE", "[TYPE:]NUMBER", "GPUs alone", false,
   set_gpus_per_node},
  {"gpu-type", 0, required, "", "TYPES", "that will do, with their speed: h200|h100:0.8", false,
   set_gpu_type},
  {"gpu-choice", 0, required, "", "cost|speed|balanced", "which of them it takes first", false,
   set_gpu_choice},
  {"licenses", 'L', required, "", "LIST", "licences it holds: matlab:2,ansys", false,
   set_licences},
  {"time", 't', required, "SBATCH_TIMELIMIT", "TIME", "minutes, H:M:S, D-H, ... or UNLIMITED",
   false, set_time},
  {"time-min", 0, required, "", "TIME", "a limit as short will do, to start sooner", false,
   set_time_min},
  {"partition", 'p', required, "SBATCH_PARTITION", "NAMES",
   "the partitions it may run in: it starts in the first with room", false,
   set_partition},
  {"qos", 'q', required, "SBATCH_QOS", "NAME", "tier: critical, standard or besteffort", false,
   set_qos},
  {"account", 'A', required, "SBATCH_ACCOUNT", "NAME", "whom it is charged to", false,
   set_account},
  {"reservation", 0, required, "SBATCH_RESERVATION", "NAME", "an advance reservation to run in",
   false, set_reservation},
  {"nodelist", 'w', required, "", "NODES", "these nodes, all of them: n1,n[3-4]; or ./FILE",
   false, set_nodelist},
  {"exclude", 'x', required, "", "NODES", "none of these nodes", false, set_exclude},
  {"constraint", 'C', required, "SBATCH_CONSTRAINT", "FEATURES",
   "of its nodes: a&b, !a, [a|b], [a*2&b*4]", false, set_constraint},
  {"prefer", 0, required, "", "FEATURES", "features to try first, in place of --constraint", false,
   set_prefer},
  {"contiguous", 0, none, "", "", "nodes next to one another, in the cluster's order", false,
   set_contiguous},
  {"switches", 0, required, "SBATCH_REQ_SWITCH", "NUMBER[@TIME]",
   "on so few leaf switches, for so long", false, set_switches},
  {"topology", 0, required, "", "required:LEVEL", "nodes in one domain: leaf; GPUs joined: nvlink",
   false, set_topology},
  {"nice", 0, optional, "", "NUMBER", "less priority, by 100 if it does not say", false, set_nice},
  {"exclusive", 0, optional, "SBATCH_EXCLUSIVE", "user",
   "no other job on its nodes; user: no job of other users", false, set_exclusive},
  {"dependency", 'd', required, "", "LIST", "wait for others: afterok:12:13, afterany:14", false,
   set_dependency},
  {"array", 'a', required, "SBATCH_ARRAY_INX", "TASKS", "many alike: 0-999%50, 1,3,5-7, 0-15:4",
   false, set_array},
  {"kill-on-invalid-dep", 0, required, "", "yes|no", "end when that can never be", false,
   set_kill_on_invalid_dep},
  {"begin", 'b', required, "", "MOMENT", "not before: 16:00, now+2hours, 2026-12-24T18:00", false,
   set_begin},
  {"deadline", 0, required, "", "MOMENT", "end by then, or do not start", false, set_deadline},
};
// clang-format on

}  // namespace

std::span<const SubmitOption> resource_option_table() {
  return options;
}

}  // namespace cox
