// Slurm's commands: cox runs one of them if it is called by its name. Each prints what scripts and
// tools written for Slurm parse; cox's own commands print for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/command.h"

namespace cox {

const std::vector<Command>& slurm_commands();

// Returns the output of the names slurmctld and slurmd, which tools run with -V to get the version.
// Any other words are an error. Returns nothing if `program` is another name.
std::optional<Shown> answer_as_daemon(std::string_view program,
                                      const std::vector<std::string>& words);

}  // namespace cox
