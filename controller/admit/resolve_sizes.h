// What a job asks for of all its nodes, of each task, CPU or GPU (--gpus, --gpus-per-task,
// --mem-per-cpu, ...), as what each of its nodes must have, which is all that the engine knows.
// Pure; for Admission.
#pragma once

#include "common/base/result.h"
#include "common/cluster/config.h"
#include "common/job/job.h"
#include "controller/state/cluster.h"

namespace cox {

// What cannot be asked for together. A job that was admitted may be judged again: what was settled
// then stands beside what was asked, and goes with it.
Failure check_asked_sizes(const JobSpec& s);

// Tasks that follow from GPUs and GPUs that follow from tasks, and the number of nodes where that
// follows from both.
Failure settle_counts(JobSpec& s);

// CPUs of a task, memory and GPUs of a node, on so many nodes as it has. REQUIRES: nodes and tasks
// are settled. Refused: the GPUs cannot be dealt out evenly.
Failure settle_each_node(const Cluster& cluster, JobSpec& s);

}  // namespace cox
