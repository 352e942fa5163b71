// Suspended jobs in a pass: who goes on, and what is kept for those that do not yet.
#include <algorithm>
#include <tuple>

#include "schedule/pass/pass.h"

namespace cox::schedule {

// Those whose CPUs others may have, and that are to go on: not whom a person holds, for whom
// nothing is kept. Of a rank and tier whoever began first.
void Pass::find_suspended() {
  if (engine_.suspended_count() == 0) return;
  for (const auto& [id, running] : running())
    if (running.job.stands_still && !running.job.stopping && !running.job.held)
      suspended_.push_back(id);
  std::ranges::sort(suspended_, {}, [this](JobId id) {
    const RunningJob& job = running().at(id).job;
    return std::tuple(-std::int64_t{job.rank}, -std::int64_t{job.tier}, job.began, id);
  });
}

// All of this rank and tier and above that were not judged yet.
void Pass::judge_resumes(std::pair<std::int32_t, std::int32_t> least) {
  for (; suspended_judged_ < suspended_.size(); ++suspended_judged_) {
    const auto found = running().find(suspended_[suspended_judged_]);
    // Between two parts of a pass it may have been stopped, or have gone.
    if (found == running().end() || found->second.job.stopping) continue;
    const RunningJob& job = found->second.job;
    if (std::pair(job.rank, job.tier) < least) return;
    if (job.stands_still) judge_resume(found->second);
  }
}

std::vector<const GangParts*> Pass::held_by_suspended() const {
  std::vector<const GangParts*> held;
  for (const JobId id : suspended_) {
    const auto found = running().find(id);
    if (found != running().end() && !decided_jobs_.contains(id))
      held.push_back(&*found->second.rest);
  }
  return held;
}

void Pass::judge_resume(const Running& running) {
  const RunningJob& job = running.job;
  const GangParts& cpus = *running.cpus;
  std::optional<Boot> end;
  if (job.time_left) end = now_ + *job.time_left;
  engine_.note_work(std::ssize(cpus.parts));
  const bool fits = free().covers(cpus);
  const auto suspended = held_by_suspended();
  if (is_barred(*running.shares, *job.request, job.time_left)) {
    standing_still_.push_back({job.id, std::nullopt, false});  // and keeps nobody from its CPUs
    return;
  }
  if (job.resumable && fits &&
      (!reservations_ || reservations_->lets_resume(cpus, end, suspended))) {
    decided_jobs_.insert(job.id);
    resumes_.push_back(job.id);
    note_leaving(job.id, -1);
    take_free(cpus);
    coming_.take(cpus);
    take_unclaimed(cpus);
    if (reservations_) {
      reservations_->resumed(cpus, running.rest, end, suspended);
    } else if (end) {
      decided_.push_back({*end, running.shares, Held::Both});
    }
    return;
  }
  if (!reservations_)
    reservations_.emplace(nodes(), engine_.settings().backfill, timeline(), matcher().idle(),
                          free());
  const auto expected = reservations_->add_resume(cpus, now_, job.time_left);
  standing_still_.push_back({job.id, expected, unclaimed_.covers(cpus)});
}

}  // namespace cox::schedule
