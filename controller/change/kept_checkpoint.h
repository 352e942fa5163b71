// Checkpoints whose files take room though no job in memory has them: of jobs that memory has
// forgotten, and pruned ones until a worker confirms that their files are gone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "common/job/attempt.h"
#include "common/job/job.h"

namespace cox {

using CheckpointKey = std::tuple<JobId, AttemptNumber, std::int64_t>;  // and the step

struct KeptCheckpoint {
  Checkpoint checkpoint;
  // What is known of the job.
  std::string identity;
  std::string job_name;
  std::string user_name;
  std::uint32_t uid = 0;
  JobState state = JobState::Pending;
  Wall ended{};
  std::int32_t ranks = 0;  // that saved it
};

using KeptCheckpoints = std::map<CheckpointKey, KeptCheckpoint>;

inline CheckpointKey key_of(const Checkpoint& c) {
  return {c.key.job, c.key.attempt, c.step};
}

}  // namespace cox
