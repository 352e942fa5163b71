#include "schedule/pass/closed_kinds.h"

#include <algorithm>

namespace cox::schedule {
namespace {

constexpr std::int64_t kind_work = 256;  // per kind that is examined, in nodes examined

}  // namespace

bool ClosedKinds::closes(const PendingQueue::At& at) {
  const Reservations* reservations = backfill_.reservations();
  if (!reservations || !reservations->is_full(facts_.engine().queue().accounts())) return false;
  const Version version{decided_.changed_count(), reservations->all().size(),
                        quotas_.leaving_version()};
  const auto [known, is_new] = open_at_.try_emplace(at.queue->kind->number, version);
  if (!is_new && known->second == version) return false;
  known->second = version;
  return !may_start(job_of(at));
}

bool ClosedKinds::is_stopping_any() const {
  return facts_.engine().counts().stopping() > 0 || decided_.victim_count() > 0;
}

bool ClosedKinds::may_start(const PendingJob& job) {
  facts_.ground().note_work(kind_work);
  const Needs needs = facts_.needs_of(job);
  if (!needs.front()->ever_fits) return !facts_.needs_once_open(job).empty();
  return std::ranges::any_of(needs, [&](const ResolvedRequest* need) {
    Decision decision;
    decision.job = job;
    decision.need = need;
    if (placer_.place_now(*need, end_if_begun(job, facts_.now()))) return true;
    if (placer_.place_shortened(decision)) return true;
    if (is_stopping_any() && placer_.place_in(rooms_.coming(), need->usable, *need, std::nullopt))
      return true;
    return victims_.may_find_for_kind(job, *need);
  });
}

}  // namespace cox::schedule
