// What the command lines of sacct, sstat and seff may say, in terms of CLI11. Fills
// Options::records.
#pragma once

#include "client/options.h"

namespace CLI {
class App;
}

namespace cox {

void declare_sacct(CLI::App& app, Options& options);
void declare_sstat(CLI::App& app, Options& options);
void declare_seff(CLI::App& app, Options& options);

}  // namespace cox
