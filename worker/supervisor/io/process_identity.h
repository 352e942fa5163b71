// Which process a pid meant: pids are used again, so the boot and the start time go with it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "common/base/process_text.h"

namespace cox {

struct ProcessLine {
  pid_t pid = 0;
  ProcessStat stat;
};

// None: there is no such process, or it cannot be told.
std::optional<ProcessLine> read_process(pid_t pid);

// Three lines into an empty file: our boot id, pid and start time in ticks since boot. False:
// errno.
bool write_identity(int file);

// Everything that came from `root`, less `spared` and what came from those. None: /proc could not
// be read (no descriptor or memory left for it), so there may be more.
std::optional<std::vector<pid_t>> living_descendants(pid_t root, const std::vector<pid_t>& spared);

// Those whose environment has the entry NAME=value, and the other one. None: as above.
std::optional<std::vector<pid_t>> living_marked(const std::string& entry,
                                                const std::string& other_entry = "");

// Whether there is a child of this process with such an environment; also when the kernel does not
// tell of children. Who has died has none any more.
bool may_have_marked_child(pid_t parent, const std::string& entry);

}  // namespace cox
