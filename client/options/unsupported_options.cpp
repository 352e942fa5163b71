// Options of Slurm's sbatch, salloc and srun that this version does not support, and what to do
// instead.
#include <iterator>

#include "client/options/submit_option_table.h"

namespace cox {
namespace {

constexpr std::string_view by_switches = "keep the nodes below one switch with --switches=1";
constexpr std::string_view bind_gpus = "write --gpu-bind";
constexpr std::string_view forward_display = "ssh -X to the node";
constexpr std::string_view by_sbatch = "submit with sbatch --signal";
constexpr std::string_view gpus_by_node = "ask for GPUs on each node with --gres=gpu:NUMBER";

// clang-format off
constexpr UnsupportedOption unsupported_options[] = {
  {"gpus-per-socket", 0, "", gpus_by_node},
  {"no-kill", 'k', "SBATCH_NO_KILL", "leave it out: a lost node ends the attempt"},
  {"nodefile", 'F', "", "write --nodelist=./FILE"},
  {"export-file", 0, "", "pass what the job needs with --export"},
  {"container-id", 0, "SBATCH_CONTAINER_ID", "name a folder with --container"},
  {"reboot", 0, "", "ask an operator for it"},
  {"batch", 0, "SBATCH_BATCH", "ask for the feature on all nodes with --constraint"},
  {"segment", 0, "SBATCH_SEGMENT_SIZE", by_switches},
  {"oom-kill-step", 0, "SBATCH_OOM_KILL_STEP", "write srun --kill-on-bad-exit in the script"},
  {"resv-ports", 0, "", "leave it out: MPI programs choose their ports"},
  {"tres-bind", 0, "SBATCH_TRES_BIND", bind_gpus},
  {"x11", 0, "", forward_display},
  {"uid", 0, "", "submit as that user"},
  {"gid", 0, "", "submit as that user"},
  {"signal", 0, "", by_sbatch},  // the last row: only salloc refuses it
};

constexpr UnsupportedOption unsupported_step_options[] = {
  {"no-allocate", 'Z', "", "ask for an allocation with sbatch"},
  {"signal", 0, "SLURM_SIGNAL", by_sbatch},
  {"nodefile", 'F', "", "write --nodelist=./FILE"},
  {"container-id", 0, "", "name a folder with --container"},
  {"reboot", 0, "", "ask an operator for it"},
  {"segment", 0, "SLURM_SEGMENT_SIZE", by_switches},
  {"oom-kill-step", 0, "SLURM_OOM_KILL_STEP", "write --kill-on-bad-exit"},
  {"tres-bind", 0, "SLURM_TRES_BIND", bind_gpus},
  {"accel-bind", 0, "", bind_gpus},
  {"x11", 0, "", forward_display},
  {"uid", 0, "", "run it as that user"},
  {"gid", 0, "", "run it as that user"},
  {"test-only", 0, "", "sbatch --test-only shows when a job would start"},
  {"gpus-per-socket", 0, "SLURM_GPUS_PER_SOCKET", "ask for GPUs with --gpus-per-node"},
};
// clang-format on

}  // namespace

std::span<const UnsupportedOption> unsupported_option_table() {
  return std::span(unsupported_options).first(std::size(unsupported_options) - 1);
}

std::span<const UnsupportedOption> unsupported_allocation_option_table() {
  return unsupported_options;
}

std::span<const UnsupportedOption> unsupported_step_option_table() {
  return unsupported_step_options;
}

}  // namespace cox
