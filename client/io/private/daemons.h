// Processes that outlive the command that starts them: the parts of a private cluster. A process is
// known by its pid and its start time, so that a later one with the same pid is never signalled.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"

namespace cox {

struct Daemon {
  std::string name;  // "controller", "worker-n1"
  pid_t pid = 0;
  std::int64_t start_time = 0;  // field 22 of /proc/PID/stat
};

// The start time of a process that runs; nothing for one that is gone or a zombie.
std::optional<std::int64_t> start_time_of(pid_t pid);
bool is_running(const Daemon& daemon);

// The account a daemon runs as; empty: our own.
struct Account {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
};
Result<Account> find_account(const std::string& name);

// In a session of its own, reading nothing, writing both streams to the end of the log file.
Result<Daemon> start_daemon(const std::string& name, const std::vector<std::string>& command,
                            const std::string& log_file, const std::optional<Account>& account);

// Runs a command to its end; a Refusal has the end of what it said.
Failure run_to_end(const std::vector<std::string>& command, const std::string& log_file,
                   const std::optional<Account>& account);

// Sends `signal` to each and waits until they are gone; those that are not in time are killed.
// The names of the ones that were killed.
std::vector<std::string> stop_daemons(const std::vector<Daemon>& daemons, int signal,
                                      Milliseconds patience);

// The pids file: one "name pid start_time" a line. Only those that still run are returned.
std::vector<Daemon> read_daemons(const std::string& path);
Failure write_daemons(const std::string& path, const std::vector<Daemon>& daemons);

std::string last_lines(const std::string& path, std::size_t count);

}  // namespace cox
