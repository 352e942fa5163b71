// A job in memory: its row, its attempts, checkpoints and steps, and values that Cluster derives
// from them. Only Cluster changes it. There may be a million, so what only few jobs have is kept in
// MostlyEmpty, or in maps of the table that needs it.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/mostly_empty.h"
#include "common/job/attempt.h"
#include "common/job/job.h"
#include "common/job/step.h"
#include "schedule/model/plan.h"

namespace cox {

struct JobEntry {
  Job job;
  MostlyEmpty<std::vector<Attempt>> attempts;        // oldest first
  MostlyEmpty<std::vector<Checkpoint>> checkpoints;  // oldest first; pruned ones are left out
  // Steps of srun in the newest attempt, by number: all that run, and the newest of the ended ones.
  MostlyEmpty<std::vector<Step>> steps;
  // How many unfinished jobs the row counts as: the number of its tasks, or 1; ended: 0.
  std::int32_t counted = 0;
  // The job is not eligible yet because of requeues (JobTable::retrying()).
  bool waits_to_retry = false;
  bool waits_to_begin = false;  // for its begin time (Eligibility::begins())
  // The job is pending, and none of the partitions that it names starts jobs of it now.
  bool kept_out = false;
  double priority = 0;  // the job's priority when it was last put into the engine's queue
  std::int64_t change_count = 0;
  // The newest time stored in the job's rows; the clock may have been set back since.
  Wall recorded{};

  const Attempt* live_attempt() const;  // null: none
  // Returns the attempt after which the pending job is to start again; null: none. What its ranks
  // have saved still counts if a node reports it late.
  const Attempt* ended_attempt() const;
  // Returns whether the job is queued: it waits for nothing but room.
  bool is_eligible() const;
  const Step* step(std::int32_t number) const;  // null: no such step
  std::int32_t next_step() const;               // the number of the next new step
  // Returns the time limit of the live attempt, which may be shorter than the job's; 0: none.
  std::int64_t time_limit_s() const;
  // Returns the newest checkpoint that is neither damaged nor pruned nor set aside; null:
  // none.
  const Checkpoint* newest_checkpoint() const;
  // Returns the checkpoint from which the next attempt resumes: the newest one that is neither
  // pruned nor set aside. A damaged one counts only if the job has run since it was found damaged,
  // or was released, or if it has no other one: it never begins anew unasked. Null: it has none.
  const Checkpoint* checkpoint_to_resume() const;
  // Returns the newest time in the rows of the job, its attempts, checkpoints and steps.
  Wall newest_moment() const;
};

}  // namespace cox
