// The suspended jobs in a pass, in the order in which they are resumed. A job is resumed in place
// as soon as its CPUs are free, but not on room that is reserved for a job before it or claimed. A
// job that is not resumed yet has its CPUs reserved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/pass/pass_backfill.h"
#include "schedule/pass/quota_round.h"

namespace cox::schedule {

// A suspended job that is not resumed yet.
struct SuspendedWait {
  JobId job;
  std::optional<Boot> expected;
  bool others_first = false;  // its CPUs are free, but claimed or reserved for jobs before it
};

class ResumeQueue {
 public:
  ResumeQueue(const PassFacts& facts, DecidedJobs& decided, PassRooms& rooms, QuotaRound& quotas,
              PassBackfill& backfill);

  // Decides on the suspended jobs that come before a queued job of this `standing` (its partition
  // tier and tier) and were not decided on yet.
  void evaluate_before(std::pair<std::int32_t, std::int32_t> standing);
  void evaluate_all();
  // Returns the jobs to resume that were decided since the last call.
  std::vector<JobId> take_resumes() { return std::exchange(resumes_, {}); }
  const std::vector<SuspendedWait>& suspended_jobs() const { return still_suspended_; }

 private:
  void evaluate(const Running& running);
  bool may_resume(const Running& running, std::optional<Boot> end,
                  const std::vector<const GangParts*>& suspended) const;
  std::vector<const GangParts*> held_by_suspended() const;

  const PassFacts& facts_;
  DecidedJobs& decided_;
  PassRooms& rooms_;
  QuotaRound& quotas_;
  PassBackfill& backfill_;
  std::vector<JobId> suspended_;
  std::size_t evaluated_count_ = 0;
  std::vector<JobId> resumes_;
  std::vector<SuspendedWait> still_suspended_;
};

}  // namespace cox::schedule
