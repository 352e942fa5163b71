// How much time a job gets to save at the end of its run. The scheduler adds this time to the time
// limit when it plans, so that no other job is promised the room too early.
#pragma once

#include <cstdint>

#include "common/job/job.h"
#include "controller/state/cluster.h"

namespace cox {

// Returns whether the job is asked to save when it reaches its time limit. A job with --signal gets
// that signal before the limit instead, as under Slurm.
bool saves_at_limit(const JobSpec& spec);

// Returns the time that follows the time limit until SIGTERM: the grace of its QOS if the job is
// asked to save at its limit, otherwise 0.
Milliseconds grace_after_limit(const Cluster& cluster, const JobSpec& spec);

// Returns how long before the end of its free room a job that fills a hole (room before a
// reservation) is asked to save. This is what its earlier saves took, with a margin. If no save is
// known, or if that is not less than the grace of its QOS, it is this grace plus kill_wait.
Milliseconds filler_lead(const Cluster& cluster, const JobEntry& entry);

// Returns when the live job is over at the latest: its time limit and the grace after it. Returns
// nothing for a job without a time limit.
std::optional<Boot> latest_end(const Cluster& cluster, const JobEntry& entry);

}  // namespace cox
