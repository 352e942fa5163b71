// Reads node names from a file: the one in SLURM_HOSTFILE, or --nodelist if its value contains "/".
// A line holds one node, or several separated by commas; "n1*3" means n1 three times; "#" begins a
// comment. With --distribution=arbitrary, and always with SLURM_HOSTFILE, the names are the nodes
// of the tasks, in order. Used by client/submit/submit, client/step/allocation and
// client/step/step_plan. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/options/submit_options.h"
#include "client/options/submit_surroundings.h"
#include "common/base/result.h"

namespace cox {

// Returns the path in SLURM_HOSTFILE; "" if the variable is not set.
std::string host_file_variable(const std::vector<std::string>& environment);
// Removes SLURM_HOSTFILE and SLURM_CONTAINER: copies of a file go to all nodes of the job, and not
// into a container.
void forget_places_of_steps(std::vector<std::string>& environment);

// Returns the names in the order of the file. Repeated names stay.
Result<std::vector<std::string>> parse_host_file(std::string_view text, const std::string& path);
Result<std::vector<std::string>> read_host_file(const std::string& path, const ReadFile& read_file);

// Keeps the first `count` names, one for each task; 0 keeps all. Refused if there are fewer names.
Failure keep_first_hosts(std::vector<std::string>& names, std::int64_t count);

// Returns each name once, in the order that all node lists have.
std::vector<std::string> nodes_among(std::vector<std::string> names);

// The node list of a job: its file of nodes, or `names` if there is no file. With `as_listed`, each
// task runs on its listed node, so every node needs room for the tasks of the busiest node.
struct HostsOfJob {
  std::string variable;              // the path in SLURM_HOSTFILE; empty: not set
  bool as_listed = false;            // --distribution=arbitrary
  std::vector<std::string> names{};  // --nodelist, in order
};
// Returns the node list that the options of sbatch or salloc ask for.
HostsOfJob hosts_of(const SubmitOptions& asked, const SubmitSurroundings& around);
Failure settle_hosts_of_job(const HostsOfJob& hosts, const ReadFile& read_file,
                            SubmitOptions& asked);

}  // namespace cox
