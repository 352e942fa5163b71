// Nodes that a file names: that of SLURM_HOSTFILE, or of --nodelist with a "/" in it. One node a
// line, or several behind commas; "n1*3" stands for n1 three times; "#" begins a comment. With
// --distribution=arbitrary, and with SLURM_HOSTFILE always, the names are the nodes of the tasks,
// in their order. For client/submit, client/allocation and client/step_plan. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/submit.h"
#include "common/result.h"

namespace cox {

// "" where it is not set.
std::string host_file_variable(const std::vector<std::string>& environment);
// sbcast copies to all nodes of a job, whatever that file says.
void forget_host_file(std::vector<std::string>& environment);

// The names in the file's order, with those that are there several times.
Result<std::vector<std::string>> parse_host_file(std::string_view text, const std::string& path);
Result<std::vector<std::string>> read_host_file(const std::string& path, const ReadFile& read_file);

// Leaves the first `count` of them, for so many tasks; 0: all. A Refusal: there are fewer.
Failure keep_first_hosts(std::vector<std::string>& names, std::int64_t count);

// Each once, in the order that all lists of nodes have.
std::vector<std::string> nodes_among(std::vector<std::string> names);

// Of a job: what its file of nodes, or `names` if it has none, comes to. `as_listed`: tasks go
// where the list says, so every node is to have room for as many as the busiest gets.
struct HostsOfJob {
  std::string variable;              // the path in SLURM_HOSTFILE; empty: it is not set
  bool as_listed = false;            // by --distribution
  std::vector<std::string> names{};  // of --nodelist, in order
};
// Of sbatch and salloc, as their options say it.
HostsOfJob hosts_of(const SubmitOptions& asked, const SubmitSurroundings& around);
Failure settle_hosts_of_job(const HostsOfJob& hosts, const ReadFile& read_file,
                            SubmitOptions& asked);

}  // namespace cox
