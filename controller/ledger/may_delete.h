// The permission to delete the files of a checkpoint. prune() (checkpoints.cpp), the only way to
// that, takes one. Each function looks for one kind of reason, and returns nothing if there is
// none: a doubt deletes nothing. Pure.
#pragma once

#include <optional>
#include <vector>

#include "common/base/time.h"
#include "common/job/attempt.h"
#include "controller/change/kept_checkpoint.h"
#include "controller/ledger/reaction.h"

namespace cox {

// Returns how long checkpoints are kept after the end of a job in this state.
Milliseconds kept_after_end(const Cluster& cluster, JobState state);

class MayDelete {
 public:
  // The job goes on from newer ones: at least `keep` of `sound` have a higher step and were
  // reported by their ranks. With keep = 0 the settings keep none.
  static std::optional<MayDelete> as_surplus(const std::vector<Checkpoint>& sound,
                                             std::int64_t keep, const Checkpoint& checkpoint);
  // Its job ended long enough ago, by clocks that are believed (TimeOfDay), and no other job is to
  // begin from it.
  static std::optional<MayDelete> by_age(const Cluster& cluster, const KeptCheckpoint& kept,
                                         Wall now);
  // The owner of the job, or of the cluster, asks for it.
  static std::optional<MayDelete> by_word_of(const Cluster& cluster, const Caller& caller,
                                             const KeptCheckpoint& kept);

 private:
  MayDelete() = default;
};

}  // namespace cox
