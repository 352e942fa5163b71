// Places that are kept for jobs by what an earlier pass decided: they are judged before all others.
#include <algorithm>

#include "schedule/pass/pass.h"

namespace cox::schedule {

// A claim that is not coming free any more (a node went away, somebody else took it) is nothing,
// nor one that a limit does not allow any more.
void Pass::keep_claims() {
  const auto is_there = [this](const NodePart& share) {
    return nodes()[share.node].node->available;
  };
  for (const auto& [id, kept] : engine_.kept()) {
    std::optional<Milliseconds> lasts;
    if (kept.job) {
      lasts = kept.job->time_limit;
    } else if (const auto moves = running().find(id); moves != running().end()) {
      lasts = lasts_anew(moves->second.job);
    }
    const bool stands = kept.shares.size() == kept.placement.size() &&
                        std::ranges::all_of(kept.shares, is_there) && coming_.covers(kept.shares) &&
                        !is_barred(kept.shares, *kept.request, lasts);
    const bool is_refused = kept.job && !engine_.allows_claim(id);
    if (is_refused) refused_.push_back(id);
    if (!stands || is_refused) {
      engine_.limit_use().release(id);
      limits_held_.push_back(id);
      continue;
    }
    if (kept.job) claims_.insert(id);
    keep(kept.shares);
  }
}

void Pass::judge_claims(std::vector<Decision>& decisions) {
  for (const JobId id : claims_) {
    Decision& decision = decisions.emplace_back();
    decision.job = *engine_.kept().at(id).job;
    decision.need = &need_now(*decision.job.request, decision.job.time_limit);
    judge_claimed(decision, engine_.kept().at(id).shares);
    note_decided(decision);
  }
}

void Pass::judge_claimed(Decision& decision, const GangParts& shares) {
  decision.shares = shares;
  decision.outcome = Outcome::Promised;
  decision.expected = gone_by(shares);
  if (!unclaimed_.covers(shares)) return;
  decision.outcome = Outcome::Starts;
  decision.expected = now_;
  take_unclaimed(shares);
  for (const NodePart& share : shares) set_free_least(share.node);
  if (decision.job.time_limit)
    decided_.push_back({now_ + *decision.job.time_limit, shares, Held::Both});
}

}  // namespace cox::schedule
