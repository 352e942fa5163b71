// What the owner of a job may rely on: a job runs for the time that it asked for, its ranks get the
// --signal of the job at most once in an attempt, exit code 75 requeues a job only if the attempt
// saved, and a job that is requeued without progress waits longer each time and is held in the end.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "tests/sim/books.h"
#include "tests/sim/scene.h"

namespace cox::sim {

class RunJudge {
 public:
  // A seed in which the time of day jumps does not measure time by the rows.
  RunJudge(Scene& scene, const Books& books)
      : scene_(scene), books_(books), clocks_jump_(scene.faults.in_use(Fault::WallClockJumps)) {}

  void see(const Change& change);  // before the books have it
  void goes_back_to(const RunJudge& then);
  void rank_starts(AttemptKey key) { started_.try_emplace(key, scene_.wall()); }
  void signalled(const LaunchSpec& launch, std::int32_t rank, std::int32_t signal);

 private:
  void see_one(const JobChanged& change);
  void see_one(const AttemptAdded& change);
  void see_one(const AttemptChanged& change);
  void see_one(const CheckpointAdded& change) { saved_.insert(change.checkpoint.key); }
  template <class Other>
  void see_one(const Other&) {}

  void judge_time_limit(const Attempt& attempt);
  void judge_requeue(AttemptKey key);
  bool is_without_progress(const Attempt& attempt) const;
  void violated(const std::string& what) { scene_.story.violated(what); }

  Scene& scene_;
  const Books& books_;
  bool clocks_jump_;
  std::map<AttemptKey, Wall> started_;         // when the first rank of it did
  std::set<AttemptKey> saved_;                 // attempts of which a checkpoint was committed
  std::map<JobId, std::int64_t> no_progress_;  // attempts in a row; a release begins anew
  std::set<JobId> wanted_again_;               // requeued by a person after their end
  std::set<std::pair<AttemptKey, std::int32_t>> warned_;  // ranks that got their --signal
};

}  // namespace cox::sim
