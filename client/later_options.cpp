// Options of Slurm's sbatch and srun that this version does not have, and what to do instead.
#include "client/submit_option_table.h"

namespace cox {
namespace {

constexpr std::string_view gpus_by_node = "ask for GPUs on each node with --gres=gpu:NUMBER";

// clang-format off
constexpr LaterOption later_options[] = {
  {"gpus-per-socket", 0, "", gpus_by_node},
  {"mincpus", 0, "", "set the CPUs with --ntasks-per-node and --cpus-per-task"},
  {"no-kill", 'k', "SBATCH_NO_KILL", "leave it out: a lost node ends the attempt"},
  {"overcommit", 'O', "SBATCH_OVERCOMMIT", "ask for the CPUs it needs"},
  {"contiguous", 0, "", "choose nodes with --nodelist"},
  {"nodefile", 'F', "", "write the nodes after --nodelist"},
  {"export-file", 0, "", "pass what the job needs with --export"},
  {"prefer", 0, "SBATCH_PREFER", "what must be is asked for with --constraint"},
  {"container", 0, "SBATCH_CONTAINER", "start the container in the script"},
  {"container-id", 0, "SBATCH_CONTAINER_ID", "start the container in the script"},
  {"reboot", 0, "", "ask an operator for it"},
  {"uid", 0, "", "submit as that user"},
  {"gid", 0, "", "submit as that user"},
};

constexpr LaterOption later_step_options[] = {
  {"bcast", 0, "SLURM_BCAST", "put the program where all nodes see it"},
  {"no-allocate", 'Z', "", "ask for an allocation with sbatch"},
  {"clusters", 'M', "", "run it on the cluster itself"},
  {"uid", 0, "", "run it as that user"},
  {"gid", 0, "", "run it as that user"},
  {"test-only", 0, "", "sbatch --test-only shows when a job would start"},
  {"gpus-per-socket", 0, "SLURM_GPUS_PER_SOCKET", "ask for GPUs with --gpus-per-node"},
};
// clang-format on

}  // namespace

std::span<const LaterOption> later_option_table() {
  return later_options;
}

std::span<const LaterOption> later_step_option_table() {
  return later_step_options;
}

}  // namespace cox
