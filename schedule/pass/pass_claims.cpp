// Claims in a pass: places that earlier passes have reserved for jobs. They are decided before all
// queued jobs.
#include <algorithm>

#include "schedule/pass/pass.h"

namespace cox::schedule {

// Keeps the claims that are valid. A claim is void if its place will not be free (a node went away,
// another job took it, or an advance reservation closes it) or if a limit no longer allows it.
void Pass::keep_claims() {
  const auto is_there = [this](const NodePart& share) {
    return facts_.nodes()[share.node].node->available;
  };
  for (const auto& [id, kept] : facts_.engine().claims()) {
    std::optional<Milliseconds> lasts;
    const bool waits = facts_.engine().queue().contains(id);
    if (waits) {
      lasts = facts_.engine().pending(id).time_limit;
    } else if (const auto moves = facts_.running().find(id); moves != facts_.running().end()) {
      lasts = lasts_anew(moves->second.job);
    }
    const bool stands =
        kept.shares.size() == kept.placement.size() && std::ranges::all_of(kept.shares, is_there) &&
        rooms_.coming().covers(kept.shares) && !facts_.is_barred(kept.shares, *kept.request, lasts);
    if (waits && !facts_.engine().allows_claim(id)) {
      limits_.refuse_claim(id);
    } else if (!stands) {
      limits_.release_claim(id);
    } else {
      if (waits) decided_.note_placed(id);
      if (!waits && !lasts) backfill_.note_endless(kept.shares);
      rooms_.keep(kept.shares);
    }
  }
}

void Pass::evaluate_claims(std::vector<Decision>& decisions) {
  for (const auto& [id, kept] : facts_.engine().claims()) {
    if (!decided_.is_placed(id)) continue;
    Decision& decision = decisions.emplace_back();
    decision.job = facts_.engine().pending(id);
    decision.need = &facts_.need_now(*decision.job.request, decision.job.time_limit);
    evaluate_claim(decision, kept.shares);
    decided_.note(decision);
  }
}

void Pass::evaluate_claim(Decision& decision, const GangParts& shares) {
  decision.shares = shares;
  decision.outcome = Outcome::Promised;
  decision.expected = backfill_.gone_by(shares);
  if (!rooms_.unclaimed().covers(shares)) {
    if (!decision.job.time_limit) backfill_.note_endless(shares);
    return;
  }
  decision.outcome = Outcome::Starts;
  decision.expected = facts_.now();
  rooms_.take_kept(shares);
  backfill_.note_start(shares, end_if_begun(decision.job, facts_.now()));
}

}  // namespace cox::schedule
