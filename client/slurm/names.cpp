#include "client/slurm/names.h"

#include "client/slurm/control/scontrol.h"
#include "client/slurm/list/scancel.h"
#include "client/slurm/list/sdiag.h"
#include "client/slurm/list/sinfo.h"
#include "client/slurm/list/sinfo_request.h"
#include "client/slurm/list/sprio.h"
#include "client/slurm/list/squeue.h"
#include "client/slurm/list/squeue_request.h"
#include "client/slurm/records/record_lines.h"
#include "client/slurm/records/sacct.h"
#include "client/slurm/records/sacctmgr.h"
#include "client/slurm/records/seff.h"
#include "client/slurm/records/sreport_request.h"
#include "client/slurm/records/sshare.h"
#include "client/slurm/sattach.h"
#include "client/slurm/sbcast.h"
#include "client/slurm/scrontab.h"
#include "client/slurm/strigger.h"
#include "client/slurm/text/option_words.h"
#include "client/slurm/text/version_text.h"

namespace cox {
namespace {

std::vector<Command> commands_for_jobs() {
  return {
      {.name = "sbatch", .summary = "queue a batch script", .run = Run::Submit, .slurm = true},
      {.name = "srun",
       .summary = "run a program as the tasks of a step, in an allocation or one of its own",
       .run = Run::Step,
       .slurm = true},
      {.name = "salloc",
       .summary = "allocate nodes while a shell or a command runs here",
       .run = Run::Allocate,
       .slurm = true},
      {.name = "sbcast",
       .summary = "copy a file to every node of a job",
       .run = Run::Broadcast,
       .slurm = true,
       .options = broadcast_options},
      {.name = "sattach",
       .summary = "see the output of a running step, and send it input",
       .run = Run::Attach,
       .slurm = true,
       .options = attach_options},
      {.name = "squeue",
       .summary = "pending and running jobs",
       .run = Run::List,
       .slurm = true,
       .listing = read_squeue,
       .options = squeue_options},
      {.name = "scancel",
       .summary = "end jobs, or send them signals",
       .run = Run::CancelMatching,
       .slurm = true,
       .options = scancel_options},
      {.name = "scrontab",
       .summary = "repeat jobs at the times of a crontab",
       .run = Run::Crontab,
       .slurm = true,
       .options = scrontab_options},
      {.name = "sinfo",
       .summary = "partitions and the states of their nodes",
       .run = Run::List,
       .slurm = true,
       .listing = read_sinfo,
       .options = sinfo_options},
  };
}

std::vector<Command> commands_for_accounting_and_control() {
  return {
      asking<ask_sacctmgr, show_sacctmgr>(
          "sacctmgr", "accounts, their users and limits: add, modify, delete, show", sacctmgr_line,
          Run::Administer, true),
      asking<ask_sacct, show_sacct>("sacct", "jobs of all times, and what they used", sacct_line,
                                    Run::Records, true),
      asking<ask_seff, show_seff>("seff", "how well a job has used what it was granted", seff_line,
                                  Run::Efficiency, true),
      {.name = "sreport",
       .summary = "what was used in a span of time, by account, user and size of jobs",
       .run = Run::Report,
       .line = &sreport_line,
       .slurm = true},
      {.name = "sstat",
       .summary = "what the steps of running jobs use now",
       .run = Run::Sample,
       .line = &sstat_line,
       .slurm = true},
      {.name = "scontrol",
       .summary = "show and change jobs, nodes, partitions and reservations",
       .run = Run::Control,
       .line = &scontrol_line,
       .slurm = true},
      {.name = "strigger",
       .summary = "programs that run at events of jobs and nodes",
       .run = Run::Trigger,
       .slurm = true,
       .options = strigger_options},
      asking<ask_sprio, show_sprio>("sprio", "the factors of each pending job's priority",
                                    sprio_line, Run::Ask, true),
      asking<ask_sshare, show_sshare>("sshare",
                                      "the shares of accounts and users, and what they have used",
                                      sshare_line, Run::Ask, true),
      asking<ask_sdiag, show_sdiag>("sdiag", "what the controller has done since it started",
                                    sdiag_line, Run::Ask, true),
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
  return slurm_error(program, "only -V is supported; the daemon is cox-" + ours +
                                  ", see 'systemctl status coxswain-" + ours + "'");
}

}  // namespace cox
