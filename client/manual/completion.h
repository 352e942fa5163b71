// Completions for the shells: commands, options, the values of options that have few, job ids and
// node names of the cluster that answers.
#pragma once

#include <string>
#include <vector>

#include "client/manual/manual.h"

namespace cox {

std::string bash_completion(const std::vector<ManualCommand>& commands);
std::string zsh_completion(const std::vector<ManualCommand>& commands);
std::string fish_completion(const std::vector<ManualCommand>& commands);

// Shared by the three: what prints the cluster's job ids and nodes, and soon gives up.
inline constexpr const char* list_jobs =
    "timeout 1 cox queue 2> /dev/null < /dev/null | awk 'NR > 1 {print $1}'";
inline constexpr const char* list_nodes =
    "timeout 1 cox nodes 2> /dev/null < /dev/null | awk 'NR > 1 {print $1}'";

}  // namespace cox
