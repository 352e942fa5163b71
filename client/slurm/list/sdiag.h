// sdiag: prints the controller's statistics since it started, in Slurm's format. Pure.
#pragma once

#include "client/command.h"

namespace cox {

extern const CommandLineOf<Options> sdiag_line;
Question ask_sdiag(const Options& options);
Shown show_sdiag(const Answer& answer, const Options& options, const Screen& screen);

}  // namespace cox
