// Checkpoints whose files take space though no job in memory has them: those of jobs that have left
// memory, and pruned ones (whose files a worker is to delete) until a worker confirms that the
// files are gone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "common/job/attempt.h"
#include "common/job/job.h"

namespace cox {

using CheckpointKey = std::tuple<JobId, AttemptNumber, std::int64_t>;  // last: training step

struct KeptCheckpoint {
  Checkpoint checkpoint;
  // These fields are the job's; empty where the database no longer has them.
  std::string identity;
  std::string job_name;
  std::string user_name;
  std::uint32_t uid = 0;
  JobState state = JobState::Pending;
  Wall ended{};
  std::int32_t ranks = 0;  // number of ranks that saved the checkpoint
  JobId array_job{};       // as in Job
  std::int32_t array_task = -1;
};

using KeptCheckpoints = std::map<CheckpointKey, KeptCheckpoint>;

inline CheckpointKey key_of(const Checkpoint& c) {
  return {c.key.job, c.key.attempt, c.step};
}

}  // namespace cox
