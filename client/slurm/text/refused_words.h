// Translates refusals of the controller into Slurm's texts, since tools search for these. Pure.
#pragma once

#include <string>

#include "common/base/result.h"

namespace cox {

inline constexpr const char* invalid_job_id = "Invalid job id specified";
inline constexpr const char* job_has_ended = "Job/step already completing or completed";

// Returns Slurm's text for the refusal. If Slurm has none, returns the refusal's fact unchanged.
std::string slurm_words(const Refusal& why);

// Returns a refusal with the fact "FAILED: TEXT", where TEXT is Slurm's text. If TEXT differs from
// the fact of `why`, the hint begins with that fact.
Refusal refused_job(const std::string& failed, const Refusal& why);

// Returns the exit code of sbatch, salloc and srun when their options are refused: 255. As in
// Slurm, it is 1 for a value that is not a number, and for an invalid array or too many nodes,
// since these are refused by Slurm's controller.
int slurm_exit_code(const Refusal& why);

// Returns the first of the two error lines that sbatch, salloc and srun print for some refusals, as
// in Slurm. Empty for other refusals.
std::string slurm_prelude(const Refusal& why);

}  // namespace cox
