// Options of Slurm's sbatch that this version does not have, and what to do instead.
#include "client/submit_option_table.h"

namespace cox {
namespace {

constexpr std::string_view gpus_by_node = "ask for GPUs on each node with --gres=gpu:NUMBER";
constexpr std::string_view memory_by_node = "ask for memory on each node with --mem";
constexpr std::string_view left_out = "leave it out: jobs run the same without it";
constexpr std::string_view by_qos = "choose a tier with --qos";

// clang-format off
constexpr LaterOption later_options[] = {
  {"exclude", 'x', "", "choose nodes with --nodelist or --constraint, or cox drain NODE"},
  {"mail-type", 0, "", "use cox wait JOB && your own mail command"},
  {"mail-user", 0, "", "use cox wait JOB && your own mail command"},
  {"comment", 0, "", "say it in --job-name"},
  {"wckey", 0, "SBATCH_WCKEY", left_out},
  {"priority", 0, "", by_qos},
  {"gpus", 'G', "SBATCH_GPUS", gpus_by_node},
  {"gpus-per-task", 0, "SBATCH_GPUS_PER_TASK", gpus_by_node},
  {"gpus-per-socket", 0, "", gpus_by_node},
  {"ntasks-per-gpu", 0, "", "set the ranks with --ntasks-per-node"},
  {"cpus-per-gpu", 0, "SBATCH_CPUS_PER_GPU", "set the CPUs of a rank with --cpus-per-task"},
  {"gpu-bind", 0, "SBATCH_GPU_BIND", left_out},
  {"gres-flags", 0, "SBATCH_GRES_FLAGS", left_out},
  {"mem-per-cpu", 0, "SBATCH_MEM_PER_CPU", memory_by_node},
  {"mem-per-gpu", 0, "SBATCH_MEM_PER_GPU", memory_by_node},
  {"mem-bind", 0, "SBATCH_MEM_BIND", left_out},
  {"tmp", 0, "", left_out},
  {"mincpus", 0, "", "set the CPUs with --ntasks-per-node and --cpus-per-task"},
  {"wait", 'W', "SBATCH_WAIT", "submit it, then cox wait JOB"},
  {"wait-all-nodes", 0, "SBATCH_WAIT_ALL_NODES", "leave it out: a gang always starts together"},
  {"clusters", 'M', "SBATCH_CLUSTERS", "submit on the cluster itself"},
  {"no-kill", 'k', "SBATCH_NO_KILL", "leave it out: a lost node ends the attempt"},
  {"oversubscribe", 's', "", "leave it out: jobs share nodes unless one says --exclusive"},
  {"overcommit", 'O', "SBATCH_OVERCOMMIT", "ask for the CPUs it needs"},
  {"ntasks-per-core", 0, "", "set the CPUs of a rank with --cpus-per-task"},
  {"ntasks-per-socket", 0, "", "set the ranks with --ntasks-per-node"},
  {"threads-per-core", 0, "", left_out},
  {"cores-per-socket", 0, "", left_out},
  {"sockets-per-node", 0, "", left_out},
  {"extra-node-info", 'B', "", left_out},
  {"hint", 0, "SBATCH_HINT", left_out},
  {"distribution", 'm', "SBATCH_DISTRIBUTION", "leave it out: ranks fill the first node first"},
  {"contiguous", 0, "", "choose nodes with --nodelist"},
  {"nodefile", 'F', "", "write the nodes after --nodelist"},
  {"get-user-env", 0, "", "pass what the job needs with --export"},
  {"export-file", 0, "", "pass what the job needs with --export"},
  {"propagate", 0, "", "set limits in the script, with ulimit"},
  {"profile", 0, "SBATCH_PROFILE", left_out},
  {"core-spec", 'S', "SBATCH_CORE_SPEC", left_out},
  {"uid", 0, "", "submit as that user"},
  {"gid", 0, "", "submit as that user"},
  {"verbose", 'v', "", "leave it out; cox show job JOB tells everything"},
};
// clang-format on

}  // namespace

std::span<const LaterOption> later_option_table() {
  return later_options;
}

}  // namespace cox
