// Slurm's commands that cox answers to when it is called by their name. Each prints what the
// scripts and tools written for Slurm read; docs for people are in cox's own commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/command.h"

namespace cox {

const std::vector<Command>& slurm_commands();

// Of slurmctld and slurmd tools ask the version, and nothing else is there. Nothing: the program
// has another name.
std::optional<Shown> answer_as_daemon(std::string_view program,
                                      const std::vector<std::string>& words);

}  // namespace cox
