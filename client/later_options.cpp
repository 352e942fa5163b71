// Options of Slurm's sbatch and srun that this version does not have, and what to do instead.
#include "client/submit_option_table.h"

namespace cox {
namespace {

constexpr std::string_view gpus_by_node = "ask for GPUs on each node with --gres=gpu:NUMBER";

// clang-format off
constexpr LaterOption later_options[] = {
  {"gpus-per-socket", 0, "", gpus_by_node},
  {"no-kill", 'k', "SBATCH_NO_KILL", "leave it out: a lost node ends the attempt"},
  {"nodefile", 'F', "", "write --nodelist=./FILE"},
  {"export-file", 0, "", "pass what the job needs with --export"},
  {"container-id", 0, "SBATCH_CONTAINER_ID", "name a folder with --container"},
  {"reboot", 0, "", "ask an operator for it"},
  {"uid", 0, "", "submit as that user"},
  {"gid", 0, "", "submit as that user"},
};

constexpr LaterOption later_step_options[] = {
  {"no-allocate", 'Z', "", "ask for an allocation with sbatch"},
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
