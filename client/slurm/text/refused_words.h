// Slurm's own words for what the controller refuses: tools look for them. Pure.
#pragma once

#include <string>

#include "common/base/result.h"

namespace cox {

inline constexpr const char* invalid_job_id = "Invalid job id specified";
inline constexpr const char* job_has_ended = "Job/step already completing or completed";

// Those that it does not have stay ours.
std::string slurm_words(const Refusal& why);

// "FAILED: words", and as the hint what more there is to say of it.
Refusal refused_job(const std::string& failed, const Refusal& why);

// The exit code of sbatch, salloc and srun when their options are refused: 255, but 1 for a value
// that is not a number, and for an invalid array or too many nodes, which Slurm's controller
// refuses.
int slurm_exit_code(const Refusal& why);

// Of a job that was not taken: what sbatch, salloc and srun say before they say that it failed;
// empty: nothing.
std::string slurm_prelude(const Refusal& why);

}  // namespace cox
