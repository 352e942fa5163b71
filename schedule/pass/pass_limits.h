// Counts the decisions of a pass against limits. When the pass ends, it takes them out again, so
// that the engine's limits count only running jobs and kept claims.
#pragma once

#include <span>
#include <vector>

#include "schedule/pass/quota_round.h"

namespace cox::schedule {

class PassLimits {
 public:
  PassLimits(const PassFacts& facts, const QuotaRound& quotas) : facts_(facts), quotas_(quotas) {}

  // Returns whether the limits allow the job this much beside what all others hold. Ignores limits
  // that reserve room for other jobs.
  bool allows(const PendingJob& job, const ResolvedRequest& need) const;
  bool allows_any(const PendingJob& job, const Needs& needs) const;
  // Returns whether the job leaves free what limits reserve for other jobs, once the jobs in
  // `without` are gone. Always true within the guarantee of its account.
  bool leaves_room(const PendingJob& job, const ResolvedRequest& need,
                   std::span<const JobId> without = {}) const;

  // Counts what the decision gives to its job against the job's limits, until the pass ends.
  void hold(const Decision& decision);
  // Counts the new, larger place of a running elastic job instead of its present one.
  void hold_home(const RunningJob& job, const GangParts& home, const Whole& whole);
  // Stops counting the job's claim against its limits, until the pass ends.
  void release_claim(JobId id);
  // Stops counting a claim that a limit no longer allows. When the pass ends, the engine drops the
  // claim, unless the pass has found another place for the job.
  void refuse_claim(JobId id);
  void undo(const DecidedJobs& decided);

 private:
  const PassFacts& facts_;
  const QuotaRound& quotas_;
  std::vector<JobId> changed_;  // jobs whose counts the pass has changed
  std::vector<JobId> refused_;
};

}  // namespace cox::schedule
