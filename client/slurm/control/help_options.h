// Defines --help and --usage of scontrol, sacctmgr, sreport and sshare. The first three programs
// also list their commands. The headings are those of Slurm's programs.
#pragma once

#include "client/options.h"

namespace CLI {
class App;
}

namespace cox {

void declare_scontrol_and_help(CLI::App& app, Options& options);
void declare_sacctmgr_and_help(CLI::App& app, Options& options);
void declare_sreport_and_help(CLI::App& app, Options& options);
void declare_sshare_and_help(CLI::App& app, Options& options);

}  // namespace cox
