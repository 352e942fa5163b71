// Slows down a job that is requeued again and again without progress: it waits longer each time,
// and in the end it is held. The count follows from the attempts and checkpoints in the database,
// so a restart of the controller changes nothing.
#pragma once

#include <cstdint>

#include "common/cluster/config.h"
#include "controller/job/job_entry.h"

namespace cox {

// After so many attempts in a row without progress the controller holds the job. After a release
// the job gets as many again.
inline constexpr std::int64_t attempts_without_progress_max = 16;

// A job that a person requeues after its end becomes eligible only after this time, so that it can
// still be changed, held or cancelled. Slurm gives every requeued job a begin time 121 s away.
inline constexpr Milliseconds requeue_after_end_delay{5'000};

// Returns how many of the newest attempts ended without progress, and without an excuse. An attempt
// made progress if a checkpoint of it was committed. The excuses: the job was preempted or moved,
// or a person (or the job itself) requeued it after it had run for launch_retry_max or longer. An
// excused attempt does not count, and does not reset the count.
std::int64_t attempts_without_progress(const JobEntry& entry, const ControllerConfig& config);

// Returns how long a job waits after so many attempts without progress: 0, 1, 2, 4, … s, at most
// launch_retry_max.
Milliseconds requeue_delay(std::int64_t attempts, const ControllerConfig& config);

// Returns until when the job waits because of its newest attempt. Boot{}: it need not wait. A job
// whose attempts make progress, but end soon after their start, is started at most once every 5 s.
Boot retry_after_of(const JobEntry& entry, const ControllerConfig& config, Now now);

// Returns whether the newest attempt was the last of attempts_without_progress_max, so that the job
// is held now.
bool is_held_by_requeues(const JobEntry& entry, const ControllerConfig& config);

// Returns whether no rank of the attempt ran.
bool never_started(const Attempt& attempt);

}  // namespace cox
