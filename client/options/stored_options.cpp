// Options of Slurm that are taken and stored with the job, so that scripts run as they are: shown,
// handed on to its steps where Slurm does that, and nothing else comes of them. Where one would
// change what a job is given, it is not here but refused (unsupported_options.cpp).
#include "client/options/submit_option_table.h"

namespace cox {
namespace {

constexpr auto none = Takes::Nothing;
constexpr auto optional = Takes::ValueAttached;
constexpr auto required = Takes::Value;

// clang-format off
constexpr SubmitOption options[] = {
  {"priority", 0, required, "", "NUMBER",
   "these are stored with the job, shown, and have no other effect", false, nullptr},
  {"clusters", 'M', required, "SBATCH_CLUSTERS SLURM_CLUSTERS", "", "", false, nullptr},
  {"hint", 0, required, "SBATCH_HINT", "", "", false, nullptr},
  {"distribution", 'm', required, "SBATCH_DISTRIBUTION", "", "", false, nullptr},
  {"threads-per-core", 0, required, "SBATCH_THREADS_PER_CORE", "", "", false, nullptr},
  {"cores-per-socket", 0, required, "", "", "", false, nullptr},
  {"sockets-per-node", 0, required, "", "", "", false, nullptr},
  {"extra-node-info", 'B', required, "", "", "", false, nullptr},
  {"ntasks-per-core", 0, required, "", "", "", false, nullptr},
  {"ntasks-per-socket", 0, required, "", "", "", false, nullptr},
  {"gpu-bind", 0, required, "SBATCH_GPU_BIND", "", "", false, nullptr},
  {"mem-bind", 0, required, "SBATCH_MEM_BIND", "", "", false, nullptr},
  {"gres-flags", 0, required, "SBATCH_GRES_FLAGS", "", "", false, nullptr},
  {"core-spec", 'S', required, "SBATCH_CORE_SPEC", "", "", false, nullptr},
  {"thread-spec", 0, required, "SBATCH_THREAD_SPEC", "", "", false, nullptr},
  {"cpu-freq", 0, required, "", "", "", false, nullptr},
  {"gpu-freq", 0, required, "SBATCH_GPU_FREQ", "", "", false, nullptr},
  {"acctg-freq", 0, required, "SBATCH_ACCTG_FREQ", "", "", false, nullptr},
  {"profile", 0, required, "SBATCH_PROFILE", "", "", false, nullptr},
  {"network", 0, required, "SBATCH_NETWORK", "", "", false, nullptr},
  {"power", 0, required, "SBATCH_POWER", "", "", false, nullptr},
  {"mcs-label", 0, required, "", "", "", false, nullptr},
  {"get-user-env", 0, optional, "SBATCH_GET_USER_ENV", "", "", false, nullptr},
  {"oversubscribe", 's', none, "", "", "", false, nullptr},
  {"spread-job", 0, none, "SBATCH_SPREAD_JOB", "", "", false, nullptr},
  {"use-min-nodes", 0, none, "SBATCH_USE_MIN_NODES", "", "", false, nullptr},
  {"wait-all-nodes", 0, required, "SBATCH_WAIT_ALL_NODES", "", "", false, nullptr},
  {"delay-boot", 0, required, "SBATCH_DELAY_BOOT", "", "", false, nullptr},
};
// clang-format on

}  // namespace

std::span<const SubmitOption> stored_option_table() {
  return options;
}

}  // namespace cox
