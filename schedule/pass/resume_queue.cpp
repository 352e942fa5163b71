#include "schedule/pass/resume_queue.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace cox::schedule {

// Collects the suspended jobs, except those that a user suspended: they are not resumed, and
// nothing is reserved for them. Within a partition tier and tier, the job that began first comes
// first.
ResumeQueue::ResumeQueue(const PassFacts& facts, DecidedJobs& decided, PassRooms& rooms,
                         QuotaRound& quotas, PassBackfill& backfill)
    : facts_(facts), decided_(decided), rooms_(rooms), quotas_(quotas), backfill_(backfill) {
  if (facts_.engine().counts().suspended() == 0) return;
  for (const auto& [id, running] : facts_.running())
    if (running.job.is_suspended && !running.job.stopping && !running.job.held)
      suspended_.push_back(id);
  std::ranges::sort(suspended_, {}, [this](JobId id) {
    const RunningJob& job = facts_.running().at(id).job;
    return std::tuple(-std::int64_t{job.partition_tier}, -std::int64_t{job.tier}, job.began, id);
  });
}

void ResumeQueue::evaluate_before(std::pair<std::int32_t, std::int32_t> standing) {
  for (; evaluated_count_ < suspended_.size(); ++evaluated_count_) {
    const auto found = facts_.running().find(suspended_[evaluated_count_]);
    // Between two parts of the pass the suspended job may have been stopped or have ended.
    if (found == facts_.running().end() || found->second.job.stopping) continue;
    const RunningJob& job = found->second.job;
    if (std::pair(job.partition_tier, job.tier) < standing) return;
    if (job.is_suspended) evaluate(found->second);
  }
}

void ResumeQueue::evaluate_all() {
  constexpr auto lowest = std::numeric_limits<std::int32_t>::min();
  evaluate_before({lowest, lowest});
}

std::vector<const GangParts*> ResumeQueue::held_by_suspended() const {
  std::vector<const GangParts*> held;
  for (const JobId id : suspended_) {
    const auto found = facts_.running().find(id);
    if (found != facts_.running().end() && !decided_.has_changed(id))
      held.push_back(&*found->second.rest);
  }
  return held;
}

bool ResumeQueue::may_resume(const Running& running, std::optional<Boot> end,
                             const std::vector<const GangParts*>& suspended) const {
  if (!running.job.resumable || !rooms_.free().covers(*running.cpus)) return false;
  const Reservations* reservations = std::as_const(backfill_).reservations();
  return !reservations || reservations->lets_resume(*running.cpus, end, suspended);
}

void ResumeQueue::evaluate(const Running& running) {
  const RunningJob& job = running.job;
  const GangParts& cpus = *running.cpus;
  std::optional<Boot> end;
  if (job.time_left) end = facts_.now() + *job.time_left;
  facts_.ground().note_work(std::ssize(cpus.parts));
  if (facts_.is_barred(*running.shares, *job.request, job.time_left)) {
    // An advance reservation closes its nodes, so its CPUs are not reserved.
    still_suspended_.push_back({job.id, std::nullopt, false});
    return;
  }
  const auto suspended = held_by_suspended();
  if (may_resume(running, end, suspended)) {
    decided_.note_resumed(job.id);
    resumes_.push_back(job.id);
    quotas_.note_leaving(job.id, -1);
    rooms_.take(cpus);
    backfill_.note_resume(running, end, suspended);
    return;
  }
  const auto expected = backfill_.begin().add_resume(cpus, facts_.now(), job.time_left);
  still_suspended_.push_back({job.id, expected, rooms_.unclaimed().covers(cpus)});
}

}  // namespace cox::schedule
