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

// Answers as slurmctld or slurmd: tools ask these for the version, and Coxswain has no other
// answer. Returns nothing if the program has another name.
std::optional<Shown> answer_as_daemon(std::string_view program,
                                      const std::vector<std::string>& words);

}  // namespace cox
