// Slurm's commands that cox answers to when it is called by their name. Each prints what the
// scripts and tools written for Slurm read; docs for people are in cox's own commands.
#pragma once

#include <string>
#include <vector>

#include "client/command.h"

namespace cox {

const std::vector<Command>& slurm_commands();

}  // namespace cox
