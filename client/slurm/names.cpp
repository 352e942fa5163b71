#include "client/slurm/names.h"

#include "client/command_options.h"
#include "client/slurm/control/help_options.h"
#include "client/slurm/list/scancel.h"
#include "client/slurm/list/sinfo_request.h"
#include "client/slurm/list/squeue_request.h"
#include "client/slurm/records/record_command_line.h"
#include "client/slurm/sattach.h"
#include "client/slurm/sbcast.h"
#include "client/slurm/scrontab.h"
#include "client/slurm/strigger.h"
#include "client/slurm/text/answers.h"
#include "client/slurm/text/option_words.h"
#include "client/slurm/text/version_text.h"

namespace cox {
namespace {

std::vector<Command> commands_for_jobs() {
  return {
      {.name = "sbatch", .summary = "queue a batch script", .way = Way::Submit, .slurm = true},
      {.name = "srun",
       .summary = "run a program as the tasks of a step, in an allocation or one of its own",
       .way = Way::RunStep,
       .slurm = true},
      {.name = "salloc",
       .summary = "nodes for a while, and a shell or command beside them",
       .way = Way::Allocate,
       .slurm = true},
      {.name = "sbcast",
       .summary = "copy a file to every node of a job",
       .way = Way::Broadcast,
       .slurm = true,
       .options = broadcast_options},
      {.name = "sattach",
       .summary = "see what a running step writes, and write to it",
       .way = Way::Attach,
       .slurm = true,
       .options = attach_options},
      {.name = "squeue",
       .summary = "the jobs that wait and run",
       .way = Way::List,
       .slurm = true,
       .listing = read_squeue,
       .options = squeue_options},
      {.name = "scancel",
       .summary = "end jobs, or send them signals",
       .way = Way::CancelMatching,
       .slurm = true,
       .options = scancel_options},
      {.name = "scrontab",
       .summary = "jobs that are repeated at the times of a crontab",
       .way = Way::Crontab,
       .slurm = true,
       .options = scrontab_options},
      {.name = "sinfo",
       .summary = "partitions and the states of their nodes",
       .way = Way::List,
       .slurm = true,
       .listing = read_sinfo,
       .options = sinfo_options},
  };
}

std::vector<Command> commands_for_accounting_and_control() {
  return {
      {"sacctmgr", "accounts, their users and limits: add, modify, delete, show", Way::Administer,
       declare_sacctmgr_and_help, ask_sacctmgr, show_sacctmgr, true},
      {"sacct", "jobs of all times, and what they took", Way::Records, declare_sacct, ask_sacct,
       show_sacct, true},
      {"seff", "how well a job has used what it was granted", Way::Records, declare_seff, ask_seff,
       show_seff, true},
      {.name = "sreport",
       .summary = "what was used in a span of time, by account, user and size of jobs",
       .way = Way::Report,
       .declare = declare_sreport_and_help,
       .slurm = true},
      {.name = "sstat",
       .summary = "what the steps of running jobs take now",
       .way = Way::Sample,
       .declare = declare_sstat,
       .slurm = true},
      {.name = "scontrol",
       .summary = "show and change jobs, nodes, partitions and reservations",
       .way = Way::Control,
       .declare = declare_scontrol_and_help,
       .slurm = true},
      {.name = "strigger",
       .summary = "programs that run at events of jobs and nodes",
       .way = Way::Trigger,
       .slurm = true,
       .options = strigger_options},
      {"sprio", "what the priority of each pending job is made of", Way::Ask, declare_sprio,
       ask_sprio, show_sprio, true},
      {"sshare", "the shares of accounts and users, and what they have used", Way::Ask,
       declare_sshare_and_help, ask_sshare, show_sshare, true},
      {"sdiag", "what the controller has done since it started", Way::Ask, declare_sdiag, ask_sdiag,
       show_sdiag, true},
  };
}

}  // namespace

const std::vector<Command>& slurm_commands() {
  static const std::vector<Command> table = [] {
    std::vector<Command> all = commands_for_jobs();
    const std::vector<Command> others = commands_for_accounting_and_control();
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }();
  return table;
}

std::optional<Shown> answer_as_daemon(std::string_view program,
                                      const std::vector<std::string>& words) {
  const bool is_controller = program == "slurmctld";
  if (!is_controller && program != "slurmd") return std::nullopt;
  const bool asks_version = words.size() == 1 && (words[0] == "-V" || words[0] == "--version");
  if (asks_version) return Shown{slurm_version_text(), "", exit_ok};
  const std::string ours = is_controller ? "controller" : "worker";
  return slurm_error(program, "this name only answers -V; the daemon here is cox-" + ours +
                                  ", and 'systemctl status coxswain-" + ours + "' shows it");
}

}  // namespace cox
