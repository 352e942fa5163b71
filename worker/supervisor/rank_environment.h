// The environment of one rank: the user's, as submitted, then ours, which wins. A gang's ranks get
// Slurm's step variables and those of torchrun; a batch script gets exactly the batch variables.
// Pure; the supervisor adds SLURM_TASK_PID when it knows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/variables.h"
#include "common/job/attempt.h"

namespace cox {

// NAME=value each, sorted by name. `folder` is the supervisor's own.
std::vector<std::string> rank_environment(const LaunchSpec& launch, const GoOrder& go,
                                          std::int32_t rank, const std::string& folder);

// What programs that save need, of either kind of rank. `folder` is the supervisor's own.
void set_ours(Variables& v, const LaunchSpec& launch, std::int32_t rank, const std::string& folder);

// Sets the variable with the signals that ask this process to save; see Supervision::ask_to_save.
// `is_script`: the process is a batch script, not a rank or a task.
void set_checkpoint_signal(Variables& v, const JobSpec& spec, bool is_script);

// Where the attempt saves, and what it resumes from; empty: nowhere, from nothing.
std::string checkpoint_dir(const LaunchSpec& launch);
std::string resume_dir(const LaunchSpec& launch);

// What a process of this attempt on this node carries in its environment, NAME=value.
std::string attempt_mark(const std::string& folder);

}  // namespace cox
