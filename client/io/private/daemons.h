// The processes of a private cluster, which outlive the command that starts them. A process is
// identified by pid and start time, so that a later one with the same pid is never signalled.
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
  std::int64_t start_time = 0;  // clock ticks since boot: field 22 of /proc/PID/stat
};

// Returns the start time of a running process, in clock ticks since boot. Nothing if it is gone or
// a zombie.
std::optional<std::int64_t> start_time_of(pid_t pid);
bool is_running(const Daemon& daemon);

// The user account that a daemon runs as. Where it is optional, nullopt means the caller's account.
struct Account {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
};
Result<Account> find_account(const std::string& name);

// Starts a daemon in a new session. Standard input is /dev/null; stdout and stderr are appended to
// the log file.
Result<Daemon> start_daemon(const std::string& name, const std::vector<std::string>& command,
                            const std::string& log_file, const std::optional<Account>& account);

// Runs a command to its end. If it fails, the Refusal quotes the last lines of the log file.
Failure run_to_end(const std::vector<std::string>& command, const std::string& log_file,
                   const std::optional<Account>& account);

// Sends `signal` to each daemon and waits until all have ended. After `patience`, sends SIGKILL to
// the rest. Returns the names of those that were killed.
std::vector<std::string> stop_daemons(const std::vector<Daemon>& daemons, int signal,
                                      Milliseconds patience);

// Reads the pids file, which has a line "name pid start_time" for each daemon. Returns only daemons
// that still run; none if there is no such file. A Refusal if it cannot be read or is damaged: the
// daemons may run then.
Result<std::vector<Daemon>> read_daemons(const std::string& path);
Failure write_daemons(const std::string& path, const std::vector<Daemon>& daemons);

std::string last_lines(const std::string& path, std::size_t count);

}  // namespace cox
