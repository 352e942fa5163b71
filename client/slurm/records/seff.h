// seff: reports which part of its CPUs and memory a job has used, from the same records as sacct.
// Pure.
#pragma once

#include "client/command.h"
#include "client/slurm/records/record_options.h"

namespace cox {

Question ask_seff(const SeffOptions& options);
Shown show_seff(const Answer& answer, const SeffOptions& options, const Screen& screen);

}  // namespace cox
