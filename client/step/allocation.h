// Plans the job that salloc submits to get an allocation, and the one that srun submits if it runs
// outside any allocation. salloc has the options of sbatch except those about a script
// (allocation_options()), and reads the variables SALLOC_*.
//
//   parse_allocation(words)  →  AllocationCommand    salloc
//   plan_allocation(...)     →  AllocationPlan       salloc, and srun from its own options
//   allocation_environment   →  environment of the programs that run in it
//
// Pure; client/io/step/allocate.h sends the request and waits for the allocation.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client/step/step_plan.h"
#include "client/submit/submit.h"
#include "common/messages/messages.h"

namespace cox {

struct AllocationCommand {
  GivenOptions given;                // options of the first component of the job
  std::vector<GivenOptions> beside;  // options of its other components, after each ":"
  // values from the command line, without variables; complete for --help, --version and --quiet
  SubmitOptions options;
  std::vector<std::string> words;  // the command to run in the allocation; empty: a shell
};
Result<AllocationCommand> parse_allocation(const std::vector<std::string>& words);

struct AllocationPlan {
  SubmitJob request;  // complete except for request_id, which the caller sets
  AllocationOptions asked;
  bool quiet = false;
  std::vector<std::string> warnings;
  std::string options_in_effect;  // what salloc --verbose prints first
};
Result<AllocationPlan> plan_allocation(const AllocationCommand& command,
                                       const SubmitSurroundings& around);
// Plans the allocation of an srun that runs outside any allocation, from its options and variables.
// Each program of `srun A : B` becomes a component of the job.
Result<AllocationPlan> plan_allocation(const std::vector<StepCommand>& commands,
                                       const SubmitSurroundings& around);

// Returns whether srun runs its step in an existing allocation: --jobid or SLURM_JOB_ID is set.
bool has_allocation(const StepCommand& command, const std::vector<std::string>& environment);

// Returns the environment (NAME=value) for a program in the allocation: the caller's, with Slurm's
// variables of the job. `addresses`: of nodes, for those of a private cluster, whose names are no
// names of hosts. REQUIRES: the job has an attempt.
using AddressOfNode = std::map<std::string, std::string>;
std::vector<std::string> allocation_environment(const std::vector<std::string>& environment,
                                                const JobDetail& detail,
                                                const std::string& cluster_name,
                                                const AddressOfNode& addresses = {});

const OptionTable& allocation_options();
std::string allocation_help();

}  // namespace cox
