#include "common/job/job_variables.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/given_variables.h"
#include "common/job/node_addresses.h"
#include "common/job/supervisor_folder.h"
#include "common/job/visible_gpus.h"
#include "common/resources/gres.h"
#include "common/syntax/array_tasks.h"

namespace cox {

namespace {

constexpr auto job_variables = std::to_array<std::string_view>({"SLURM_ARRAY_JOB_ID",
                                                                "SLURM_ARRAY_TASK_COUNT",
                                                                "SLURM_ARRAY_TASK_ID",
                                                                "SLURM_ARRAY_TASK_MAX",
                                                                "SLURM_ARRAY_TASK_MIN",
                                                                "SLURM_ARRAY_TASK_STEP",
                                                                "SLURM_CLUSTER_NAME",
                                                                "SLURM_CPUS_ON_NODE",
                                                                "SLURM_CPU_FREQ_REQ",
                                                                "SLURM_CPUS_PER_TASK",
                                                                "SLURM_DISTRIBUTION",
                                                                "SLURM_DIST_PLANESIZE",
                                                                "SLURM_GPUS_ON_NODE",
                                                                "SLURM_GPUS_PER_NODE",
                                                                "SLURM_GPU_FREQ",
                                                                "SLURM_GTIDS",
                                                                "SLURM_HET_SIZE",
                                                                "SLURM_JOBID",
                                                                "SLURM_JOB_ACCOUNT",
                                                                "SLURM_JOB_CPUS_PER_NODE",
                                                                "SLURM_JOB_DEPENDENCY",
                                                                "SLURM_JOB_END_TIME",
                                                                "SLURM_JOB_GID",
                                                                "SLURM_JOB_GPUS",
                                                                "SLURM_JOB_ID",
                                                                "SLURM_JOB_NAME",
                                                                "SLURM_JOB_NODELIST",
                                                                "SLURM_JOB_NUM_NODES",
                                                                "SLURM_JOB_PARTITION",
                                                                "SLURM_JOB_QOS",
                                                                "SLURM_JOB_START_TIME",
                                                                "SLURM_JOB_UID",
                                                                "SLURM_JOB_USER",
                                                                "SLURM_LAUNCH_NODE_IPADDR",
                                                                "SLURM_LOCALID",
                                                                "SLURM_MEM_PER_CPU",
                                                                "SLURM_MEM_PER_NODE",
                                                                "SLURM_NNODES",
                                                                "SLURM_NODEID",
                                                                "SLURM_NODELIST",
                                                                "SLURM_NPROCS",
                                                                "SLURM_NTASKS",
                                                                "SLURM_NTASKS_PER_CORE",
                                                                "SLURM_NTASKS_PER_NODE",
                                                                "SLURM_NTASKS_PER_SOCKET",
                                                                "SLURM_PROCID",
                                                                "SLURM_RESTART_COUNT",
                                                                "SLURM_STEPID",
                                                                "SLURM_STEP_GPUS",
                                                                "SLURM_STEP_ID",
                                                                "SLURM_STEP_NODELIST",
                                                                "SLURM_STEP_NUM_NODES",
                                                                "SLURM_STEP_NUM_TASKS",
                                                                "SLURM_STEP_TASKS_PER_NODE",
                                                                "SLURM_CORE_SPEC",
                                                                "SLURM_CPUS_PER_GPU",
                                                                "SLURM_GPUS",
                                                                "SLURM_GPUS_PER_TASK",
                                                                "SLURM_GPU_BIND",
                                                                "SLURM_HINT",
                                                                "SLURM_JOB_LICENSES",
                                                                "SLURM_JOB_RESERVATION",
                                                                "SLURM_MEM_BIND",
                                                                "SLURM_MEM_PER_GPU",
                                                                "SLURM_NETWORK",
                                                                "SLURM_NTASKS_PER_GPU",
                                                                "SLURM_PROFILE",
                                                                "SLURM_THREADS_PER_CORE",
                                                                "SLURM_SHARDS_ON_NODE",
                                                                "SLURM_SUBMIT_DIR",
                                                                "SLURM_SUBMIT_HOST",
                                                                "SLURM_TASKS_PER_NODE",
                                                                "SLURM_TASK_PID",
                                                                "SLURM_TOPOLOGY_ADDR",
                                                                "SLURM_TOPOLOGY_ADDR_PATTERN",
                                                                "SLURMD_NODENAME",
                                                                "ENVIRONMENT",
                                                                "COX_SUPERVISOR_SOCKET",
                                                                "COX_ATTEMPT_ID",
                                                                "COX_RANK",
                                                                "COX_JOB_STEP",
                                                                "COX_CHECKPOINT_DIR",
                                                                "COX_RESUME_FROM",
                                                                "COX_STOP_REASON_FILE",
                                                                "COX_CHECKPOINT_SIGNAL",
                                                                "COX_NODE_ADDRESSES"});

constexpr std::string_view het_group = "_HET_GROUP_";

std::string run_lengths(const LaunchSpec& launch, std::int64_t (*count)(const NodeGrant&)) {
  std::vector<std::int64_t> counts;
  for (const PlacedNode& node : launch.nodes) counts.push_back(count(node.grant));
  return run_lengths_text(counts);
}

// Returns the number of tasks on each node in Slurm's form, "4(x2),2". If the user requested no
// number of tasks, it is the number of CPUs on the node over the CPUs per task, because mpirun
// starts that many.
std::string tasks_per_node(const LaunchSpec& launch) {
  const JobSpec& spec = launch.spec;
  const bool asked = spec.form == JobForm::Gang || spec.tasks_asked || spec.tasks_per_node > 0;
  const std::int64_t cpus = std::max<std::int64_t>(spec.cpus_per_task, 1);
  std::vector<std::int64_t> counts;
  for (const PlacedNode& node : launch.nodes)
    counts.push_back(asked ? node.grant.ranks
                           : std::max<std::int64_t>(node.grant.ranks, node.grant.cpus / cpus));
  return run_lengths_text(counts);
}

std::string node_list(const LaunchSpec& launch) {
  std::vector<std::string> names;
  for (const PlacedNode& node : launch.nodes) names.push_back(node.grant.node);
  return compress_hostlist(names);
}

std::string unix_seconds(Wall t) {
  return std::to_string(to_ms(t) / 1000);
}

}  // namespace

void erase_job_variables(Variables& v) {
  drop_given(v);
  for (const std::string_view name : job_variables) {
    if (const auto stale = v.find(name); stale != v.end()) v.erase(stale);
  }
  std::erase_if(v, [](const auto& one) {
    return one.first.starts_with("SLURM_") && one.first.find(het_group) != std::string::npos;
  });
}

namespace {

// Sets the variables of the requested memory, CPUs and GPUs, in the form in which the user
// requested them: SLURM_MEM_PER_CPU for --mem-per-cpu, and so on.
void set_sizes(Variables& v, const JobSpec& spec) {
  const auto set = [&](const char* name, std::int64_t value) {
    if (value > 0) v[name] = std::to_string(value);
  };
  const bool by_node =
      spec.memory_mb_per_cpu == 0 && spec.memory_mb_per_gpu == 0 && !spec.whole_memory;
  set("SLURM_MEM_PER_NODE", by_node ? spec.memory_mb_per_node : 0);
  set("SLURM_MEM_PER_CPU", spec.memory_mb_per_cpu);
  set("SLURM_MEM_PER_GPU", spec.memory_mb_per_gpu);
  set("SLURM_GPUS", spec.gpus);
  set("SLURM_GPUS_PER_TASK", spec.gpus_per_task);
  set("SLURM_CPUS_PER_GPU", spec.cpus_per_gpu);
  set("SLURM_NTASKS_PER_GPU", spec.tasks_per_gpu);
}

// Sets the variables of those options in JobSpec::stored_options that srun reads, such as
// SLURM_HINT.
void set_stored(Variables& v, const JobSpec& spec) {
  constexpr std::pair<std::string_view, const char*> handed_on[] = {
      {"distribution=", "SLURM_DISTRIBUTION"},
      {"hint=", "SLURM_HINT"},
      {"gpu-bind=", "SLURM_GPU_BIND"},
      {"mem-bind=", "SLURM_MEM_BIND"},
      {"core-spec=", "SLURM_CORE_SPEC"},
      {"threads-per-core=", "SLURM_THREADS_PER_CORE"},
      {"profile=", "SLURM_PROFILE"},
      {"network=", "SLURM_NETWORK"},
      {"cpu-freq=", "SLURM_CPU_FREQ_REQ"},
      {"gpu-freq=", "SLURM_GPU_FREQ"},
      {"gpus-per-node=", "SLURM_GPUS_PER_NODE"},
      {"ntasks-per-core=", "SLURM_NTASKS_PER_CORE"},
      {"ntasks-per-socket=", "SLURM_NTASKS_PER_SOCKET"},
      {"distribution=plane=", "SLURM_DIST_PLANESIZE"}};
  for (const std::string& option : spec.stored_options)
    for (const auto& [beginning, name] : handed_on)
      if (option.starts_with(beginning)) v[name] = option.substr(beginning.size());
  if (const auto hint = v.find("SLURM_HINT"); hint != v.end() && hint->second == "nomultithread")
    v["SLURM_THREADS_PER_CORE"] = "1";
}

// Sets the variables of --overcommit, with which srun in the script starts all tasks, even if they
// must share CPUs.
void set_overcommit(Variables& v, const JobSpec& spec) {
  for (const std::string& option : spec.stored_options) {
    if (!option.starts_with(overcommit_stored)) continue;
    v["SLURM_OVERCOMMIT"] = "1";
    const std::string tasks = option.substr(overcommit_stored.size());
    if (!tasks.empty()) v["SLURM_NTASKS"] = v["SLURM_NPROCS"] = tasks.substr(1);  // after '='
  }
}

// Returns the LaunchSpec of one component, as if it were a job by itself.
LaunchSpec component_launch(const LaunchSpec& launch, std::int64_t component) {
  LaunchSpec one = launch;
  one.spec = component_spec(launch.spec, component);
  std::erase_if(one.nodes,
                [&](const PlacedNode& node) { return node.grant.component != component; });
  return one;
}

void set_alike(Variables& v, const LaunchSpec& launch, const GoOrder& go, const std::string& pwd) {
  const JobSpec& spec = launch.spec;
  const std::string job = std::to_string(launch.key.job.value);
  v["SLURM_JOB_ID"] = v["SLURM_JOBID"] = job;
  v["SLURM_JOB_NAME"] = spec.name;
  v["SLURM_JOB_NODELIST"] = v["SLURM_NODELIST"] = node_list(launch);
  v["SLURM_JOB_NUM_NODES"] = v["SLURM_NNODES"] = std::to_string(launch.nodes.size());
  v["SLURM_TASKS_PER_NODE"] = tasks_per_node(launch);
  v["SLURM_JOB_CPUS_PER_NODE"] = run_lengths(launch, [](const NodeGrant& g) { return g.cpus; });
  v["SLURM_JOB_PARTITION"] = spec.partition;
  v["SLURM_JOB_QOS"] = spec.qos;
  if (!spec.account.empty()) v["SLURM_JOB_ACCOUNT"] = spec.account;
  v["SLURM_JOB_USER"] = spec.user_name;
  v["SLURM_JOB_UID"] = std::to_string(spec.uid);
  v["SLURM_JOB_GID"] = std::to_string(spec.gid);
  v["SLURM_CLUSTER_NAME"] = launch.cluster_name;
  v["SLURM_SUBMIT_DIR"] = pwd.starts_with('/') ? pwd : spec.work_dir;
  v["SLURM_SUBMIT_HOST"] = spec.submit_host;
  v["SLURM_JOB_START_TIME"] = unix_seconds(go.started);
  if (spec.time_limit_s > 0) {
    v["SLURM_JOB_END_TIME"] = unix_seconds(go.started + Milliseconds{spec.time_limit_s * 1000});
  }
  if (launch.restarts > 0) v["SLURM_RESTART_COUNT"] = std::to_string(launch.restarts);
  if (spec.tasks_per_node > 0) v["SLURM_NTASKS_PER_NODE"] = std::to_string(spec.tasks_per_node);
  if (spec.cpus_per_task_asked) v["SLURM_CPUS_PER_TASK"] = std::to_string(spec.cpus_per_task);
  if (!spec.reservation.empty()) v["SLURM_JOB_RESERVATION"] = spec.reservation;
  if (!spec.licences.empty()) v["SLURM_JOB_LICENSES"] = spec.licences;
  if (!spec.dependency.empty()) v["SLURM_JOB_DEPENDENCY"] = spec.dependency;
  set_sizes(v, spec);
  set_stored(v, spec);
  set_overcommit(v, spec);
}

std::int64_t ranks_of(const LaunchSpec& launch) {
  std::int64_t ranks = 0;
  for (const PlacedNode& node : launch.nodes) ranks += node.grant.ranks;
  return ranks;
}

void set_tasks_alike(Variables& v, const LaunchSpec& launch) {
  if (!launch.spec.tasks_asked && launch.spec.tasks_per_node == 0) return;
  v["SLURM_NTASKS"] = v["SLURM_NPROCS"] = std::to_string(ranks_of(launch));
}

// Calls `set` once, or for a heterogeneous job once for each component. The variables of component
// 1 get names that end in _HET_GROUP_1, and so on; those of component 0 also get their plain names.
template <class Set>
void set_by_component(Variables& v, const LaunchSpec& launch, Set set) {
  if (launch.spec.components.empty()) return set(v, launch);
  for (std::int64_t i = 0; i < component_count(launch.spec); ++i) {
    Variables own;
    set(own, component_launch(launch, i));
    for (const auto& [name, value] : own)
      v[name + std::string(het_group) + std::to_string(i)] = value;
    if (i > 0) continue;
    for (const auto& [name, value] : own) v[name] = value;
  }
}

}  // namespace

void set_job(Variables& v, const LaunchSpec& launch, const GoOrder& go, const std::string& pwd) {
  set_by_component(v, launch,
                   [&](Variables& own, const LaunchSpec& one) { set_alike(own, one, go, pwd); });
  if (!launch.spec.components.empty())
    v["SLURM_HET_SIZE"] = std::to_string(component_count(launch.spec));
  const std::string addresses = node_addresses_text(launch.nodes);
  if (!addresses.empty()) v[supervisor_folder::variable_node_addresses] = addresses;
}

namespace {

// Sets the counts of nodes and tasks to those of all components together. A component for which no
// tasks were requested has one on each node.
void add_up_components(Variables& v) {
  std::int64_t nodes = 0;
  std::int64_t tasks = 0;
  for (std::int64_t i = 0;; ++i) {
    const std::string end = std::string(het_group) + std::to_string(i);
    const auto count = [&](const char* name) -> std::int64_t {
      const auto found = v.find(name + end);
      const auto parsed =
          parse_count(found == v.end() ? "" : found->second, 1, limits::tasks_per_job_max);
      return parsed ? *parsed : 0;
    };
    const std::int64_t own = count("SLURM_NNODES");
    if (own == 0) break;
    nodes += own;
    tasks += std::max(own, count("SLURM_NTASKS"));
  }
  if (nodes == 0) return;
  v["SLURM_NNODES"] = v["SLURM_JOB_NUM_NODES"] = std::to_string(nodes);
  v["SLURM_NTASKS"] = v["SLURM_NPROCS"] = std::to_string(tasks);
}

}  // namespace

void be_component(Variables& v, std::int64_t component) {
  if (component < 0) return add_up_components(v);
  const std::string end = std::string(het_group) + std::to_string(component);
  Variables own;
  for (const auto& [name, value] : v) {
    const std::size_t at = name.find(het_group);
    if (!name.starts_with("SLURM_") || at == std::string::npos) continue;
    const std::string plain = name.substr(0, at);
    if (name.ends_with(end))
      own[plain] = value;
    else
      own.try_emplace(plain);  // only other components have it: removed below
  }
  for (const auto& [name, value] : own)
    if (value.empty())
      v.erase(name);
    else
      v[name] = value;
}

void set_tasks_asked(Variables& v, const LaunchSpec& launch) {
  set_by_component(v, launch, set_tasks_alike);
}

// Sets the variables of a task of an array, such as SLURM_ARRAY_TASK_ID.
void set_array(Variables& v, const LaunchSpec& launch) {
  const auto array = parse_array(launch.spec.array);
  if (launch.array_task < 0 || !array) return;
  v["SLURM_ARRAY_JOB_ID"] = std::to_string(launch.array_job.value);
  v["SLURM_ARRAY_TASK_ID"] = std::to_string(launch.array_task);
  v["SLURM_ARRAY_TASK_COUNT"] = std::to_string(array->tasks.count());
  v["SLURM_ARRAY_TASK_MIN"] = std::to_string(array->tasks.first());
  v["SLURM_ARRAY_TASK_MAX"] = std::to_string(array->tasks.last());
  v["SLURM_ARRAY_TASK_STEP"] = std::to_string(array->tasks.step());
}

void set_for_site(Variables& v, const LaunchSpec& launch) {
  const JobSpec& spec = launch.spec;
  v["SLURM_UID"] = std::to_string(spec.uid);
  v["SLURM_JOB_WORK_DIR"] = spec.work_dir;
  v["SLURM_JOB_RESTART_COUNT"] = std::to_string(launch.restarts);
  if (!spec.comment.empty()) v["SLURM_JOB_COMMENT"] = spec.comment;
  if (!spec.constraint.empty()) v["SLURM_JOB_CONSTRAINTS"] = spec.constraint;
}

namespace {

// Returns SLURM_TOPOLOGY_ADDR_PATTERN: "switch.switch.node" for the address "spine1.leaf2.n3".
std::string address_pattern(const std::string& address) {
  std::string pattern;
  const auto switches = std::ranges::count(address, '.');
  for (std::ptrdiff_t i = 0; i < switches; ++i) pattern += "switch.";
  return pattern + "node";
}

std::int64_t shards_of(const JobSpec& spec) {
  const auto wish = parse_gres(spec.gres);
  if (!wish) return 0;
  const auto shards = std::ranges::find(wish->others, "shard", &GresCount::name);
  return shards == wish->others.end() ? 0 : shards->count;
}

}  // namespace

void set_node(Variables& v, const LaunchSpec& launch) {
  const NodeGrant& grant = launch.nodes[static_cast<std::size_t>(launch.node_index)].grant;
  v["SLURMD_NODENAME"] = grant.node;
  v["SLURM_CPUS_ON_NODE"] = std::to_string(grant.cpus);
  // Without a topology the address is the node's name, as in Slurm with topology/default.
  const bool is_flat = launch.topology_addr.empty();
  v["SLURM_TOPOLOGY_ADDR"] = is_flat ? grant.node : launch.topology_addr;
  v["SLURM_TOPOLOGY_ADDR_PATTERN"] = is_flat ? "node" : address_pattern(launch.topology_addr);
  show_gpus(v, launch.node_gpus, grant.gpus);
  if (grant.gpus.empty()) return;
  v["SLURM_GPUS_ON_NODE"] = std::to_string(grant.gpus.size());
  v["SLURM_JOB_GPUS"] = comma_list(grant.gpus);
  v["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";  // the order of GpuDevice::index
  if (grant.gpu_milli == gpu_whole) return;
  const JobSpec own = component_spec(launch.spec, grant.component);
  if (const std::int64_t shards = shards_of(own); shards > 0)
    v["SLURM_SHARDS_ON_NODE"] = std::to_string(shards);
  // NVIDIA's MPS reads this variable, if it serves the GPU.
  v["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = std::to_string(std::max(grant.gpu_milli / 10, 1));
}

}  // namespace cox
