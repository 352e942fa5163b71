// The environment of one rank: that of the submitting process, overridden by Coxswain's variables.
// A gang's ranks get Slurm's step variables and those of torchrun; a batch script gets only the
// variables that Slurm sets for batch scripts. Pure; the supervisor adds SLURM_TASK_PID in the
// rank's process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/variables.h"
#include "common/job/attempt.h"

namespace cox {

// Returns the rank's variables, NAME=value each, sorted by name. `folder`: the supervisor's folder.
std::vector<std::string> rank_environment(const LaunchSpec& launch, const GoOrder& go,
                                          std::int32_t rank, const std::string& folder);

// Sets the variables with which programs save and resume (COX_...). `folder`: the supervisor's
// folder.
void set_ours(Variables& v, const LaunchSpec& launch, std::int32_t rank, const std::string& folder);

// Sets the variable with the signals that ask this process to save; see Supervision::ask_to_save.
// `is_script`: the process is a batch script, not a rank or a task.
void set_checkpoint_signal(Variables& v, const JobSpec& spec, bool is_script);

// These return the folder in which the attempt saves, and the folder from which it resumes; empty:
// none.
std::string checkpoint_dir(const LaunchSpec& launch);
std::string resume_dir(const LaunchSpec& launch);

// Returns the variable, NAME=value, that marks every process of this attempt on this node.
std::string attempt_mark(const std::string& folder);

}  // namespace cox
