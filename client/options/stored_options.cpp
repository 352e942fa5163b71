// Options of Slurm that are stored with the job, so that scripts with them run unchanged. They are
// shown, and passed on to steps where Slurm does so, but have no other effect. An option that would
// change the job's resources is refused instead (unsupported_options.cpp).
#include "client/options/submit_option_table.h"

namespace cox {
namespace stored_option {
namespace {

constexpr auto none = Takes::Nothing;
constexpr auto optional = Takes::ValueAttached;
constexpr auto required = Takes::Value;

// clang-format off
constexpr SubmitOption options[] = {
  {"priority", 0, required, "NUMBER",
   "these are stored with the job, shown, and have no other effect", ""},
  {"clusters", 'M', required, "", "", "SBATCH_CLUSTERS SLURM_CLUSTERS"},
  {"hint", 0, required, "", "", "SBATCH_HINT"},
  {"distribution", 'm', required, "", "", "SBATCH_DISTRIBUTION"},
  {"threads-per-core", 0, required, "", "", "SBATCH_THREADS_PER_CORE"},
  {"cores-per-socket", 0, required, "", "", ""},
  {"sockets-per-node", 0, required, "", "", ""},
  {"extra-node-info", 'B', required, "", "", ""},
  {"ntasks-per-core", 0, required, "", "", ""},
  {"ntasks-per-socket", 0, required, "", "", ""},
  {"gpu-bind", 0, required, "", "", "SBATCH_GPU_BIND"},
  {"mem-bind", 0, required, "", "", "SBATCH_MEM_BIND"},
  {"gres-flags", 0, required, "", "", "SBATCH_GRES_FLAGS"},
  {"core-spec", 'S', required, "", "", "SBATCH_CORE_SPEC"},
  {"thread-spec", 0, required, "", "", "SBATCH_THREAD_SPEC"},
  {"cpu-freq", 0, required, "", "", ""},
  {"gpu-freq", 0, required, "", "", "SBATCH_GPU_FREQ"},
  {"acctg-freq", 0, required, "", "", "SBATCH_ACCTG_FREQ"},
  {"profile", 0, required, "", "", "SBATCH_PROFILE"},
  {"network", 0, required, "", "", "SBATCH_NETWORK"},
  {"power", 0, required, "", "", "SBATCH_POWER"},
  {"mcs-label", 0, required, "", "", ""},
  {"get-user-env", 0, optional, "", "", "SBATCH_GET_USER_ENV"},
  {"oversubscribe", 's', none, "", "", ""},
  {"spread-job", 0, none, "", "", "SBATCH_SPREAD_JOB"},
  {"use-min-nodes", 0, none, "", "", "SBATCH_USE_MIN_NODES"},
  {"wait-all-nodes", 0, required, "", "", "SBATCH_WAIT_ALL_NODES"},
  {"delay-boot", 0, required, "", "", "SBATCH_DELAY_BOOT"},
};
// clang-format on

}  // namespace
}  // namespace stored_option

std::span<const SubmitOption> stored_option_table() {
  return stored_option::options;
}

}  // namespace cox
