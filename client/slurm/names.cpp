#include "client/slurm/names.h"

#include "client/command_options.h"
#include "client/slurm/answers.h"

namespace cox {

const std::vector<Command>& slurm_commands() {
  static const std::vector<Command> table = {
      {.name = "sbatch", .summary = "queue a batch script", .way = Way::Submit, .slurm = true},
      {.name = "srun",
       .summary = "run a program as the tasks of a step, in an allocation",
       .way = Way::RunStep,
       .slurm = true},
      {"squeue", "the jobs that wait and run", Way::Ask, declare_squeue, ask_squeue, show_squeue,
       true},
      {"scancel", "end jobs", Way::CancelMatching, declare_scancel, ask_scancel, show_scancel,
       true},
      {"sinfo", "partitions and the states of their nodes", Way::Ask, declare_sinfo, ask_sinfo,
       show_sinfo, true},
      {"sacctmgr", "accounts, their users and limits: add, modify, delete, show", Way::Administer,
       declare_sacctmgr, ask_sacctmgr, show_sacctmgr, true},
      {"sacct", "jobs of all times, and what they took", Way::Records, declare_sacct, ask_sacct,
       show_sacct, true},
      {"seff", "how well a job has used what it was granted", Way::Records, declare_seff, ask_seff,
       show_seff, true},
      {.name = "sstat",
       .summary = "what the steps of running jobs take now",
       .way = Way::Sample,
       .declare = declare_sstat,
       .slurm = true},
  };
  return table;
}

}  // namespace cox
