// A scope of systemd's, as a home for supervisors. They outlive the worker. In the cgroup of its
// own unit they would be left-over processes whenever the unit stops or starts, and systemd warns
// of each. Slurm's slurmd does the same for slurmstepd.
#pragma once

#include <string>
#include <vector>

namespace cox {

// What goes before a program's words so that it begins in a new scope. The scope is there as long
// as it has a process. It sets no bounds, and systemd does not stop it by itself at a shutdown: its
// processes end with all others at the very end, when nobody can take that for their own failure.
std::vector<std::string> scope_words(const std::string& node);

}  // namespace cox
