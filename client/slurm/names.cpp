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
      {.name = "scontrol",
       .summary = "show and change jobs, nodes, partitions and reservations",
       .way = Way::Control,
       .declare = declare_scontrol,
       .slurm = true},
      {"sprio", "what the priority of each pending job is made of", Way::Ask, declare_sprio,
       ask_sprio, show_sprio, true},
      {"sshare", "the shares of accounts and users, and what they have used", Way::Ask,
       declare_sshare, ask_sshare, show_sshare, true},
      {"sdiag", "what the controller has done since it started", Way::Ask, declare_sdiag, ask_sdiag,
       show_sdiag, true},
  };
  return table;
}

}  // namespace cox
