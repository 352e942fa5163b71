// A systemd scope for supervisors, which outlive the worker. Without the scope they would be in the
// cgroup of the worker's unit, and systemd would warn about left-over processes whenever the unit
// stops or starts. slurmd makes such a scope for slurmstepd.
#pragma once

#include <string>
#include <vector>

namespace cox {

// Returns the systemd-run command that, put before another command, starts it in a new scope. The
// scope exists while it has a process, and sets no limits. At a shutdown of the machine systemd
// kills the scope's processes last, when the worker has ended: so no job is recorded as failed
// because the shutdown killed its processes.
std::vector<std::string> scope_words(const std::string& node);

}  // namespace cox
