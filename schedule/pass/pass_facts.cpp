#include "schedule/pass/pass_facts.h"

#include <algorithm>

#include "schedule/model/request_chain.h"
#include "schedule/place/matcher.h"

namespace cox::schedule {
namespace {

constexpr std::size_t stretches_max = 64;  // per alternative

}  // namespace

const ResolvedRequest& PassFacts::need_later(const ResolvedRequest& need,
                                             std::optional<Milliseconds> lasts) const {
  if (advance().empty()) return need;
  if (lasts) *lasts += preemption_time_max;
  return need_now(*need.request, lasts);
}

const ResolvedRequest& PassFacts::need_anew(const RunningJob& job) const {
  std::optional<Milliseconds> lasts = lasts_anew(job);
  if (lasts) *lasts += preemption_time_max;
  return need_now(engine_.served_by(*job.request, job.grants), lasts);
}

Needs PassFacts::needs_of(const PendingJob& job) const {
  Needs needs;
  const ResolvedRequest* first = nullptr;
  for (const Request& one : RequestChain(*job.request)) {
    const ResolvedRequest& need = need_now(one, job.time_limit);
    if (first == nullptr) first = &need;
    if (need.ever_fits) needs.push_back(&need);
  }
  if (needs.empty()) needs.push_back(first);
  return needs;
}

Needs PassFacts::needs_once_open(const PendingJob& job) const {
  Needs needs;
  for (const Request& one : RequestChain(*job.request)) {
    const ResolvedRequest& need =
        matcher().need(one, Availability::Required, advance().always_closed(one.reservation));
    const bool is_gone = need.closed != nullptr && need.closed->entirely;
    if (need.ever_fits || is_gone) needs.push_back(&need);
  }
  return needs;
}

std::vector<Stretch> PassFacts::stretches_of(const Request& request,
                                             std::optional<Milliseconds> lasts) const {
  std::vector<Stretch> stretches;
  for (Boot at = now_; stretches.size() < stretches_max;) {
    const auto until = advance().change_after(request.reservation, at, lasts);
    stretches.push_back({at, until, &need_at(request, at, lasts)});
    if (!until) break;
    at = *until;
  }
  return stretches;
}

bool PassFacts::is_barred(const GangParts& shares, const Request& request,
                          std::optional<Milliseconds> lasts) const {
  return std::ranges::all_of(RequestChain(request), [&](const Request& one) {
    return advance().bars(shares, one.reservation, now_, lasts);
  });
}

}  // namespace cox::schedule
