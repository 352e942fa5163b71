// Identifies processes. Pids are reused, so an identity is boot id, pid and start time. Also finds
// processes by descent and by their environment.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/process_text.h"

namespace cox {

struct ProcessLine {
  pid_t pid = 0;
  ProcessStat stat;
};

// Reads a process's /proc entry. None: there is no such process, or it cannot be read.
std::optional<ProcessLine> read_process(pid_t pid);

// Returns all processes. None: /proc could not be read (no descriptors or memory left), so there
// may be more.
std::optional<std::vector<ProcessLine>> list_processes();

// What is known of a process's environment.
struct Environment {
  bool is_unknown = false;  // the process may have any: it may not be read
  std::string block;        // empty also if the process has ended
};
// None: no descriptors or memory left.
std::optional<Environment> environment_of(pid_t pid);

// Returns the parent of the process, its parent, and so on.
std::vector<pid_t> processes_above(pid_t pid, const std::vector<ProcessLine>& all);

// Writes lines to the empty file: the boot id, this process's pid, its start time in ticks since
// boot, and the pids above it. False: errno.
bool write_identity(int file);

// What write_identity() wrote.
struct Identity {
  std::string boot_id;
  pid_t pid = 0;
  std::int64_t start_ticks = 0;
  std::vector<pid_t> above{};  // processes_above() then; one of them is the parent of its orphans
};
// Reads the identity in a supervisor's folder. None: it is not there, not whole or unreadable.
std::optional<Identity> read_identity(const std::string& folder);
// Returns whether the end of a folder's supervisor is known to be no fault of the node: the
// cluster's owner has ended it, or the node has booted since it started.
bool ended_without_fault(const std::string& folder);

// Returns the living descendants of `root`, without `spared` and their descendants. None: as
// for list_processes().
std::optional<std::vector<pid_t>> living_descendants(pid_t root, const std::vector<pid_t>& spared);

// Returns the living processes for which `is_wanted` returns true; it gets the pid and the
// environment block of each process. None: as for list_processes().
using ProcessTest = std::function<bool(pid_t, const std::string& environment)>;
std::optional<std::vector<pid_t>> living_where(const ProcessTest& is_wanted);

// Returns the living processes whose environment has both entries, NAME=value each; an empty
// `other_entry` is not checked. None: as for list_processes().
std::optional<std::vector<pid_t>> living_marked(const std::string& entry,
                                                const std::string& other_entry = "");

// Returns whether `parent` has a child whose environment has the entry. Also true if the kernel
// does not list children. A process that has ended has no entries.
bool may_have_marked_child(pid_t parent, const std::string& entry);

}  // namespace cox
