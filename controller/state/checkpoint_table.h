// Checkpoints whose files still exist although they are pruned or memory has forgotten their job;
// and which jobs begin from checkpoints of other jobs (--resume-from). Part of Cluster; only
// Cluster changes it. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "controller/change/kept_checkpoint.h"
#include "controller/state/job_table.h"

namespace cox {

// Returns the record of a checkpoint that memory keeps after it has forgotten the job.
KeptCheckpoint kept_of(const JobEntry& e, const Checkpoint& c);

class CheckpointTable {
 public:
  const KeptCheckpoints& kept() const { return kept_; }
  // Returns whether an unfinished job begins from a checkpoint of the job `source`; with `step`,
  // from the checkpoint of that step.
  bool is_begun_from(JobId source) const;
  bool is_begun_from(JobId source, std::int64_t step) const;

  // For Cluster.
  void clear();
  void load_kept(std::vector<KeptCheckpoint> kept, const JobTable& jobs);
  void index(const Job& job);  // records from which other job's checkpoint the job begins
  void forget(const Job& job);  // undoes index() before the job's specification changes
  void keep(const JobEntry& entry, const Checkpoint& checkpoint) {
    kept_[key_of(checkpoint)] = kept_of(entry, checkpoint);
  }
  // Replaces the checkpoint if it is in this table. Returns whether it was.
  bool put_kept(const Checkpoint& changed);

 private:
  KeptCheckpoints kept_;
  // (job that has the checkpoint, training step, job that begins from it)
  std::set<std::tuple<JobId, std::int64_t, JobId>> begun_from_;
};

}  // namespace cox
