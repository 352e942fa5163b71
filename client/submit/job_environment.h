// The environment a job starts with. Pure; used by client/submit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

// The block it travels in: "NAME=value\0" each, by name, so that equal environments are equal
// bytes. `export_list` is what --export says: ALL, NONE (or NIL), or names and NAME=value behind
// commas, with ALL among them or not. A value may hold a comma in quotes: A="1,2". Variables
// SLURM_*, SBATCH_* and COX_* are left out, whatever it says: a job gets its own. Only COX_CONFIG
// goes along: by it the job's own commands find the cluster. Where not all go along, those of a
// login do (HOME, PATH, USER, ...), as Slurm then takes them from a login. `login`: what the user
// database says of those that are not in the environment.
Result<std::string> job_environment(const std::vector<std::string>& environment,
                                    std::string_view export_list,
                                    const std::vector<std::string>& login = {});

// By what srun in a batch script goes of how it was submitted: --export, unless it is ALL, and
// --open-mode.
std::string handed_on(std::string_view export_list, bool append_output);

// Of the tasks of a step, likewise: they are of the same job, so they get its SLURM_* and COX_*
// variables, whatever the list says.
Result<std::string> task_environment(const std::vector<std::string>& environment,
                                     std::string_view export_list);

}  // namespace cox
