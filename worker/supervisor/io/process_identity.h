// Which process a pid meant: pids are used again, so the boot and the start time go with it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cox {

// One line of /proc/PID/stat, as far as it is needed here.
struct ProcessLine {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = 0;  // 'Z': exited, not yet reaped
  std::int64_t start_ticks = 0;
};

std::vector<ProcessLine> list_processes();

// Three lines: boot id, pid, start time in ticks since boot.
std::string own_identity();

// Everything that came from `root`, less `spared` and what came from those.
std::vector<pid_t> living_descendants(pid_t root, const std::vector<pid_t>& spared);

// Those whose environment has the entry NAME=value.
std::vector<pid_t> living_marked(const std::string& entry);

}  // namespace cox
