// Checks the invariants of checkpoints. An attempt resumes only from the newest sound (undamaged)
// checkpoint of its job, or else from the one that --resume-from names. A checkpoint that a job may
// still need is neither pruned nor removed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/books.h"
#include "tests/sim/scene.h"

namespace cox::sim {

class CheckpointJudge {
 public:
  CheckpointJudge(Scene& scene, const Books& books) : scene_(scene), books_(books) {}

  // Call it before Books::fold(change). `turn_at` is the turn's time of day, by its controller's
  // clock.
  void see(const Change& change, Wall turn_at);
  // Goes back to `then`, the state when the restored copy of the database was made. Checkpoints
  // pruned since then count as lost: their files are gone or soon will be, though the restored rows
  // do not show it.
  void restore_from(const CheckpointJudge& then);
  bool is_lost(AttemptKey key, std::int64_t step) const { return lost_.contains({key, step}); }
  // Called when a node removes the files of this step. Checks that no job still needs them.
  void removed(AttemptKey key, std::int64_t step);
  // Returns whether the job has a checkpoint that is not damaged, so that --resume-from may name
  // it.
  bool has_sound(JobId id) const { return newest_sound(id) != nullptr; }

 private:
  void see_one(const JobChanged& change);
  void see_one(const AttemptAdded& change);
  void see_one(const CheckpointAdded& change);
  void see_one(const CheckpointChanged& change);
  template <class Other>
  void see_one(const Other&) {}

  void check_prune(const Checkpoint& checkpoint);
  bool is_too_young_to_prune(const Job& job) const;
  bool begins_from(const Job& job, const Checkpoint& checkpoint) const;
  bool is_due(const Job& job, const std::optional<ResumeFrom>& resume) const;
  Checkpoint* find(AttemptKey key, std::int64_t step);
  const Checkpoint* newest_sound(JobId id) const;
  void violated(const std::string& what) { scene_.story.violated(what); }

  Scene& scene_;
  const Books& books_;
  Wall turn_at_{};
  std::map<JobId, Milliseconds> ended_;  // when a job ended last, in true time
  std::map<JobId, std::vector<Checkpoint>> checkpoints_;
  std::set<std::pair<AttemptKey, std::int64_t>> lost_;
};

}  // namespace cox::sim
