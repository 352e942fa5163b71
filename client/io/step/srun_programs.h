// Runs the programs of srun --prolog and --epilog: on srun's host, as its user, with its streams.
// Their arguments are the words of the step's command. As in Slurm, their exit codes change
// nothing.
#pragma once

#include <string>
#include <vector>

namespace cox {

// Runs a program and waits for its end. If `path` is empty or "none", does nothing. `context` is
// the value of SLURM_SCRIPT_CONTEXT.
void run_srun_program(const std::string& path, const std::vector<std::string>& command,
                      const std::vector<std::string>& environment, const std::string& context);

}  // namespace cox
