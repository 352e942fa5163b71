// What each command's line may say, in terms of CLI11.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "client/command.h"

namespace cox {

void declare_queue(CLI::App& app, Options& options);
void declare_nothing(CLI::App& app, Options& options);
void declare_job(CLI::App& app, Options& options);     // JOB
void declare_jobs(CLI::App& app, Options& options);    // JOB...
void declare_update(CLI::App& app, Options& options);  // JOB CHANGE...
void declare_node(CLI::App& app, Options& options);    // NODE
void declare_drain(CLI::App& app, Options& options);
void declare_fence(CLI::App& app, Options& options);
void declare_partitions(CLI::App& app, Options& options);
void declare_resume(CLI::App& app, Options& options);
void declare_reserve(CLI::App& app, Options& options);      // NAME SETTING...
void declare_reservation(CLI::App& app, Options& options);  // NAME
void declare_logs(CLI::App& app, Options& options);
void declare_checkpoint_done(CLI::App& app, Options& options);
void declare_events(CLI::App& app, Options& options);
void declare_progress(CLI::App& app, Options& options);
void declare_checkpoints(CLI::App& app, Options& options);         // JOB...
void declare_remove_checkpoints(CLI::App& app, Options& options);  // JOB
void declare_up(CLI::App& app, Options& options);
void declare_down(CLI::App& app, Options& options);
void declare_status(CLI::App& app, Options& options);
void declare_demo(CLI::App& app, Options& options);
void declare_config_check(CLI::App& app, Options& options);  // FILE
void declare_import(CLI::App& app, Options& options);        // FILE...
void declare_snapshot(CLI::App& app, Options& options);
void declare_replay(CLI::App& app, Options& options);
void declare_key_make(CLI::App& app, Options& options);  // NAME
void declare_sacctmgr(CLI::App& app, Options& options);
void declare_sreport(CLI::App& app, Options& options);
void declare_scontrol(CLI::App& app, Options& options);
void declare_sprio(CLI::App& app, Options& options);
void declare_sshare(CLI::App& app, Options& options);
void declare_sdiag(CLI::App& app, Options& options);

// The task that a command about one job names, or the first of several; nothing: the job itself.
std::optional<std::int64_t> task_of(const Options& options);
// Several tasks, which are to be those of one row of the queue; empty: it names none, or one.
std::string row_of(const Options& options);

// Reads the words behind the command's name; or the text of --help, or a Refusal.
using Parsed = std::variant<Options, std::string, Refusal>;
Parsed parse_options(const Command& command, const std::vector<std::string>& words);

// What a command's line may say, as a list: for its man page and for completion.
struct DeclaredOption {
  std::vector<std::string> names;  // "-a", "--all"; for an operand "JOB"
  std::string value_name;          // "TEXT", "INT"; empty: it takes none
  std::string help;
  bool operand = false;
  bool required = false;
  bool many = false;
};
// REQUIRES: command.declare is there; the others have tables of their own.
std::vector<DeclaredOption> declared_options(const Command& command);

}  // namespace cox
