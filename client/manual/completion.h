// Writes completions for the shells. They complete commands, options, the values of options that
// have only a few valid ones, and the names of jobs, nodes, partitions and accounts of the running
// cluster.
#pragma once

#include <string>
#include <vector>

#include "client/manual/manual.h"

namespace cox {

std::string bash_completion(const std::vector<ManualCommand>& commands);
std::string zsh_completion(const std::vector<ManualCommand>& commands);
std::string fish_completion(const std::vector<ManualCommand>& commands);

// Shell commands for all three shells that print names of the cluster, one a line, within 1 s.
inline constexpr const char* list_jobs =
    "timeout 1 cox queue 2> /dev/null < /dev/null | awk 'NR > 1 {print $1}'";
inline constexpr const char* list_nodes =
    "timeout 1 cox nodes 2> /dev/null < /dev/null | awk 'NR > 1 {print $1}'";
inline constexpr const char* list_partitions =
    "timeout 1 cox show partitions 2> /dev/null < /dev/null | "
    "awk 'NR > 1 {sub(/[*]$/, \"\", $1); print $1}'";
inline constexpr const char* list_accounts =
    "timeout 1 sacctmgr -nP show account format=account 2> /dev/null < /dev/null";

struct Lister {
  const char* list;  // name, such as "jobs"; the shell function is _cox_jobs
  const char* command;
};
inline constexpr Lister listers[] = {{"jobs", list_jobs},
                                     {"nodes", list_nodes},
                                     {"partitions", list_partitions},
                                     {"accounts", list_accounts}};
// Returns the name of the list (see `listers`) that completes an operand such as "JOB". Empty:
// there is none.
std::string list_of_operand(const std::string& operand);

}  // namespace cox
