// A scope of systemd's, as a home for supervisors. They outlive the worker. In the cgroup of its
// own unit they would be left-over processes whenever the unit stops or starts, and systemd warns
// of each. Slurm's slurmd does the same for slurmstepd.
#pragma once

#include <string>
#include <vector>

namespace cox {

// Returns the words before a command that start it in a new scope. The scope exists while it has a
// process. It sets no limits. At a shutdown systemd does not stop the scope early: its processes
// end with the last ones, so that no job is recorded as failed by itself.
std::vector<std::string> scope_words(const std::string& node);

}  // namespace cox
