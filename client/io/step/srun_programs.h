// The programs of srun --prolog and --epilog: they run on srun's own host, as its user, with its
// streams, and with the words of the step's command behind their own name. As in Slurm, how they
// end changes nothing.
#pragma once

#include <string>
#include <vector>

namespace cox {

// Runs it and waits for its end. An empty path or "none": there is nothing to run. `context`: the
// value of SLURM_SCRIPT_CONTEXT.
void run_srun_program(const std::string& path, const std::vector<std::string>& command,
                      const std::vector<std::string>& environment, const std::string& context);

}  // namespace cox
