// Checks what the owner of a job may rely on. A job runs for the time that it asked for. Its ranks
// get the --signal of the job at most once in an attempt. Exit code 75 requeues a job only if the
// attempt saved. A job that is requeued without progress waits longer each time, and is held in the
// end.
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
  // If the time of day jumps in this seed, the judge does not compare times of different rows.
  RunJudge(Scene& scene, const Books& books)
      : scene_(scene),
        books_(books),
        clocks_jump_(scene.faults.in_use(Fault::WallClockJumps) ||
                     scene.faults.in_use(Fault::ClockStepsYears)) {}

  void see(const Change& change);  // call it before Books::fold(change)
  void restore_from(const RunJudge& then);
  void rank_starts(AttemptKey key) { started_.try_emplace(key, scene_.wall()); }
  void signalled(const LaunchSpec& launch, std::int32_t rank, std::int32_t signal);

 private:
  void see_one(const JobChanged& change);
  void see_one(const AttemptAdded& change);
  void see_one(const AttemptChanged& change);
  void see_one(const CheckpointAdded& change);
  template <class Other>
  void see_one(const Other&) {}

  void judge_time_limit(const Attempt& attempt);
  void check_requeue(AttemptKey key);
  bool is_without_progress(const Attempt& attempt) const;
  void violated(const std::string& what) { scene_.story.violated(what); }

  Scene& scene_;
  const Books& books_;
  bool clocks_jump_;
  std::map<AttemptKey, Wall> started_;  // when the attempt's first rank started
  std::set<AttemptKey> saved_;          // attempts of which a checkpoint was committed
  // Attempts in a row without progress; a release resets the count.
  std::map<JobId, std::int64_t> no_progress_;
  std::set<JobId> requeued_by_user_;  // jobs that a user requeued after their end
  std::set<std::pair<AttemptKey, std::int32_t>> warned_;  // ranks that got their --signal
};

}  // namespace cox::sim
