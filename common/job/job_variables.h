// The SLURM_* variables of a job, which its ranks, its batch script, the tasks of its steps and the
// shell of salloc all get. Used by the worker and by clients that request an allocation. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/variables.h"
#include "common/job/attempt.h"

namespace cox {

// Removes all variables that describe one job or rank, also those of given_variables.h. The user
// may have submitted the job from within another job, whose variables must not be taken for those
// of the new job. Some variables have a meaning only by being set, such as SLURM_RESTART_COUNT.
void erase_job_variables(Variables& v);

// Sets the variables of the job. `pwd` is the user's PWD, as submitted. A heterogeneous job gets
// the variables of its first component, and also those of each component, whose names end in
// _HET_GROUP_0, _HET_GROUP_1 and so on, as in Slurm.
void set_job(Variables& v, const LaunchSpec& launch, const GoOrder& go, const std::string& pwd);
// For a process on the nodes of a component: replaces the variables with plain names by those of
// that component (_HET_GROUP_N). A negative component means all of them: the counts of nodes and
// tasks become the sums.
void be_component(Variables& v, std::int64_t component);
// Sets SLURM_NTASKS, as in Slurm, for processes that are not tasks: only if the user requested a
// number of tasks. Otherwise programs would conclude from the variable that srun started them.
void set_tasks_asked(Variables& v, const LaunchSpec& launch);
void set_array(Variables& v, const LaunchSpec& launch);
// Adds the variables that Slurm sets for prologs and epilogs, but not for jobs.
void set_for_site(Variables& v, const LaunchSpec& launch);
// Sets the variables about the node `launch.node_index`, also those by which a process there sees
// its GPUs.
void set_node(Variables& v, const LaunchSpec& launch);

}  // namespace cox
