// The prolog and the epilog of a node: programs of the site, as Slurm's Prolog and Epilog. The
// supervisor runs them as the worker's user: the prolog before anything of the attempt is on the
// node, the epilog when nothing of it is left there. Here are only their environment and the texts
// of their failures. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/job/attempt.h"

namespace cox {

enum class NodeProgram : std::uint8_t { None, Prolog, Epilog };

// Returns the program's path; empty: the site has none.
std::string path_of(NodeProgram which, const SitePrograms& site);

// Returns the program's environment, NAME=value each: Slurm's variables and a PATH of the system's
// folders. No variable of the user's is in it. `go`: when the job started; for the prolog, the
// present time. `status`: the state of the attempt here, for the exit codes in the
// epilog's environment.
std::vector<std::string> node_program_environment(NodeProgram which, const LaunchSpec& launch,
                                                  const GoOrder& go, const AttemptStatus& status);

// Returns the reason for which the node is drained, such as "Prolog error: exit code 3: no such
// mount". `how`: how the program ended. `output`: what it wrote, of which the first line is shown.
std::string node_program_error(NodeProgram which, const std::string& how,
                               const std::string& output);

}  // namespace cox
