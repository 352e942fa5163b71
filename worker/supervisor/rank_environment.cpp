#include "worker/supervisor/rank_environment.h"

#include <string.h>

#include <string_view>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/job/given_variables.h"
#include "common/job/job_variables.h"
#include "common/job/supervisor_folder.h"
#include "common/job/visible_gpus.h"
#include "common/syntax/gpu_bind.h"

namespace cox {

namespace {

// Returns how GPUs are bound to the job's ranks: as the options --gpu-bind, --ntasks-per-gpu or the
// option --gpus-per-task request. Without these options each rank gets an equal part of the node's
// GPUs, or all of them if they cannot be divided evenly.
GpuBind gpu_bind_of(const JobSpec& spec, const NodeGrant& grant) {
  constexpr std::string_view option = "gpu-bind=";
  for (const std::string& stored : spec.stored_options)
    if (stored.starts_with(option))
      if (const auto bind = parse_gpu_bind(stored.substr(option.size())))
        if (bind->kind != GpuBind::Kind::Unasked) return *bind;
  const JobSpec own = component_spec(spec, grant.component);
  if (own.tasks_per_gpu > 0) return {GpuBind::Kind::Single, false, own.tasks_per_gpu};
  if (own.gpus_per_task > 0) return {GpuBind::Kind::PerTask, false, own.gpus_per_task};
  const auto gpus = std::ssize(grant.gpus);
  if (gpus % grant.ranks != 0) return {GpuBind::Kind::None};
  return {GpuBind::Kind::PerTask, false, gpus / grant.ranks};
}

std::vector<std::int32_t> rank_gpus(const JobSpec& spec, const NodeGrant& grant,
                                    std::int32_t local_rank) {
  const auto each = gpus_of_tasks(gpu_bind_of(spec, grant), static_cast<std::size_t>(grant.ranks),
                                  grant.gpus.size(), true);
  if (!each) return grant.gpus;  // binding fails: the rank gets all of them
  std::vector<std::int32_t> devices;
  for (const std::int32_t at : (*each)[static_cast<std::size_t>(local_rank)])
    devices.push_back(grant.gpus[static_cast<std::size_t>(at)]);
  return devices;
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
  v["SLURM_STEP_GPUS"] = comma_list(grant.gpus);
  show_gpus(v, launch.node_gpus, rank_gpus(launch.spec, grant, local_rank));
}

void set_batch(Variables& v, const LaunchSpec& launch) {
  v["ENVIRONMENT"] = "BATCH";
  v["SLURM_PROCID"] = v["SLURM_LOCALID"] = v["SLURM_NODEID"] = v["SLURM_GTIDS"] = "0";
  set_tasks_asked(v, launch);
}

}  // namespace

std::vector<std::string> rank_environment(const LaunchSpec& launch, const GoOrder& go,
                                          std::int32_t rank, const std::string& folder) {
  CHECK(static_cast<std::size_t>(launch.node_index) < launch.nodes.size());
  const NodeGrant& grant = launch.nodes[static_cast<std::size_t>(launch.node_index)].grant;
  Variables v = users_variables(launch.environment);
  erase_job_variables(v);
  const Variables before = v;
  const auto pwd = v.find("PWD");
  set_job(v, launch, go, pwd == v.end() ? "" : pwd->second);
  set_array(v, launch);
  set_node(v, launch);
  if (launch.spec.form == JobForm::Batch) {
    set_batch(v, launch);
  } else {
    set_step(v, launch, grant);
    set_rank(v, launch, go, grant, rank);
  }
  set_ours(v, launch, rank, folder);
  set_checkpoint_signal(v, launch.spec, launch.spec.form == JobForm::Batch);
  v["PWD"] = launch.spec.work_dir;
  note_given(v, before);
  return entries_of(v);
}

void set_ours(Variables& v, const LaunchSpec& launch, std::int32_t rank,
              const std::string& folder) {
  namespace names = supervisor_folder;
  v[names::variable_socket] = folder + "/" + names::socket_file;
  v[names::variable_attempt] = launch.cluster_name + "/" + std::to_string(launch.key.job.value) +
                               "." + std::to_string(launch.key.attempt.value);
  v[names::variable_rank] = std::to_string(rank);
  v[names::variable_reason_file] = folder + "/" + names::reason_file;
  v.try_emplace("TMPDIR", "/tmp");  // scripts rely on it, as in Slurm
  if (!checkpoint_dir(launch).empty()) v[names::variable_checkpoint_dir] = checkpoint_dir(launch);
  if (launch.resume) v[names::variable_resume_from] = resume_dir(launch);
}

void set_checkpoint_signal(Variables& v, const JobSpec& spec, bool is_script) {
  std::string text;
  const auto add = [&](std::int32_t number) {
    const char* name = ::sigabbrev_np(number);
    text += (text.empty() ? "" : ",") + (name != nullptr ? name : std::to_string(number));
  };
  if (spec.checkpoint_signal != 0) add(spec.checkpoint_signal);
  // The signal of --signal is sent either only to the script of a batch job ("B:"), or only to its
  // tasks.
  const bool is_warned = spec.form == JobForm::Gang || spec.signal.batch_only == is_script;
  const std::int32_t warning = spec.signal.number;
  if (warning != 0 && warning != spec.checkpoint_signal && is_warned) add(warning);
  // A task inherits the script's variable through srun.
  v.erase(supervisor_folder::variable_signal);
  if (!text.empty()) v[supervisor_folder::variable_signal] = text;
}

std::string checkpoint_dir(const LaunchSpec& launch) {
  if (launch.job_checkpoint_dir.empty()) return "";
  return launch.job_checkpoint_dir + "/attempt-" + std::to_string(launch.key.attempt.value);
}

std::string resume_dir(const LaunchSpec& launch) {
  if (!launch.resume) return "";
  const std::string& job_dir =
      launch.resume_job_dir.empty() ? launch.job_checkpoint_dir : launch.resume_job_dir;
  return job_dir + "/attempt-" + std::to_string(launch.resume->attempt.value) + "/step-" +
         std::to_string(launch.resume->step);
}

std::string attempt_mark(const std::string& folder) {
  return std::string(supervisor_folder::variable_socket) + "=" + folder + "/" +
         supervisor_folder::socket_file;
}

}  // namespace cox
