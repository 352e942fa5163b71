// The option tables of sacct, sstat and seff. Pure.
#pragma once

#include "client/command.h"
#include "client/slurm/records/record_options.h"

namespace cox {

extern const CommandLineOf<SacctOptions> sacct_line;
extern const CommandLineOf<SstatOptions> sstat_line;
extern const CommandLineOf<SeffOptions> seff_line;

}  // namespace cox
