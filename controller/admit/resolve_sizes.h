// Converts what a job requests in total, or for each task, CPU or GPU (--gpus, --gpus-per-task,
// --mem-per-cpu, ...), to what each of its nodes must have, since the engine uses only that. Used
// by Admission. Pure.
#pragma once

#include "common/base/result.h"
#include "common/cluster/config.h"
#include "common/job/job.h"
#include "controller/state/cluster.h"

namespace cox {

// Refuses options that exclude each other. Accepts the specification of an admitted job, in which
// computed values stand beside the options.
Failure check_asked_sizes(const JobSpec& s);

// Computes tasks from GPUs or GPUs from tasks, and the number of nodes if it follows from both.
Failure resolve_counts(JobSpec& s);

// Computes the CPUs of each task and the memory and GPUs of each node. REQUIRES: the numbers of
// nodes and tasks are final. Refused if the GPUs cannot be divided evenly among the nodes.
Failure resolve_each_node(const Cluster& cluster, ParsedSpec& s);

}  // namespace cox
