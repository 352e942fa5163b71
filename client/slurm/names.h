// Slurm's commands that cox answers to when it is called by their name. Each prints what the
// scripts and tools written for Slurm read; docs for people are in cox's own commands.
#pragma once

#include <string>
#include <vector>

#include "client/command.h"

namespace cox {

const std::vector<Command>& slurm_commands();  // squeue, scancel, sinfo, sacctmgr; sbatch

// squeue's -o: "%i|%.8j %t". One line of heads, or of a job; a Refusal names the letter it lacks.
Result<std::string> squeue_heads(const std::string& format);
std::string squeue_line(const std::string& format, const JobView& view);

}  // namespace cox
