#include "worker/stepd/step_environment.h"

#include "common/base/check.h"
#include "common/base/hostlist.h"
#include "common/base/text.h"
#include "common/job/job_variables.h"
#include "common/job/supervisor_folder.h"
#include "common/job/visible_gpus.h"
#include "worker/supervisor/rank_environment.h"

namespace cox {

namespace {

void set_step(Variables& v, const StepLaunch& step) {
  v["SLURM_STEP_ID"] = v["SLURM_STEPID"] = std::to_string(step.number);
  v["SLURM_NTASKS"] = v["SLURM_NPROCS"] = v["SLURM_STEP_NUM_TASKS"] = std::to_string(step.tasks);
  v["SLURM_NNODES"] = v["SLURM_STEP_NUM_NODES"] = std::to_string(step.nodes);
  v["SLURM_STEP_NODELIST"] = step.nodelist;  // SLURM_NODELIST keeps the job's nodes
  v["SLURM_TASKS_PER_NODE"] = v["SLURM_STEP_TASKS_PER_NODE"] = step.tasks_per_node;
  v["SLURM_GTIDS"] = comma_list(step.ranks);
  // If no two tasks share a node, Slurm reports "cyclic".
  const bool one_each = step.distribution == Distribution::Block && step.tasks <= step.nodes;
  v["SLURM_DISTRIBUTION"] = name(one_each ? Distribution::Cyclic : step.distribution);
  v["SLURM_CPUS_ON_NODE"] = std::to_string(step.cpus);
  if (step.cpus_per_task > 0) v["SLURM_CPUS_PER_TASK"] = std::to_string(step.cpus_per_task);
}

// Sets where the tasks of the step can meet: the address of the step's first node, and a port of
// the step's own among those that its attempt has reserved. Keeps what srun's environment sets.
void set_meeting_place(Variables& v, const LaunchSpec& job, const GoOrder& go,
                       const StepLaunch& step) {
  constexpr std::int32_t ports = ports_per_attempt - 1;  // the first is that of a gang's ranks
  if (go.master_port != 0)
    v.emplace("MASTER_PORT", std::to_string(go.master_port + 1 + step.number % ports));
  const auto names = expand_hostlist(step.nodelist);
  for (const PlacedNode& node : job.nodes)
    if (names && !names->empty() && node.grant.node == names->front())
      v.emplace("MASTER_ADDR", node.address);
}

// Returns the task's own GPUs if the step asked for GPUs per task; else all GPUs of the step on
// this node.
std::vector<std::int32_t> gpus_of(const StepLaunch& step, std::size_t local) {
  if (step.gpus_per_task < 0) return step.gpus;
  const auto share = static_cast<std::size_t>(step.gpus_per_task);
  const std::size_t first = local * share;
  if (first + share > step.gpus.size()) return step.gpus;
  const auto begin = step.gpus.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(share)};
}

void set_task(Variables& v, const StepLaunch& step, const std::vector<GpuDevice>& node_gpus,
              std::size_t local) {
  v["SLURM_PROCID"] = std::to_string(step.ranks[local]);
  v["SLURM_LOCALID"] = std::to_string(local);
  v["SLURM_NODEID"] = std::to_string(step.node_index);
  if (step.gpus.empty()) {
    // srun's environment shows the GPUs of the job, but this step has none. A controller of the
    // previous version does not send the node's GPUs.
    if (node_gpus.empty() && v.contains("CUDA_VISIBLE_DEVICES")) v["CUDA_VISIBLE_DEVICES"] = "";
    show_gpus(v, node_gpus, {});
    return;
  }
  v["SLURM_GPUS_ON_NODE"] = std::to_string(step.gpus.size());
  const std::vector<std::int32_t> own = gpus_of(step, local);
  // Has only the task's own GPUs, not all GPUs of the step, as in Slurm.
  v["SLURM_STEP_GPUS"] = comma_list(own);
  show_gpus(v, node_gpus, own);
}

}  // namespace

StepEnvironment::StepEnvironment(const LaunchSpec& job, const GoOrder& go, const StepLaunch& step,
                                 const std::string& environment, const std::string& folder)
    : step_(step), node_gpus_(job.node_gpus), common_(users_variables(environment)) {
  Variables& v = common_;
  const auto submitted_from = v.find("SLURM_SUBMIT_DIR");
  const std::string submit_dir = submitted_from == v.end() ? "" : submitted_from->second;
  const NodeGrant& grant = job.nodes[static_cast<std::size_t>(job.node_index)].grant;
  set_job(v, job, go, submit_dir);
  be_component(v, grant.component);
  set_array(v, job);
  set_node(v, job);
  set_step(v, step);
  set_meeting_place(v, job, go, step);
  set_ours(v, job, 0, folder);
  // The script's own variable arrives in srun's environment.
  if (!step.resumes) v.erase(supervisor_folder::variable_resume_from);
  set_checkpoint_signal(v, job.spec, false);
  v[supervisor_folder::variable_step] = std::to_string(step.number);
}

std::vector<std::string> StepEnvironment::of_task(std::size_t local) const {
  CHECK(local < step_.ranks.size());
  Variables v = common_;
  set_task(v, step_, node_gpus_, local);
  v[supervisor_folder::variable_rank] = std::to_string(step_.ranks[local]);
  return entries_of(v);
}

}  // namespace cox
