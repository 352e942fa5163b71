// Builds the environment with which a job or a step starts, from the caller's and --export. Pure;
// used by client/submit and client/step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

// Returns the environment of a job as the controller stores it: "NAME=value\0" for each variable,
// sorted by name, so that equal environments are equal bytes.
// `export_list` is the value of --export: ALL, NONE (or NIL), or names and NAME=value separated by
// commas, possibly with ALL among them. A value with a comma is quoted: A="1,2".
// SLURM_*, SBATCH_* and COX_* are always left out, since a job gets its own; only COX_CONFIG is
// kept, so that the job's commands find the cluster. Unless the list is ALL, the variables of a
// login (HOME, PATH, USER, ...) are added, as Slurm does. `login` has their values from the user
// database, for those that are not in the environment.
Result<std::string> job_environment(const std::vector<std::string>& environment,
                                    std::string_view export_list,
                                    const std::vector<std::string>& login = {});

// Returns further variables for a batch script, which pass sbatch's --export (unless it is ALL) and
// --open-mode=append on to each srun in the script.
std::string variables_for_steps(std::string_view export_list, bool append_output);

// Returns the environment of a step's tasks, in the form of job_environment(). Unlike a new job,
// the tasks always keep the SLURM_* and COX_* variables, which are those of their job.
Result<std::string> task_environment(const std::vector<std::string>& environment,
                                     std::string_view export_list);

}  // namespace cox
