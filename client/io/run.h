// Carries out commands: sends one request, receives its reply and shows it. Commands that need more
// have files of their own (submit.cpp, wait.cpp, logs.cpp, checkpoint_done.cpp,
// private_cluster.cpp).
#pragma once

#include <string>
#include <vector>

#include "client/cluster_lines.h"
#include "client/command.h"
#include "client/io/ask.h"
#include "client/job_lines.h"
#include "client/slurm/control/scontrol.h"
#include "client/slurm/records/record_options.h"
#include "client/slurm/records/sacctmgr.h"
#include "client/slurm/records/sreport_request.h"
#include "client/submit/submit.h"

namespace cox {

// Runs a command with the words after its name. Returns the exit code of the program.
int run_command(const Command& command, const std::vector<std::string>& words);

// The configuration of the cluster and the connection to its controller.
struct Session {
  ClientConfig config;
  std::unique_ptr<Poller> poller;
  std::unique_ptr<Asker> controller;
};
Result<Session> open_session(const std::string& config_given);
Result<ClientConfig> find_client_config(const std::string& config_given);
// Reads what a submission needs from this process: environment, current folder, host and time.
Result<SubmitSurroundings> submit_surroundings();
// Reads the facts on which the parsing of a command line may depend: variables, user, host.
Surroundings surroundings();

std::string own_user_name();
int print_refusal(const Command& command, const Refusal& why, const Options& options,
                  int exit_code);

// Prints the refusal of a command line. Returns the exit code; for Slurm's commands, the one that
// Slurm uses for this error.
int refuse_words(const Command& command, const Refusal& why, const Options& options = {},
                 int exit_code = exit_usage);

int run_listing(const Command& command, const std::vector<std::string>& words);
int run_submit(const Command& command, const std::vector<std::string>& words);
int run_srun(const Command& command, const std::vector<std::string>& words);
int run_sattach(const Command& command, const std::vector<std::string>& words);
int run_sbcast(const Command& command, const std::vector<std::string>& words);
int run_strigger(const Command& command, const std::vector<std::string>& words);
int run_salloc(const Command& command, const std::vector<std::string>& words);
int run_scrontab(const Command& command, const std::vector<std::string>& words);
int run_cancel(const Command& command, const std::vector<std::string>& words);
int run_control(const Command& command, const ScontrolOptions& options);
int run_administer(const Command& command, const SacctmgrOptions& options);
int run_records(const Command& command, SacctOptions& options);
int run_efficiency(const Command& command, SeffOptions& options);
int run_report(const Command& command, SreportOptions& options);
int run_sample(const Command& command, const SstatOptions& options);
int run_simulate(const Command& command, const std::vector<std::string>& words);
int run_snapshot(const Command& command, const FileOptions& options);
int run_replay(const Command& command, const ReplayOptions& options);
// Waits until the job that the options name has ended, and returns its exit code. With
// `shows_progress` each change is shown on stderr.
int follow_to_end(const Command& command, Session& session, const JobsOptions& options,
                  bool shows_progress);
int run_wait(const Command& command, const JobsOptions& options);
int run_logs(const Command& command, const LogsOptions& options);
int run_checkpoint_done(const Command& command, const CheckpointDoneOptions& options);
int run_checkpoint_finished(const Command& command, const Options& options);
int run_events(const Command& command, const EventsOptions& options);
int run_progress(const Command& command, const ProgressOptions& options);
int run_checkpoint_orphans(const Command& command, const Options& options);
int run_up(const Command& command, const UpOptions& options);
int run_down(const Command& command, const DownOptions& options);
int run_status(const Command& command, const StatusOptions& options);
int run_demo(const Command& command, const DemoOptions& options);
int run_config_check(const Command& command, const FileOptions& options);
int run_import(const Command& command, const ImportOptions& options);
int run_doctor(const Command& command, const Options& options);
int run_key_make(const Command& command, const KeyOptions& options);

}  // namespace cox
