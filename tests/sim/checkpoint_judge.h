// Checkpoints: an attempt resumes from the newest sound one of its job, or from the one that
// --resume-from names, and from no other. What a job that has not ended may still need is neither
// pruned nor removed.
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

  void see(const Change& change);  // before the books have it
  // The files of checkpoints that were pruned since then are gone, or are about to be. The restored
  // rows do not say so.
  void goes_back_to(const CheckpointJudge& then);
  bool is_lost(AttemptKey key, std::int64_t step) const { return lost_.contains({key, step}); }
  // A node removes the files of this step.
  void removed(AttemptKey key, std::int64_t step);
  // Whether --resume-from may name the job.
  bool has_sound(JobId id) const { return newest_sound(id) != nullptr; }

 private:
  void see_one(const AttemptAdded& change);
  void see_one(const CheckpointAdded& change);
  void see_one(const CheckpointChanged& change);
  template <class Other>
  void see_one(const Other&) {}

  void judge_prune(const Checkpoint& checkpoint);
  bool begins_from(const Job& job, const Checkpoint& checkpoint) const;
  std::optional<ResumeFrom> due(const Job& job) const;
  Checkpoint* find(AttemptKey key, std::int64_t step);
  const Checkpoint* newest_sound(JobId id) const;
  void violated(const std::string& what) { scene_.story.violated(what); }

  Scene& scene_;
  const Books& books_;
  std::map<JobId, std::vector<Checkpoint>> checkpoints_;
  std::set<std::pair<AttemptKey, std::int64_t>> lost_;
};

}  // namespace cox::sim
