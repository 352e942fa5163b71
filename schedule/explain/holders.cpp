#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "common/base/moment_text.h"
#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/explain/shortage.h"
#include "schedule/model/request_chain.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

// What a job holds of the missing resources: on nodes that fit but have no room, and of licences.
struct Holding {
  struct Part {  // what the job holds that one alternative request lacks
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

// Adds to `found` what each job holds that this need lacks. A job is listed once per node, for the
// first request that lacks something there.
void add_holdings(const ExplainContext& context, const ResolvedRequest& need,
                  std::map<JobId, Holding>& found) {
  for (const NodeAt at : nodes_in_question(need)) {
    if (has_room(need, context.pass.rooms().unclaimed(), at)) continue;
    const Shortage missing = shortage_on(context, need, at);
    for (const Holder& holder : holders_on(context, at)) {
      const HeldPart held = held_of(context, need, missing, holder);
      Holding& holding = found[holder.job];
      if (held.is_nothing() || holding.is_on(at)) continue;
      if (holding.parts.empty() || holding.parts.back().need != &need)
        holding.parts.push_back({&need, {}, {}});
      holding.parts.back().nodes.push_back(at);
      holding.parts.back().held.add(held);
    }
  }
}

std::map<JobId, Holding> holdings(const ExplainContext& context,
                                  const std::vector<const ResolvedRequest*>& needs) {
  std::map<JobId, Holding> found;
  for (const ResolvedRequest* need : needs) add_holdings(context, *need, found);
  const Counted& counted = context.facts.nodes().counted();
  for (const std::int32_t kind : missing_licences(context, *needs.front()))
    for (const LicenceHolder& holder : context.licence_holders)
      if (const std::int64_t count = count_in(*holder.licences, kind); count > 0)
        found[holder.job].licences.push_back(counted.licence_of({kind, count}));
  std::erase_if(found, [](const auto& one) {
    return one.second.parts.empty() && one.second.licences.empty();
  });
  return found;
}

std::string holding_text(const ExplainContext& context, const Holding& holding) {
  std::vector<std::string> parts;
  for (const Holding::Part& part : holding.parts)
    parts.push_back(held_text(context, *part.need, part.held) + " on " +
                    nodes_text(context.facts.nodes(), part.nodes));
  if (!holding.licences.empty()) parts.push_back("licences " + format_licences(holding.licences));
  return joined(parts, " and ");
}

std::string spared_text(const ExplainContext& context, const RunningJob& job,
                        const Spared& sparing) {
  const Settings& settings = context.facts.settings();
  const std::string stays = "it cannot be preempted before " + moment_text(context, sparing.until);
  if (sparing.why == Sparing::HasJustBegun)
    return stays + ": it is exempt for its first " + duration_text(sparing.until - job.began);
  return stays + ": it was preempted " + count_of(settings.preempt_budget, "time") + " within " +
         duration_text(settings.preempt_budget_window) +
         ", so jobs of its own tier may not preempt it again";
}

// Returns the reason if a quota of the accounts keeps the job from being preempted.
std::optional<std::string> why_by_quota(const Reclaim& reclaim, const Decision& decision,
                                        const RunningJob& job) {
  if (reclaim.over(job.id) == Reclaim::Right::ByGuarantee) return std::nullopt;
  if (reclaim.is_guarded(job.id))
    return reclaim.has_more_than_guaranteed(job.id) ? "without it its account would have less than "
                                                      "its guarantee, so it can be preempted "
                                                      "only for the guarantee of another account"
                                                    : "its account has no more than its guarantee";
  const bool by_share = job.tier == decision.job.tier && !reclaim.is_of_its_account(job.id) &&
                        reclaim.over(job.id) == Reclaim::Right::None;
  if (!by_share) return std::nullopt;
  if (reclaim.beyond_share() < 0) return "its account has no more than its fair share";
  return "the waiting job would bring its own account above its fair share";
}

std::string reserved_nodes_line(const ExplainContext& context, const std::vector<NodeAt>& at,
                                JobId job, std::optional<Boot> from) {
  return "it could be preempted, but " + nodes_text(context.facts.nodes(), at) +
         (at.size() == 1 ? " is" : " are") + " reserved for " + job_text(job, context.title_of) +
         (from ? ", which is expected there at " + moment_text(context, *from) : std::string());
}

// Returns the nodes of the need that the job holds and that are also in another job's place.
std::vector<NodeAt> in_common(const ResolvedRequest& need, const GangParts& held,
                              const GangParts& place) {
  std::vector<NodeAt> at;
  for (const NodePart& share : place)
    if (std::ranges::binary_search(held, share.node, {}, &NodePart::node) &&
        std::ranges::binary_search(nodes_in_question(need), share.node))
      at.push_back(share.node);
  return at;
}

// Returns what the waiting job would still lack if every job that it may preempt were gone. `room`:
// the room after that. REQUIRES: the job does not fit in `room`.
std::string still_missing_text(const ExplainContext& context, const ResolvedRequest& need,
                               const Room& room) {
  std::vector<std::string> names;
  for (const Count& count : need.licences)
    if (!room.has_licences({count}))
      names.push_back(context.facts.nodes().counted().licence_of({count.kind, 0}).name);
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

// Returns why it does not help to preempt this job together with all others that may be preempted.
std::string why_preemption_fails(const ExplainContext& context, const Decision& decision,
                                 const Running& running) {
  const ResolvedRequest& need = *decision.need;
  const Room room = context.pass.victims().room_if_all_preempted(decision);
  if (!fits(need, room))
    return "it could be preempted, but " + still_missing_text(context, need, room);
  for (const Decision* other : context.promised)
    if (const auto at = in_common(need, *running.shares, other->shares); !at.empty())
      return reserved_nodes_line(context, at, other->job.id, other->expected);
  if (const Reservations* reservations = context.pass.reservations())
    for (std::size_t i = 0; i < reservations->all().size(); ++i) {
      const Reserved& reserved = reservations->all()[i];
      if (reserved.job == decision.job.id) continue;
      if (const auto at = in_common(need, *running.shares, reservations->place_of(i)); !at.empty())
        return reserved_nodes_line(context, at, reserved.job, reserved.at);
    }
  return "it could be preempted, but there would be no room for the whole gang beside what is "
         "reserved for jobs before it";
}

std::string why_not_preempted(const ExplainContext& context, const Decision& decision,
                              const Running& running) {
  const RunningJob& job = running.job;
  const PendingJob& waiting = decision.job;
  if (context.pass.decided().is_stopping(running)) return "it is stopping already";
  if (job.suspended) return "it is suspended, and keeps all but its CPUs until it has ended";
  if (!waiting.may_preempt) return "no job may be preempted for this one";
  const Reclaim reclaim = context.pass.quotas().reclaim(waiting, *decision.need);
  const Reclaim::Right right = job.preemptable ? reclaim.over(job.id) : Reclaim::Right::None;
  if (job.preemptable && reclaim.account() >= 0)
    if (const auto why = why_by_quota(reclaim, decision, job)) return *why;
  const bool by_quota = right == Reclaim::Right::ByGuarantee ||
                        (right == Reclaim::Right::ByShare && job.tier <= waiting.tier);
  if (!by_quota && job.tier == waiting.tier)
    return "it has the same tier " + std::to_string(job.tier) +
           "; only jobs of lower tiers are preempted";
  if (!by_quota && job.tier > waiting.tier)
    return "it has the higher tier " + std::to_string(job.tier) + " and cannot be preempted";
  if (!job.preemptable) return "it may not be preempted";
  const auto sparing = spared(context.facts.settings(), job, waiting.tier, context.facts.now());
  if (sparing && right != Reclaim::Right::ByGuarantee) return spared_text(context, job, *sparing);
  if (job.suspends) return "it would be suspended, which frees only its CPUs; that is not enough";
  return why_preemption_fails(context, decision, running);
}

std::string holder_line(const ExplainContext& context, const Decision& decision, JobId id,
                        const Holding& holding) {
  const std::string text =
      job_text(id, context.title_of) + " holds " + holding_text(context, holding);
  const auto running = context.facts.running().find(id);
  if (running == context.facts.running().end()) return text + "; it starts now";
  return text + until_text(context, running->second) + "; " +
         why_not_preempted(context, decision, running->second);
}

}  // namespace

const std::vector<Holder>& holders_on(const ExplainContext& context, NodeAt at) {
  return context.holders[static_cast<std::size_t>(at)];
}

namespace {

// Returns the needs of the alternative requests. Left out are those that a limit stops, unless
// limits stop all. If the job need not use a reservation, alternatives in a reservation that is not
// open or has no fitting nodes are left out, too.
std::vector<const ResolvedRequest*> needs_of_use(const ExplainContext& context,
                                                 const Decision& decision) {
  std::vector<const ResolvedRequest*> all;
  bool is_free = false;  // true: some alternative request names no reservation
  for (const Request& one : RequestChain(*decision.job.request)) {
    all.push_back(&context.facts.need_now(one, decision.job.time_limit));
    is_free = is_free || one.reservation.empty();
  }
  if (is_free)
    std::erase_if(all, [](const ResolvedRequest* need) {
      return !need->request->reservation.empty() && !need->ever_fits;
    });
  const auto limited = [&](const ResolvedRequest* need) {
    return is_limited(context, decision, *need);
  };
  if (!std::ranges::all_of(all, limited)) std::erase_if(all, limited);
  return all;
}

bool explains_one_need(const ExplainContext& context, const Decision& decision) {
  const bool has_place =
      decision.outcome == Outcome::Promised || decision.outcome == Outcome::Preempts;
  return !decision.job.request->otherwise && (has_place || context.facts.advance().empty());
}

}  // namespace

std::vector<const ResolvedRequest*> needs_shown(const ExplainContext& context,
                                                const Decision& decision) {
  if (explains_one_need(context, decision)) return {decision.need};
  std::vector<const ResolvedRequest*> needs = needs_of_use(context, decision);
  const auto is_decided = [&](const ResolvedRequest* need) { return is_of(*need, decision); };
  const auto decided = std::ranges::find_if(needs, is_decided);
  if (decided != needs.end() && std::cmp_greater_equal(decided - needs.begin(), needs_shown_max))
    needs[needs_shown_max - 1] = *decided;
  if (needs.size() > needs_shown_max) needs.resize(needs_shown_max);
  return needs;
}

std::int64_t needs_left_out(const ExplainContext& context, const Decision& decision) {
  if (explains_one_need(context, decision)) return 0;
  return std::max<std::int64_t>(
      std::ssize(needs_of_use(context, decision)) - static_cast<std::int64_t>(needs_shown_max), 0);
}

bool is_of(const ResolvedRequest& need, const Decision& decision) {
  return &need == decision.need || *need.request == *decision.need->request;
}

Room open_room(const ExplainContext& context, const Decision& decision) {
  const Reservations* reservations = context.pass.reservations();
  const bool has_place =
      decision.outcome == Outcome::Promised || decision.outcome == Outcome::Preempts;
  if (reservations == nullptr || has_place) return context.pass.rooms().free_for(decision);
  std::optional<Boot> end;
  if (decision.job.time_limit) end = context.facts.now() + *decision.job.time_limit;
  return reservations->spare_beside(decision.job.id, context.pass.rooms().free(), end);
}

bool allows_no_backfill(const ExplainContext& context) {
  const Reservations* reservations = context.pass.reservations();
  return reservations != nullptr && reservations->allows_no_backfill() && !context.before.empty();
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
  std::int64_t part = std::max<std::int64_t>(need.tasks / need.nodes, 1);
  const std::int64_t most = need.all_nodes == nullptr
                                ? part
                                : (*need.all_nodes)[at].node->total.cpus / need.cpus_per_task;
  if (most < part && is_uneven(need)) part = std::max<std::int64_t>(most, 1);
  return tasks_that_fit(need, room, at) >= part;
}

std::int64_t nodes_with_room(const ResolvedRequest& need, const Room& room) {
  return std::ranges::count_if(nodes_in_question(need),
                               [&](NodeAt at) { return has_room(need, room, at); });
}

std::string moment_text(const ExplainContext& context, Boot moment) {
  return cox::moment_text(context.now + (moment - context.facts.now()));
}

std::string until_text(const ExplainContext& context, const Running& running) {
  if (running.job.time_left)
    return ", with " + duration_text(*running.job.time_left) + " of its time limit left";
  if (!running.job.ends_by) return ", without a time limit";
  return ", until " + moment_text(context, *running.job.ends_by) + " at the latest";
}

std::string licence_text(const ExplainContext& context, const ResolvedRequest& need) {
  const auto missing = missing_licences(context, need);
  if (missing.empty()) return "";
  const std::int32_t kind = missing.front();
  const Counted& counted = context.facts.nodes().counted();
  const std::int64_t all = counted.idle_licences()[static_cast<std::size_t>(kind)];
  std::int64_t free = all;
  std::vector<std::string> by;
  for (const LicenceHolder& holder : context.licence_holders) {
    const std::int64_t count = count_in(*holder.licences, kind);
    if (count == 0) continue;
    free -= count;
    if (by.size() < holders_shown_max)
      by.push_back(job_text(holder.job, context.title_of) + " has " + std::to_string(count));
    else if (by.size() == holders_shown_max)
      by.push_back("...");
  }
  return "licence " + counted.licence_of({kind, 0}).name + ": " +
         std::to_string(std::max<std::int64_t>(free, 0)) + " of " + std::to_string(all) +
         (free == 1 ? " is" : " are") + " free, " + joined(by, ", ");
}

std::vector<std::string> holder_lines(const ExplainContext& context, const Decision& decision) {
  const auto found = holdings(context, needs_shown(context, decision));
  std::vector<std::string> lines;
  for (const auto& [id, holding] : found) {
    if (lines.size() == shown_lines_max) {
      lines.push_back("and " + count_of(std::ssize(found) - std::ssize(lines), "job") + " more");
      break;
    }
    lines.push_back(holder_line(context, decision, id, holding));
  }
  return lines;
}

}  // namespace cox::schedule
