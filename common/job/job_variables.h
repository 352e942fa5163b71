// SLURM_* variables of a job: what ranks, batch scripts, the tasks of steps and the shell of salloc
// have in common. For the worker's environments and for clients that ask for an allocation. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/variables.h"
#include "common/job/attempt.h"

namespace cox {

// What describes one job or one rank. Those of the job that the user submitted from (if any) must
// not be taken for this one's: SLURM_RESTART_COUNT for instance says something by its absence.
void erase_job_variables(Variables& v);

// `pwd`: the user's, as submitted.
// Of a heterogeneous job those of its first component, and of each one those with _HET_GROUP_0, _1
// and so on behind their names, as Slurm has it.
void set_job(Variables& v, const LaunchSpec& launch, const GoOrder& go, const std::string& pwd);
// Those of this component in the place of whichever one's they are: for what runs on its nodes.
// Below 0: of all, nothing is changed.
void be_component(Variables& v, std::int64_t component);
// SLURM_NTASKS for whoever is no task: programs take it for "started by srun", and Slurm sets it
// only when tasks were asked for.
void set_tasks_asked(Variables& v, const LaunchSpec& launch);
void set_array(Variables& v, const LaunchSpec& launch);
// Adds the variables that Slurm sets for prologs and epilogs of the site, but not for jobs.
void set_for_site(Variables& v, const LaunchSpec& launch);
// What the node of `launch.node_index` is and has for the job; the GPUs that a process there sees.
void set_node(Variables& v, const LaunchSpec& launch);

}  // namespace cox
