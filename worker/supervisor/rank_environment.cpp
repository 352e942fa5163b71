#include "worker/supervisor/rank_environment.h"

#include <array>
#include <map>
#include <string_view>

#include "common/array_tasks.h"
#include "common/check.h"
#include "common/hostlist.h"
#include "common/supervisor_folder.h"

namespace cox {

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

// What describes one job or one rank. Those of the job that the user submitted from (if any) must
// not be taken for this one's: SLURM_RESTART_COUNT for instance says something by its absence.
constexpr auto job_variables = std::to_array<std::string_view>({"SLURM_ARRAY_JOB_ID",
                                                                "SLURM_ARRAY_TASK_COUNT",
                                                                "SLURM_ARRAY_TASK_ID",
                                                                "SLURM_ARRAY_TASK_MAX",
                                                                "SLURM_ARRAY_TASK_MIN",
                                                                "SLURM_ARRAY_TASK_STEP",
                                                                "SLURM_CLUSTER_NAME",
                                                                "SLURM_CPUS_ON_NODE",
                                                                "SLURM_CPUS_PER_TASK",
                                                                "SLURM_DISTRIBUTION",
                                                                "SLURM_GPUS_ON_NODE",
                                                                "SLURM_GTIDS",
                                                                "SLURM_JOBID",
                                                                "SLURM_JOB_ACCOUNT",
                                                                "SLURM_JOB_CPUS_PER_NODE",
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
                                                                "SLURM_NTASKS_PER_NODE",
                                                                "SLURM_PROCID",
                                                                "SLURM_RESTART_COUNT",
                                                                "SLURM_STEPID",
                                                                "SLURM_STEP_GPUS",
                                                                "SLURM_STEP_ID",
                                                                "SLURM_STEP_NODELIST",
                                                                "SLURM_STEP_NUM_NODES",
                                                                "SLURM_STEP_NUM_TASKS",
                                                                "SLURM_STEP_TASKS_PER_NODE",
                                                                "SLURM_SUBMIT_DIR",
                                                                "SLURM_SUBMIT_HOST",
                                                                "SLURM_TASKS_PER_NODE",
                                                                "SLURM_TASK_PID",
                                                                "SLURMD_NODENAME",
                                                                "ENVIRONMENT",
                                                                "COX_SUPERVISOR_SOCKET",
                                                                "COX_ATTEMPT_ID",
                                                                "COX_RANK",
                                                                "COX_CHECKPOINT_DIR",
                                                                "COX_RESUME_FROM",
                                                                "COX_STOP_REASON_FILE"});

Variables users_variables(const std::string& block) {
  Variables variables;
  for (std::size_t begin = 0; begin < block.size();) {
    const std::size_t end = std::min(block.find('\0', begin), block.size());
    const std::string_view entry = std::string_view(block).substr(begin, end - begin);
    const std::size_t equals = entry.find('=');
    if (equals != std::string_view::npos && equals > 0) {
      variables[std::string(entry.substr(0, equals))] = entry.substr(equals + 1);
    }
    begin = end + 1;
  }
  return variables;
}

std::string comma_list(const std::vector<std::int32_t>& numbers) {
  std::string text;
  for (const std::int32_t number : numbers) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}

// Slurm's run lengths: 4,4,2 is "4(x2),2".
std::string run_lengths(const LaunchSpec& launch, std::int64_t (*count)(const NodeGrant&)) {
  std::string text;
  for (std::size_t i = 0; i < launch.nodes.size();) {
    const std::int64_t value = count(launch.nodes[i].grant);
    std::size_t run = i;
    while (run < launch.nodes.size() && count(launch.nodes[run].grant) == value) ++run;
    if (!text.empty()) text += ",";
    text += std::to_string(value);
    if (run - i > 1) text += "(x" + std::to_string(run - i) + ")";
    i = run;
  }
  return text;
}

std::string node_list(const LaunchSpec& launch) {
  std::vector<std::string> names;
  for (const PlacedNode& node : launch.nodes) names.push_back(node.grant.node);
  return compress_hostlist(names);
}

std::string unix_seconds(Wall t) {
  return std::to_string(to_ms(t) / 1000);
}

void set_job(Variables& v, const LaunchSpec& launch, const GoOrder& go, const std::string& pwd) {
  const JobSpec& spec = launch.spec;
  const std::string job = std::to_string(launch.key.job.value);
  v["SLURM_JOB_ID"] = v["SLURM_JOBID"] = job;
  v["SLURM_JOB_NAME"] = spec.name;
  v["SLURM_JOB_NODELIST"] = v["SLURM_NODELIST"] = node_list(launch);
  v["SLURM_JOB_NUM_NODES"] = v["SLURM_NNODES"] = std::to_string(launch.nodes.size());
  v["SLURM_TASKS_PER_NODE"] =
      run_lengths(launch, [](const NodeGrant& g) -> std::int64_t { return g.ranks; });
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
  if (spec.memory_mb_per_node > 0) {
    v["SLURM_MEM_PER_NODE"] = std::to_string(spec.memory_mb_per_node);
  }
}

// As Slurm says them of a task of an array.
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

void set_node(Variables& v, const NodeGrant& grant) {
  v["SLURMD_NODENAME"] = grant.node;
  v["SLURM_CPUS_ON_NODE"] = std::to_string(grant.cpus);
  if (grant.gpus.empty()) return;
  v["SLURM_GPUS_ON_NODE"] = std::to_string(grant.gpus.size());
  v["SLURM_JOB_GPUS"] = comma_list(grant.gpus);
  v["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";  // our indices count in this order
  v["CUDA_VISIBLE_DEVICES"] = comma_list(grant.gpus);
  if (grant.gpu_milli == gpu_whole) return;
  // What NVIDIA's MPS goes by, where it serves the device.
  v["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = std::to_string(std::max(grant.gpu_milli / 10, 1));
}

// Each rank sees its share where the node's devices divide evenly, and all of them otherwise.
std::string rank_gpus(const NodeGrant& grant, std::int32_t local_rank) {
  const auto ranks = static_cast<std::size_t>(grant.ranks);
  if (grant.gpus.size() % ranks != 0) return comma_list(grant.gpus);
  const std::size_t share = grant.gpus.size() / ranks;
  const auto first = grant.gpus.begin() + static_cast<std::ptrdiff_t>(share) * local_rank;
  return comma_list({first, first + static_cast<std::ptrdiff_t>(share)});
}

std::int64_t tasks_of(const LaunchSpec& launch) {
  std::int64_t tasks = 0;
  for (const PlacedNode& node : launch.nodes) tasks += node.grant.ranks;
  return tasks;
}

void set_step(Variables& v, const LaunchSpec& launch, const NodeGrant& grant) {
  const std::int64_t tasks = tasks_of(launch);
  std::vector<std::int32_t> here;
  for (std::int32_t i = 0; i < grant.ranks; ++i) here.push_back(grant.first_rank + i);
  v["SLURM_NTASKS"] = v["SLURM_NPROCS"] = v["SLURM_STEP_NUM_TASKS"] = std::to_string(tasks);
  v["SLURM_STEP_ID"] = v["SLURM_STEPID"] = "0";
  v["SLURM_STEP_NODELIST"] = v["SLURM_JOB_NODELIST"];
  v["SLURM_STEP_NUM_NODES"] = v["SLURM_JOB_NUM_NODES"];
  v["SLURM_STEP_TASKS_PER_NODE"] = v["SLURM_TASKS_PER_NODE"];
  v["SLURM_GTIDS"] = comma_list(here);
  v["SLURM_DISTRIBUTION"] = "block";
  v["SLURM_LAUNCH_NODE_IPADDR"] = launch.nodes.front().address;
  v["WORLD_SIZE"] = std::to_string(tasks);
  v["LOCAL_WORLD_SIZE"] = std::to_string(grant.ranks);
}

void set_rank(Variables& v, const LaunchSpec& launch, const GoOrder& go, const NodeGrant& grant,
              std::int32_t rank) {
  const std::int32_t local_rank = rank - grant.first_rank;
  CHECK(local_rank >= 0 && local_rank < grant.ranks);
  v["SLURM_PROCID"] = v["RANK"] = std::to_string(rank);
  v["SLURM_LOCALID"] = v["LOCAL_RANK"] = std::to_string(local_rank);
  v["SLURM_NODEID"] = std::to_string(launch.node_index);
  v["MASTER_ADDR"] = go.master_address;
  v["MASTER_PORT"] = std::to_string(go.master_port);
  if (grant.gpus.empty()) return;
  v["CUDA_VISIBLE_DEVICES"] = v["SLURM_STEP_GPUS"] = rank_gpus(grant, local_rank);
}

void set_batch(Variables& v, const LaunchSpec& launch) {
  v["ENVIRONMENT"] = "BATCH";
  v["SLURM_PROCID"] = v["SLURM_LOCALID"] = v["SLURM_NODEID"] = v["SLURM_GTIDS"] = "0";
  // Programs take SLURM_NTASKS for "started by srun"; Slurm sets it only when tasks were asked for.
  if (!launch.spec.tasks_asked && launch.spec.tasks_per_node == 0) return;
  v["SLURM_NTASKS"] = v["SLURM_NPROCS"] = std::to_string(tasks_of(launch));
}

void set_ours(Variables& v, const LaunchSpec& launch, std::int32_t rank,
              const std::string& folder) {
  namespace names = supervisor_folder;
  v[names::variable_socket] = folder + "/" + names::socket_file;
  v[names::variable_attempt] = launch.cluster_name + "/" + std::to_string(launch.key.job.value) +
                               "." + std::to_string(launch.key.attempt.value);
  v[names::variable_rank] = std::to_string(rank);
  v[names::variable_reason_file] = folder + "/" + names::reason_file;
  if (!checkpoint_dir(launch).empty()) v[names::variable_checkpoint_dir] = checkpoint_dir(launch);
  if (launch.resume) v[names::variable_resume_from] = resume_dir(launch);
}

}  // namespace

std::vector<std::string> rank_environment(const LaunchSpec& launch, const GoOrder& go,
                                          std::int32_t rank, const std::string& folder) {
  CHECK(static_cast<std::size_t>(launch.node_index) < launch.nodes.size());
  const NodeGrant& grant = launch.nodes[static_cast<std::size_t>(launch.node_index)].grant;
  Variables v = users_variables(launch.environment);
  for (const std::string_view name : job_variables) {
    if (const auto stale = v.find(name); stale != v.end()) v.erase(stale);
  }
  const auto pwd = v.find("PWD");
  set_job(v, launch, go, pwd == v.end() ? "" : pwd->second);
  set_array(v, launch);
  set_node(v, grant);
  if (launch.spec.form == JobForm::Batch) {
    set_batch(v, launch);
  } else {
    set_step(v, launch, grant);
    set_rank(v, launch, go, grant, rank);
  }
  set_ours(v, launch, rank, folder);
  v["PWD"] = launch.spec.work_dir;
  std::vector<std::string> entries;
  for (const auto& [name, value] : v) entries.push_back(name + "=" + value);
  return entries;
}

std::string checkpoint_dir(const LaunchSpec& launch) {
  if (launch.job_checkpoint_dir.empty()) return "";
  return launch.job_checkpoint_dir + "/attempt-" + std::to_string(launch.key.attempt.value);
}

std::string resume_dir(const LaunchSpec& launch) {
  if (!launch.resume) return "";
  return launch.job_checkpoint_dir + "/attempt-" + std::to_string(launch.resume->attempt.value) +
         "/step-" + std::to_string(launch.resume->step);
}

std::string attempt_mark(const std::string& folder) {
  return std::string(supervisor_folder::variable_socket) + "=" + folder + "/" +
         supervisor_folder::socket_file;
}

}  // namespace cox
