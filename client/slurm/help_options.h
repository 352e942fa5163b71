// scontrol and sacctmgr tell their commands too where their options are told, and by --usage, which
// Slurm's have.
#pragma once

#include "client/options.h"

namespace CLI {
class App;
}

namespace cox {

void declare_scontrol_and_help(CLI::App& app, Options& options);
void declare_sacctmgr_and_help(CLI::App& app, Options& options);
void declare_sreport_and_help(CLI::App& app, Options& options);

}  // namespace cox
