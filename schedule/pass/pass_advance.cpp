// Advance reservations in a pass: what a job may use now and later, and who waits for one.
#include <algorithm>

#include "schedule/pass/pass.h"
#include "schedule/place/matcher.h"

namespace cox::schedule {
namespace {

constexpr std::size_t stretches_max = 64;  // of one alternative

const Request* next_of(const Request& request) {
  return request.otherwise ? &**request.otherwise : nullptr;
}

// It may be nowhere but in one.
bool is_bound(const Request& request) {
  for (const Request* one = &request; one != nullptr; one = next_of(*one))
    if (one->reservation.empty()) return false;
  return true;
}

}  // namespace

std::vector<Stretch> Pass::stretches_of(const Request& request, std::optional<Milliseconds> lasts) {
  std::vector<Stretch> stretches;
  for (Boot at = now_; stretches.size() < stretches_max;) {
    const auto until = advance().change_after(request.reservation, at, lasts);
    stretches.push_back({at, until, &engine_.need_at(request, at, lasts)});
    if (!until) break;
    at = *until;
  }
  return stretches;
}

// Of its alternatives those that fit when no other reservation is in the way, and its own is open.
Pass::Needs Pass::needs_once_open(const PendingJob& job) {
  Needs needs;
  for (const Request* one = &*job.request; one != nullptr; one = next_of(*one)) {
    const ResolvedRequest& need =
        matcher().need(*one, Availability::Required, advance().always_closed(one->reservation));
    const bool is_gone = need.closed != nullptr && need.closed->entirely;
    if (need.ever_fits || is_gone) needs.push_back(&need);
  }
  return needs;
}

// Whoever gives way for it takes some time.
const ResolvedRequest& Pass::need_later(const ResolvedRequest& need,
                                        std::optional<Milliseconds> lasts) {
  if (advance().empty()) return need;
  if (lasts) *lasts += giving_way_max;
  return need_now(*need.request, lasts);
}

// Of a running one that is to start again elsewhere.
const ResolvedRequest& Pass::need_anew(const RunningJob& job) {
  std::optional<Milliseconds> lasts = lasts_anew(job);
  if (lasts) *lasts += giving_way_max;
  return need_now(engine_.served_by(*job.request, job.grants), lasts);
}

// For whichever of its alternatives it is.
bool Pass::is_barred(const GangParts& shares, const Request& request,
                     std::optional<Milliseconds> lasts) {
  for (const Request* one = &request; one != nullptr; one = next_of(*one))
    if (!advance().bars(shares, one->reservation, now_, lasts)) return false;
  return true;
}

// Whoever may be in a reservation alone, and does not come to it as far as is known, has no place
// kept: those that are not in it would wait for nothing.
bool Pass::waits_in_vain(const PendingJob& job, std::span<const Stretch> stretches) const {
  return is_bound(*job.request) && !reservations_->estimate(stretches, job.time_limit);
}

// None of what it asks for is open to it now, for as long as it asks. Who would do with less waits
// for room where it is open for that.
void Pass::judge_closed(Decision& decision, const Needs& once_open) {
  for (const ResolvedRequest* need : once_open) {
    decision.need = need;
    if (start(decision)) return hold_limits(decision);
  }
  decision.need = once_open.front();
  if (!is_bound(*decision.job.request)) return wait(decision, {}, once_open);
  const auto least = shortest_limit(decision.job);
  Needs open;
  for (const ResolvedRequest* need : once_open)
    if (const ResolvedRequest& now = need_now(*need->request, least); now.ever_fits)
      open.push_back(&now);
  if (!open.empty()) {
    decision.job.time_limit = least;
    decision.need = open.front();
    return wait(decision, open, open);
  }
  decision.outcome = Outcome::NotOpen;
  for (const Stretch& stretch : stretches_of(*decision.need->request, least)) {
    if (!stretch.need->ever_fits) continue;
    decision.expected = stretch.from;
    return;
  }
}

// Until a reservation begins, of backfilling or in advance, or the one it is in ends; the longest
// first.
std::vector<Milliseconds> Pass::shorter_limits(const PendingJob& job,
                                               const Request& request) const {
  std::vector<Milliseconds> limits;
  if (!job.time_min && !job.fill_min) return limits;
  const Milliseconds least = std::min(job.time_min.value_or(Milliseconds::max()),
                                      job.fill_min.value_or(Milliseconds::max()));
  const auto add = [&](Boot end) {
    const Milliseconds until = end - now_;
    if (until >= least && until > Milliseconds{0} && (!job.time_limit || until < *job.time_limit))
      limits.push_back(until);
  };
  if (reservations_)
    for (const Reserved& reserved : reservations_->all())
      if (reserved.at) add(*reserved.at);
  for (const AdvanceReservation& one : engine_.advance().all())
    for (const auto& occurrence : one.occurrences)
      add(one.name == request.reservation ? occurrence.end : occurrence.begin);
  std::ranges::sort(limits, std::ranges::greater{});
  const auto repeated = std::ranges::unique(limits);
  limits.erase(repeated.begin(), repeated.end());
  return limits;
}

// With as long a limit as ends before a reservation, when a shorter one will do, or when it saves
// at its end and goes on later.
std::optional<GangParts> Pass::place_shortened(Decision& decision) {
  const PendingJob& job = decision.job;
  const Request& request = *decision.need->request;
  for (const Milliseconds limit : shorter_limits(job, request)) {
    const ResolvedRequest& need = need_now(request, limit);
    if (!need.ever_fits) continue;
    if (auto shares = place_now(need, now_ + limit)) {
      decision.need = &need;
      decision.time_limit = limit;
      decision.fills = !job.time_min || limit < *job.time_min;
      return shares;
    }
  }
  return std::nullopt;
}

}  // namespace cox::schedule
