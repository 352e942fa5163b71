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
// Removes SLURM_HOSTFILE and SLURM_CONTAINER from the environment of a step that copies a file
// (sbcast, srun --bcast). That step must run on all nodes of the job and outside any container.
void forget_places_of_steps(std::vector<std::string>& environment);

// Parses the text of a file of node names. Returns the names in the order of the file, also
// repeated ones. `path` is for refusals.
Result<std::vector<std::string>> parse_host_file(std::string_view text, const std::string& path);
Result<std::vector<std::string>> read_host_file(const std::string& path, const ReadFile& read_file);

// Shortens the list to its first `count` names, one for each task; 0 keeps all. Refuses a list with
// fewer names.
Failure keep_first_hosts(std::vector<std::string>& names, std::int64_t count);

// Returns each name once, sorted as node lists are (n2 before n10).
std::vector<std::string> nodes_among(std::vector<std::string> names);

// Sources of a job's node list besides --nodelist=FILE: the file in SLURM_HOSTFILE, and `names`.
// With `as_listed`, task i runs on the i-th listed node, so every node needs CPUs for as many tasks
// as the node that is listed most often.
struct HostsOfJob {
  std::string variable;              // the path in SLURM_HOSTFILE; empty: not set
  bool as_listed = false;            // --distribution=arbitrary
  std::vector<std::string> names{};  // --nodelist, in order
};
// Returns the sources that the options and variables of sbatch or salloc give.
// resolve_hosts_of_job() reads the file and sets the node list of the job.
HostsOfJob hosts_of(const SubmitOptions& asked, const SubmitSurroundings& around);
Failure resolve_hosts_of_job(const HostsOfJob& hosts, const ReadFile& read_file,
                             SubmitOptions& asked);

}  // namespace cox
