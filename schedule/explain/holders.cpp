#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "common/base/moment_text.h"
#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/explain/shortage.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

// What a job has of what is missing: on the nodes that would do and have no room, and of licences.
struct Holding {
  struct Part {  // for one of the requests that would serve
    const ResolvedRequest* need = nullptr;
    std::vector<NodeAt> nodes;
    HeldPart held;
  };
  std::vector<Part> parts;
  std::vector<LicenceCount> licences;

  bool is_on(NodeAt at) const {
    return std::ranges::any_of(
        parts, [at](const Part& part) { return std::ranges::binary_search(part.nodes, at); });
  }
};

std::int64_t count_in(const Counts& counts, std::int32_t kind) {
  const auto count = std::ranges::find(counts, kind, &Count::kind);
  return count == counts.end() ? 0 : count->count;
}

// On a node it is told of once, for the first request for which the node lacks something.
void add_holdings(const ExplainContext& told, const ResolvedRequest& need,
                  std::map<JobId, Holding>& found) {
  for (const NodeAt at : nodes_in_question(need)) {
    if (has_room(need, told.pass.unclaimed(), at)) continue;
    const Shortage missing = shortage_on(told, need, at);
    for (const Holder& holder : holders_on(told, at)) {
      const HeldPart held = held_of(told, need, missing, holder);
      Holding& holding = found[holder.job];
      if (held.is_nothing() || holding.is_on(at)) continue;
      if (holding.parts.empty() || holding.parts.back().need != &need)
        holding.parts.push_back({&need, {}, {}});
      holding.parts.back().nodes.push_back(at);
      holding.parts.back().held.add(held);
    }
  }
}

std::map<JobId, Holding> holdings(const ExplainContext& told,
                                  const std::vector<const ResolvedRequest*>& needs) {
  std::map<JobId, Holding> found;
  for (const ResolvedRequest* need : needs) add_holdings(told, *need, found);
  const Counted& counted = told.pass.nodes().counted();
  for (const std::int32_t kind : missing_licences(told, *needs.front()))
    for (const LicenceHolder& holder : told.licence_holders)
      if (const std::int64_t count = count_in(*holder.licences, kind); count > 0)
        found[holder.job].licences.push_back(counted.licence_of({kind, count}));
  std::erase_if(found, [](const auto& one) {
    return one.second.parts.empty() && one.second.licences.empty();
  });
  return found;
}

std::string holding_text(const ExplainContext& told, const Holding& holding) {
  std::vector<std::string> parts;
  for (const Holding::Part& part : holding.parts)
    parts.push_back(held_text(told, *part.need, part.held) + " on " +
                    nodes_text(told.pass.nodes(), part.nodes));
  if (!holding.licences.empty()) parts.push_back("licences " + format_licences(holding.licences));
  return joined(parts, " and ");
}

std::string spared_text(const ExplainContext& told, const RunningJob& job, const Spared& sparing) {
  const Settings& settings = told.pass.settings();
  const std::string stays = "it does not give way before " + moment_text(told, sparing.until);
  if (sparing.why == Sparing::HasJustBegun)
    return stays + ": it runs for at least " + duration_text(sparing.until - job.began) + " first";
  return stays + ": it was preempted " + count_of(settings.preempt_budget, "time") + " within " +
         duration_text(settings.preempt_budget_window) +
         ", and may not be again for a job of its own tier";
}

// Where accounts have quotas of what it asks for, and that is why.
std::optional<std::string> why_by_quota(const Reclaim& reclaim, const Decision& decision,
                                        const RunningJob& job) {
  if (reclaim.over(job.id) == Reclaim::Right::ByGuarantee) return std::nullopt;
  if (reclaim.is_guarded(job.id))
    return reclaim.has_more_than_guaranteed(job.id)
               ? "without it its account would have less than is guaranteed to it, so it gives way "
                 "for the guarantee of another account alone"
               : "its account has no more than is guaranteed to it";
  const bool by_share = job.tier == decision.job.tier && !reclaim.is_of_its_account(job.id) &&
                        reclaim.over(job.id) == Reclaim::Right::None;
  if (!by_share) return std::nullopt;
  if (reclaim.beyond_share() < 0) return "its account has no more than its fair share";
  return "with it, the account of the waiting job would have more than its fair share";
}

std::string kept_line(const ExplainContext& told, const std::vector<NodeAt>& at, JobId job,
                      std::optional<Boot> from) {
  return "it could be preempted, but " + nodes_text(told.pass.nodes(), at) +
         (at.size() == 1 ? " is" : " are") + " kept for " + job_text(job, told.title_of) +
         (from ? ", which is expected there at " + moment_text(told, *from) : std::string());
}

// Of the nodes that it holds and that would do, those that are in the place of another.
std::vector<NodeAt> in_common(const ResolvedRequest& need, const GangParts& held,
                              const GangParts& place) {
  std::vector<NodeAt> at;
  for (const NodePart& share : place)
    if (std::ranges::binary_search(held, share.node, {}, &NodePart::node) &&
        std::ranges::binary_search(nodes_in_question(need), share.node))
      at.push_back(share.node);
  return at;
}

// What the job would still wait for if every job that may be preempted for it were gone. REQUIRES:
// it does not fit into `room`, which is what there would be then.
std::string still_missing_text(const ExplainContext& told, const ResolvedRequest& need,
                               const Room& room) {
  std::vector<std::string> names;
  for (const Count& count : need.licences)
    if (!room.has_licences({count}))
      names.push_back(told.pass.nodes().counted().licence_of({count.kind, 0}).name);
  if (!names.empty())
    return "preempting every job that may be preempted would still leave the job waiting for " +
           std::string(names.size() == 1 ? "licence " : "licences ") + joined(names, ", ");
  const std::int64_t with_room = nodes_with_room(need, room);
  const std::string if_all = "if every job that may be preempted were, ";
  if (with_room < need.nodes)
    return if_all + std::to_string(with_room) + " of the " + count_of(need.nodes, "node") +
           " that the job needs would have room";
  return if_all + count_of(with_room, "node") + " would have room, but not " +
         count_of(need.nodes, "node") + " together as the job asks";
}

// Why preempting this job, with all others that may be preempted, does not help.
std::string why_it_is_no_use(const ExplainContext& told, const Decision& decision,
                             const Running& running) {
  const ResolvedRequest& need = *decision.need;
  const Room room = told.pass.room_if_all_yield(decision);
  if (!fits(need, room))
    return "it could be preempted, but " + still_missing_text(told, need, room);
  for (const Decision* other : told.promised)
    if (const auto at = in_common(need, *running.shares, other->shares); !at.empty())
      return kept_line(told, at, other->job.id, other->expected);
  if (const Reservations* reservations = told.pass.reservations())
    for (std::size_t i = 0; i < reservations->all().size(); ++i) {
      const Reserved& reserved = reservations->all()[i];
      if (reserved.job == decision.job.id) continue;
      if (const auto at = in_common(need, *running.shares, reservations->place_of(i)); !at.empty())
        return kept_line(told, at, reserved.job, reserved.at);
    }
  return "it could be preempted, but there would be no room for the whole gang beside what is kept "
         "for jobs before it";
}

std::string why_it_stays(const ExplainContext& told, const Decision& decision,
                         const Running& running) {
  const RunningJob& job = running.job;
  const PendingJob& waiting = decision.job;
  if (told.pass.is_stopping(running)) return "it is stopping already";
  if (job.suspended) return "it is suspended, and keeps all but its CPUs until it has ended";
  if (!waiting.may_preempt) return "none may be preempted for this job";
  const Reclaim reclaim = told.pass.reclaim(waiting, *decision.need);
  const Reclaim::Right right = job.preemptable ? reclaim.over(job.id) : Reclaim::Right::None;
  if (job.preemptable && reclaim.account() >= 0)
    if (const auto why = why_by_quota(reclaim, decision, job)) return *why;
  const bool by_quota = right == Reclaim::Right::ByGuarantee ||
                        (right == Reclaim::Right::ByShare && job.tier <= waiting.tier);
  if (!by_quota && job.tier == waiting.tier)
    return "it has the same tier " + std::to_string(job.tier) + "; only lower tiers give way";
  if (!by_quota && job.tier > waiting.tier)
    return "it has the higher tier " + std::to_string(job.tier) + " and does not give way";
  if (!job.preemptable) return "it may not be preempted";
  const auto sparing = spared(told.pass.settings(), job, waiting.tier, told.pass.now());
  if (sparing && right != Reclaim::Right::ByGuarantee) return spared_text(told, job, *sparing);
  if (job.suspends) return "it would stand still and leave its CPUs alone, which is not enough";
  return why_it_is_no_use(told, decision, running);
}

std::string holder_line(const ExplainContext& told, const Decision& decision, JobId id,
                        const Holding& holding) {
  const std::string text = job_text(id, told.title_of) + " holds " + holding_text(told, holding);
  const auto running = told.pass.running().find(id);
  if (running == told.pass.running().end()) return text + "; it starts now";
  return text + until_text(told, running->second) + "; " +
         why_it_stays(told, decision, running->second);
}

}  // namespace

const std::vector<Holder>& holders_on(const ExplainContext& told, NodeAt at) {
  return told.holders[static_cast<std::size_t>(at)];
}

namespace {

// Of each of its alternatives, but for those that a limit does not allow, and in a reservation that
// it need not be in and that is of no use to it now: not open, or not on nodes that would do.
std::vector<const ResolvedRequest*> needs_of_use(const ExplainContext& told,
                                                 const Decision& decision) {
  std::vector<const ResolvedRequest*> all;
  bool is_free = false;  // it need not be in any
  for (const Request* one = &*decision.job.request; one != nullptr;
       one = one->otherwise ? &**one->otherwise : nullptr) {
    all.push_back(&told.pass.need_now(*one, decision.job.time_limit));
    is_free = is_free || one->reservation.empty();
  }
  if (is_free)
    std::erase_if(all, [](const ResolvedRequest* need) {
      return !need->request->reservation.empty() && !need->ever_fits;
    });
  const auto limited = [&](const ResolvedRequest* need) {
    return is_limited(told, decision, *need);
  };
  if (!std::ranges::all_of(all, limited)) std::erase_if(all, limited);
  return all;
}

bool tells_of_one_alone(const ExplainContext& told, const Decision& decision) {
  const bool has_place =
      decision.outcome == Outcome::Promised || decision.outcome == Outcome::Preempts;
  return !decision.job.request->otherwise && (has_place || told.pass.advance().empty());
}

}  // namespace

std::vector<const ResolvedRequest*> needs_told(const ExplainContext& told,
                                               const Decision& decision) {
  if (tells_of_one_alone(told, decision)) return {decision.need};
  std::vector<const ResolvedRequest*> needs = needs_of_use(told, decision);
  const auto is_decided = [&](const ResolvedRequest* need) { return is_of(*need, decision); };
  const auto decided = std::ranges::find_if(needs, is_decided);
  if (decided != needs.end() && std::cmp_greater_equal(decided - needs.begin(), needs_told_max))
    needs[needs_told_max - 1] = *decided;
  if (needs.size() > needs_told_max) needs.resize(needs_told_max);
  return needs;
}

std::int64_t needs_untold(const ExplainContext& told, const Decision& decision) {
  if (tells_of_one_alone(told, decision)) return 0;
  return std::max<std::int64_t>(
      std::ssize(needs_of_use(told, decision)) - static_cast<std::int64_t>(needs_told_max), 0);
}

bool is_of(const ResolvedRequest& need, const Decision& decision) {
  return &need == decision.need || *need.request == *decision.need->request;
}

Room open_room(const ExplainContext& told, const Decision& decision) {
  const Reservations* reservations = told.pass.reservations();
  const bool has_place =
      decision.outcome == Outcome::Promised || decision.outcome == Outcome::Preempts;
  if (reservations == nullptr || has_place) return told.pass.free_for(decision);
  std::optional<Boot> end;
  if (decision.job.time_limit) end = told.pass.now() + *decision.job.time_limit;
  return reservations->spare_beside(decision.job.id, told.pass.free(), end);
}

bool nobody_passes(const ExplainContext& told) {
  const Reservations* reservations = told.pass.reservations();
  return reservations != nullptr && reservations->nobody_passes() && !told.before.empty();
}

bool names_all(const ResolvedRequest& need) {
  const std::vector<std::string>& names = need.request->nodelist;
  if (std::ssize(names) < need.nodes) return false;
  return std::cmp_equal(std::set<std::string_view>(names.begin(), names.end()).size(), need.nodes);
}

const std::vector<NodeAt>& nodes_in_question(const ResolvedRequest& need) {
  return names_all(need) ? need.required : need.usable;
}

bool has_room(const ResolvedRequest& need, const Room& room, NodeAt at) {
  return tasks_that_fit(need, room, at) >= std::max<std::int64_t>(need.tasks / need.nodes, 1);
}

std::int64_t nodes_with_room(const ResolvedRequest& need, const Room& room) {
  return std::ranges::count_if(nodes_in_question(need),
                               [&](NodeAt at) { return has_room(need, room, at); });
}

std::string moment_text(const ExplainContext& told, Boot moment) {
  return cox::moment_text(told.now + (moment - told.pass.now()));
}

std::string until_text(const ExplainContext& told, const Running& running) {
  if (running.job.time_left)
    return ", with " + duration_text(*running.job.time_left) + " of its time limit left";
  if (!running.job.ends_by) return ", without a time limit";
  return ", until " + moment_text(told, *running.job.ends_by) + " at the latest";
}

std::string licence_text(const ExplainContext& told, const ResolvedRequest& need) {
  const auto missing = missing_licences(told, need);
  if (missing.empty()) return "";
  const std::int32_t kind = missing.front();
  const Counted& counted = told.pass.nodes().counted();
  const std::int64_t all = counted.idle_licences()[static_cast<std::size_t>(kind)];
  std::int64_t free = all;
  std::vector<std::string> by;
  for (const LicenceHolder& holder : told.licence_holders) {
    const std::int64_t count = count_in(*holder.licences, kind);
    if (count == 0) continue;
    free -= count;
    if (by.size() < holders_shown_max)
      by.push_back(job_text(holder.job, told.title_of) + " has " + std::to_string(count));
    else if (by.size() == holders_shown_max)
      by.push_back("...");
  }
  return "licence " + counted.licence_of({kind, 0}).name + ": " +
         std::to_string(std::max<std::int64_t>(free, 0)) + " of " + std::to_string(all) +
         (free == 1 ? " is" : " are") + " free, " + joined(by, ", ");
}

std::vector<std::string> holder_lines(const ExplainContext& told, const Decision& decision) {
  const auto found = holdings(told, needs_told(told, decision));
  std::vector<std::string> lines;
  for (const auto& [id, holding] : found) {
    if (lines.size() == told_lines_max) {
      lines.push_back("and " + count_of(std::ssize(found) - std::ssize(lines), "job") + " more");
      break;
    }
    lines.push_back(holder_line(told, decision, id, holding));
  }
  return lines;
}

}  // namespace cox::schedule
