// Carries out a command: question, exchange, answer. The ways that are more than one exchange have
// their own files (submit.cpp, wait.cpp, logs.cpp, checkpoint_done.cpp, private_cluster.cpp).
#pragma once

#include <string>
#include <vector>

#include "client/command.h"
#include "client/io/ask.h"
#include "client/submit/submit.h"

namespace cox {

// The whole program but for finding out which command it is. Returns its exit code.
int run_command(const Command& command, const std::vector<std::string>& words);

// What the ways share. Session: the cluster's configuration and the way to its controller.
struct Session {
  ClientConfig config;
  std::unique_ptr<Poller> poller;
  std::unique_ptr<Asker> controller;
};
Result<Session> open_session(const std::string& config_given);
Result<ClientConfig> find_client_config(const std::string& config_given);
Result<SubmitSurroundings> look_around();  // environment, folder, host and time
Surroundings surroundings();               // of the commands that read tables of words

std::string own_user_name();
int print_refusal(const Command& command, const Refusal& why, const Options& options,
                  int exit_code);

// Of the words of a command line; where Slurm's programs know more exit codes than one.
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
int run_control(const Command& command, const Options& options);
int run_administer(const Command& command, const Options& options);
int run_records(const Command& command, Options options);
int run_report(const Command& command, Options options);
int run_sample(const Command& command, const Options& options);
int run_simulate(const Command& command, const std::vector<std::string>& words);
int run_snapshot(const Command& command, const Options& options);
int run_replay(const Command& command, const Options& options);
// Of the job that the options name. Progress is told but for Slurm's commands.
int follow_to_end(const Command& command, Session& session, const Options& options);
int run_wait(const Command& command, const Options& options);
int run_logs(const Command& command, const Options& options);
int run_checkpoint_done(const Command& command, const Options& options);
int run_events(const Command& command, const Options& options);
int run_progress(const Command& command, const Options& options);
int run_checkpoint_orphans(const Command& command, const Options& options);
int run_up(const Command& command, const Options& options);
int run_down(const Command& command, const Options& options);
int run_status(const Command& command, const Options& options);
int run_demo(const Command& command, const Options& options);
int run_config_check(const Command& command, const Options& options);
int run_import(const Command& command, const Options& options);
int run_doctor(const Command& command, const Options& options);
int run_key_make(const Command& command, const Options& options);

}  // namespace cox
