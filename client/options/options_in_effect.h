// Lists the options in effect, as --verbose of sbatch, salloc and srun prints them first: from the
// command line, the environment and the script, one on each line and sorted by name, in Slurm's
// layout.
//
//   sbatch: defined options
//   sbatch: -------------------- --------------------
//   sbatch: account             : physics
//   sbatch: time                : 00:03:00
//   sbatch: verbose             : 1
//   sbatch: -------------------- --------------------
//   sbatch: end of defined options
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "client/options/submit_options.h"
#include "client/text/moment_format.h"

namespace cox {

// Returns the list, or an empty text unless `asked` has --verbose. Each line begins with `program`.
std::string options_in_effect(std::string_view program, const SubmitOptions& asked,
                              const LocalTime& here, const std::string& work_dir);

}  // namespace cox
