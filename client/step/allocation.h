// Allocations: what salloc asks for, and srun where there is none yet. Their options are those of
// sbatch but for what concerns a script (allocation_options); the variables they read are SALLOC_*.
//
//   parse_allocation(words)  →  AllocationCommand    salloc
//   plan_allocation(...)     →  AllocationPlan       salloc, and srun from its own options
//   allocation_environment   →  what runs inside it finds there
//
// Pure; client/io/step/allocate.h asks and waits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/step/step_plan.h"
#include "client/submit/submit.h"
#include "common/messages/messages.h"

namespace cox {

struct AllocationCommand {
  GivenOptions given;                // of the first component
  std::vector<GivenOptions> beside;  // of those behind it
  SubmitOptions options;             // these alone: help, version, quiet are final here
  std::vector<std::string> words;    // the command; empty: a shell
};
Result<AllocationCommand> parse_allocation(const std::vector<std::string>& words);

struct AllocationPlan {
  SubmitJob request;  // request_id empty: for the caller
  AllocationOptions asked;
  bool quiet = false;
  std::vector<std::string> warnings;
  std::string options_in_effect;  // of salloc --verbose, for people
};
Result<AllocationPlan> plan_allocation(const AllocationCommand& command,
                                       const SubmitSurroundings& around);
// Of srun: what its options and variables say of a job, of each of its programs a component.
Result<AllocationPlan> plan_allocation(const std::vector<StepCommand>& commands,
                                       const SubmitSurroundings& around);

// Whether srun starts its step in an allocation that there is.
bool has_allocation(const StepCommand& command, const std::vector<std::string>& environment);

// NAME=value: these, with what Slurm says of the job there. REQUIRES: its attempt has begun.
std::vector<std::string> allocation_environment(const std::vector<std::string>& environment,
                                                const JobDetail& detail,
                                                const std::string& cluster_name);

const OptionTable& allocation_options();
std::string allocation_help();

}  // namespace cox
