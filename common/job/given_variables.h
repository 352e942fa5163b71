// Which environment variables a process was given by its job: RANK, MASTER_ADDR, PMIX_RANK,
// CUDA_VISIBLE_DEVICES and so on. They describe that process alone. What it starts with sbatch,
// salloc or srun gets none of them, unless the user has set another value. Variables named SLURM_*
// and COX_* are not listed: job_variables.h has these. Used by the supervisor and the step daemon,
// which give variables, and by all that make an environment from that of a caller. Pure.
#pragma once

#include "common/base/variables.h"

namespace cox {

// Records in `v` which variables it has that `before` lacks or has with another value.
void note_given(Variables& v, const Variables& before);
// The same for an environment of NAME=value entries; `before` is a block of such entries, each with
// a 0 byte at its end. An entry replaces earlier ones of its name.
void note_given(std::vector<std::string>& entries, const std::string& before);

// Removes the variables that note_given() has recorded and that still have the same value; and the
// record.
void drop_given(Variables& v);

}  // namespace cox
