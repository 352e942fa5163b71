#include "schedule/explain/explain.h"

#include <algorithm>
#include <utility>

#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/explain/shortage.h"
#include "schedule/place/contiguous.h"
#include "schedule/place/islands.h"
#include "schedule/place/matcher.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

// How much is told of a job, the more the dearer.
enum class Depth : std::uint8_t { Reason, Line, InFull, WithChanges };

Depth depth_for(const ExplainDepth& telling, std::size_t told_before, JobId id) {
  if (id == telling.also || told_before < telling.jobs_with_changes) return Depth::WithChanges;
  if (told_before < telling.jobs_in_full) return Depth::InFull;
  return told_before < telling.jobs ? Depth::Line : Depth::Reason;
}

// REQUIRES: the verdicts outlive what is told.
void note_holders(ExplainContext& told, const std::vector<Decision>& decisions) {
  told.holders.resize(static_cast<std::size_t>(told.pass.nodes().size()));
  const auto add = [&told](JobId job, const GangParts& shares) {
    for (const NodePart& share : shares)
      told.holders[static_cast<std::size_t>(share.node)].push_back({job, share, &shares.each});
    if (!shares.licences.empty()) told.licence_holders.push_back({job, &shares.licences});
  };
  for (const auto& [id, running] : told.pass.running()) add(id, *running.held());
  for (const Decision& decision : decisions) {
    if (decision.outcome == Outcome::Starts) add(decision.job.id, decision.shares);
    if (decision.outcome == Outcome::Promised || decision.outcome == Outcome::Preempts)
      told.promised.push_back(&decision);
  }
}

// "n1 by job 17 of alice (4 of 4 CPUs), n2 by ...", for the nodes that would do and have no room:
// as many as a line has place for.
std::string busy_text(const ExplainContext& told, const ResolvedRequest& need) {
  constexpr std::size_t bytes_max = 100;
  std::string text;
  std::size_t nodes_told = 0;
  for (const NodeAt at : nodes_in_question(need)) {
    if (has_room(need, told.pass.unclaimed(), at)) continue;
    if (nodes_told++ == holders_shown_max || text.size() > bytes_max) return text + ", ...";
    std::vector<std::string> by;
    const Shortage missing = shortage_on(told, need, at);
    for (const Holder& holder : holders_on(told, at)) {
      const HeldPart held = held_of(told, need, missing, holder);
      if (!held.is_nothing() && by.size() < holders_shown_max)
        by.push_back(job_text(holder.job, told.title_of) + " (" + part_text(told, need, at, held) +
                     ")");
    }
    text += (text.empty() ? "" : ", ") + told.pass.nodes().name(at) + (by.empty() ? "" : " by ") +
            joined(by, ", ");
  }
  return text;
}

std::string expected_text(const ExplainContext& told, Boot expected) {
  return "expected at " + moment_text(told, expected);
}

// Of a job that wants its GPUs joined, where that is what there are too few of.
std::string free_island_text(const ExplainContext& told, const ResolvedRequest& need) {
  const Room& room = told.pass.unclaimed();
  if (!need.joined_gpus || nodes_with_room(need, room) >= need.nodes) return "";
  std::int64_t largest = 0;
  for (const NodeAt at : need.usable)
    largest = std::max(
        largest, most_joined(need, told.pass.nodes()[at], need.of_its_types(at, room[at].gpus)));
  if (largest >= need.gpus) return "";
  return "; the largest free island of joined GPUs has " + std::to_string(largest);
}

// Explains how many free nodes are consecutive, if a job waits only because of --contiguous.
std::string neighbours_text(const ExplainContext& told, const ResolvedRequest& need) {
  const Room& room = told.pass.unclaimed();
  if (!need.contiguous) return "";
  std::vector<NodeAt> with_room;
  for (const NodeAt at : nodes_in_question(need))
    if (has_room(need, room, at)) with_room.push_back(at);
  const std::int64_t longest = longest_run(with_room);
  if (std::cmp_less(with_room.size(), need.nodes) || longest >= need.nodes) return "";
  if (longest < 2) return "; no two of these are next to one another";
  return "; at most " + std::to_string(longest) + " of these are next to one another";
}

std::string room_text(const ExplainContext& told, const ResolvedRequest& need) {
  const std::int64_t would_do = std::ssize(nodes_in_question(need));
  std::string text = request_text(need) + ": ";
  if (would_do == 0) return text + "no node would do now";
  text += count_of(would_do, "node") + " would do, " +
          std::to_string(nodes_with_room(need, told.pass.unclaimed())) + " with room now";
  const std::string busy = busy_text(told, need);
  if (!busy.empty()) text += " (busy: " + busy + ")";
  return text + free_island_text(told, need) + neighbours_text(told, need);
}

// "needs A; or else B; or else 2 more": what `words` says of each request that would serve it.
std::string needs_text(const ExplainContext& told, const Decision& decision, const auto& words) {
  const auto needs = needs_told(told, decision);
  std::vector<std::string> parts;
  for (const ResolvedRequest* need : needs) parts.push_back(words(*need));
  if (const std::int64_t more = needs_untold(told, decision); more > 0)
    parts.push_back(count_of(more, "more request"));
  return "needs " + joined(parts, "; or else ");
}

std::string expected_when_text(const ExplainContext& told, const Decision& decision) {
  if (told.give_way_at && told.give_way_for)
    return "; from " + moment_text(told, *told.give_way_at) +
           " on there may be room, as others are made to give way for " +
           job_text(*told.give_way_for, told.title_of);
  if (told.give_way_at)
    return "; from " + moment_text(told, *told.give_way_at) +
           " on others may be made to give way for it";
  if (decision.outcome != Outcome::Reserved) return "";
  if (!decision.expected) return "; when is not known: jobs there have no time limit";
  return "; " + expected_text(told, *decision.expected) + " by time limits";
}

std::string no_room_text(const ExplainContext& told, const Decision& decision) {
  std::string text = needs_text(told, decision,
                                [&](const ResolvedRequest& need) { return room_text(told, need); });
  if (const std::string licence = licence_text(told, *decision.need); !licence.empty())
    text += "; " + licence;
  if (const std::string kept = reserved_in_short(told, decision); !kept.empty())
    text += "; " + kept;
  if (const std::string few = switches_text(told, decision); !few.empty()) text += "; " + few;
  return text + expected_when_text(told, decision);
}

std::string promised_text(const ExplainContext& told, const Decision& decision) {
  std::vector<JobId> stopping;
  for (const auto& [id, running] : told.pass.running()) {
    const auto holds = [&shares = *running.shares](const NodePart& share) {
      return std::ranges::binary_search(shares, share.node, {}, &NodePart::node);
    };
    if ((told.pass.is_stopping(running) || running.frees_cpus_soon()) &&
        std::ranges::any_of(decision.shares, holds))
      stopping.push_back(id);
  }
  std::string text = "keeps its place on " + nodes_text(told.pass.nodes(), decision.shares) +
                     "; starts when " + jobs_text(stopping, told.title_of) +
                     (stopping.size() == 1 ? " has" : " have") + " stopped there";
  if (decision.expected) text += ", by " + moment_text(told, *decision.expected) + " at the latest";
  return text;
}

// In line, or standing still.
std::vector<JobId> before(const ExplainContext& told, const Decision& decision) {
  std::vector<JobId> before = told.before;
  for (const SuspendedWait& waits : told.pass.standing_still())
    if (const RunningJob& job = told.pass.running().at(waits.job).job;
        std::pair(job.rank, job.tier) >= std::pair(decision.job.rank, decision.job.tier))
      before.push_back(waits.job);
  return before;
}

// Of the requests that would serve it, the first for which there is room.
const ResolvedRequest& need_with_room(const ExplainContext& told, const Decision& decision) {
  for (const ResolvedRequest* need : needs_told(told, decision))
    if (fits(*need, told.pass.unclaimed())) return *need;
  return *decision.need;
}

std::string behind_text(const ExplainContext& told, const Decision& decision) {
  const ResolvedRequest& need = need_with_room(told, decision);
  std::string text =
      "there is room for " + request_text(need) +
      ", but it is kept for others before it: " + jobs_text(before(told, decision), told.title_of);
  if (decision.expected) return text + "; " + expected_text(told, *decision.expected);
  if (told.pass.reservations() == nullptr || decision.outcome == Outcome::Reserved) return text;
  const auto& reserved = told.pass.reservations()->all();
  if (reserved.empty() || !reserved.front().at) return text;
  text += "; " + job_text(reserved.front().job, told.title_of) + " is " +
          expected_text(told, *reserved.front().at);
  const std::int64_t left_ms = (*reserved.front().at - told.pass.now()).count();
  if (left_ms >= 60'000 && fits(need, told.pass.free()))
    text += "; a time limit that ends before would let it pass";
  return text;
}

std::string unavailable_text(const ExplainContext& told, const ResolvedRequest& need) {
  const Nodes& nodes = told.pass.nodes();
  Matcher& matcher = told.pass.matcher();
  const ResolvedRequest& wish =
      matcher.need(*need.request, Availability::Ignored,
                   told.pass.advance().always_closed(need.request->reservation));
  if (!fits(wish, matcher.idle()))
    return request_text(wish) + ", more than the nodes that are known can give";
  std::vector<std::string> missing;
  std::int64_t unavailable = 0;
  for (const NodeAt at : nodes_in_question(wish)) {
    const SchedulerNode& node = *nodes[at].node;
    if (node.available) continue;
    ++unavailable;
    if (missing.size() > holders_shown_max) continue;
    missing.push_back(missing.size() == holders_shown_max
                          ? "..."
                          : node.name + " (" + node.unavailable_why + ")");
  }
  return request_text(wish) + ": of " + count_of(std::ssize(nodes_in_question(wish)), "node") +
         " that would do, " + std::to_string(std::ssize(nodes_in_question(wish)) - unavailable) +
         " can be used now; unavailable: " + joined(missing, ", ");
}

std::string unavailable_text(const ExplainContext& told, const Decision& decision) {
  if (told.pass.nodes().size() == 0) return "the cluster has no nodes yet";
  const std::string& gone = decision.job.request->partition_gone;
  if (!gone.empty()) return "partition " + gone + " is no longer configured";
  if (waits_for_switches_alone(told, decision))
    return "needs " + request_text(*decision.need) +
           ", which no nodes of this cluster can give now; " + switches_text(told, decision);
  return needs_text(told, decision,
                    [&](const ResolvedRequest& need) { return unavailable_text(told, need); });
}

void append(std::vector<std::string>& lines, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(lines));
}

std::vector<std::string> all_lines(const ExplainContext& told, const Decision& decision,
                                   bool with_changes) {
  const bool has_place =
      decision.outcome == Outcome::Promised || decision.outcome == Outcome::Preempts;
  const Room open = open_room(told, decision);
  const auto needs = needs_told(told, decision);
  std::vector<std::string> lines;
  if (decision.outcome == Outcome::Limited) {
    const bool is_told = std::ranges::find(needs, decision.need) != needs.end();
    lines.push_back("asks for " + request_text(is_told ? *decision.need : *needs.front()));
    append(lines, limit_lines(told, decision));
    append(lines, quota_lines(told, decision));
    return lines;
  }
  if (decision.outcome == Outcome::NotOpen) {
    lines.push_back("asks for " + request_text(*decision.need));
    lines.push_back(not_open_text(told, decision).second);
    return lines;
  }
  for (const ResolvedRequest* need : needs) {
    lines.push_back((lines.empty() ? "asks for " : "or else ") + request_text(*need));
    if (has_place && !is_of(*need, decision)) continue;
    append(lines, constraint_lines(told, *need, open));
    append(lines, class_lines(told, *need));
  }
  if (!has_place) append(lines, limited_alternatives(told, decision));
  if (const std::int64_t more = needs_untold(told, decision); more > 0)
    lines.push_back("or else " + count_of(more, "more request"));
  if (!told.before.empty())
    lines.push_back((told.knows_all_before ? "" : "at least ") +
                    count_of(std::ssize(told.before), "waiting job") +
                    " before it: " + jobs_text(told.before, told.title_of));
  if (has_place) return lines;
  append(lines, quota_lines(told, decision));
  append(lines, reserved_lines(told, decision));
  if (!decision.others_first) append(lines, holder_lines(told, decision));
  if (with_changes) append(lines, change_lines(told, decision));
  return lines;
}

WaitReason reason_of_no_room(const Pass& pass, const Decision& decision) {
  const bool has_licences = pass.unclaimed().has_licences(decision.need->licences);
  return has_licences ? WaitReason::Resources : WaitReason::Licenses;
}

WaitReason reason_unavailable(const ExplainContext& told, const Decision& decision) {
  return waits_for_switches_alone(told, decision) ? WaitReason::Resources
                                                  : WaitReason::ReqNodeNotAvail;
}

WaitReason reason_waiting(const ExplainContext& told, const Decision& decision) {
  return is_reserved_for_others(told, decision) ? WaitReason::ReqNodeNotAvail
                                                : reason_of_no_room(told.pass, decision);
}

std::pair<WaitReason, std::string> reason_of(const ExplainContext& told, const Decision& decision) {
  const std::string id = id_text(decision.job.id, told.title_of);
  switch (decision.outcome) {
    case Outcome::Starts: break;
    case Outcome::Promised:
      return {reason_of_no_room(told.pass, decision), promised_text(told, decision)};
    case Outcome::Preempts:
      return {reason_of_no_room(told.pass, decision), preempts_text(told, decision)};
    case Outcome::Reserved:
      if (decision.others_first) return {WaitReason::Priority, behind_text(told, decision)};
      return {reason_waiting(told, decision), no_room_text(told, decision)};
    case Outcome::NoRoom: return {reason_waiting(told, decision), no_room_text(told, decision)};
    case Outcome::NotOpen: return not_open_text(told, decision);
    case Outcome::Behind: return {WaitReason::Priority, behind_text(told, decision)};
    case Outcome::Limited: return limited_text(told, decision);
    case Outcome::Unavailable:
      return {reason_unavailable(told, decision), unavailable_text(told, decision)};
    case Outcome::Held: return {WaitReason::JobHeldUser, "held; `cox release " + id + "` frees it"};
  }
  return {WaitReason::None, ""};
}

std::vector<std::string> node_names(const Nodes& nodes, const GangParts& shares) {
  std::vector<std::string> names;
  for (const NodePart& share : shares) names.push_back(nodes[share.node].node->name);
  return names;
}

// Sooner than by time limits, if so; then on which nodes is not settled.
void settle_by_giving_way(const ExplainContext& told, PendingExplanation& waiting) {
  const auto at = told.give_way_at;
  if (!at || (waiting.expected_start && *waiting.expected_start <= *at)) return;
  waiting.expected_start = at;
  waiting.nodes.clear();
  waiting.at_the_earliest = !told.before.empty();
}

// When and where it would start: as it was decided; else when it would fit beside all that is
// reserved, which those that wait before it may still draw out.
void settle_start(const ExplainContext& told, const Decision& decision,
                  PendingExplanation& waiting) {
  waiting.expected_start = decision.expected;
  waiting.nodes = node_names(told.pass.nodes(), decision.shares);
  const Reservations* reservations = told.pass.reservations();
  if (reservations == nullptr) return;
  for (std::size_t i = 0; i < reservations->all().size(); ++i)
    if (reservations->all()[i].job == decision.job.id)
      waiting.nodes = node_names(told.pass.nodes(), reservations->place_of(i));
  if (decision.outcome == Outcome::Reserved) settle_by_giving_way(told, waiting);
  const bool waits = decision.outcome == Outcome::Behind || decision.outcome == Outcome::NoRoom;
  if (!waits || !told.seeks_start) return;
  for (const ResolvedRequest* need : needs_told(told, decision)) {
    const auto stretches = told.pass.stretches_of(*need->request, decision.job.time_limit);
    const auto fit = reservations->estimate(stretches, decision.job.time_limit);
    if (!fit || (waiting.expected_start && *waiting.expected_start <= fit->at)) continue;
    waiting.expected_start = fit->at;
    waiting.nodes = node_names(told.pass.nodes(), fit->shares);
    waiting.at_the_earliest = !told.before.empty();
  }
  settle_by_giving_way(told, waiting);
}

// A job that waits for few switches starts when more will do, if that is sooner.
void settle_by_patience(const ExplainContext& told, const Decision& decision,
                        PendingExplanation& waiting) {
  const bool waits = decision.outcome == Outcome::Unavailable ||
                     decision.outcome == Outcome::NoRoom || decision.outcome == Outcome::Reserved;
  if (!waits) return;
  const auto at = start_on_any_switches(told, decision);
  if (!at || (waiting.expected_start && *waiting.expected_start <= *at)) return;
  waiting.expected_start = at;
  waiting.nodes.clear();
  waiting.at_the_earliest = !told.before.empty();
}

PendingExplanation waiting_for(const ExplainContext& told, const Decision& decision, Depth depth) {
  PendingExplanation waiting;
  waiting.job = decision.job.id;
  std::tie(waiting.reason, waiting.detail) = reason_of(told, decision);
  settle_start(told, decision, waiting);
  settle_by_patience(told, decision, waiting);
  waiting.complete = depth == Depth::WithChanges;
  if (decision.outcome != Outcome::Held && depth != Depth::Line)
    waiting.lines = all_lines(told, decision, waiting.complete);
  return waiting;
}

PendingExplanation reason_alone(const ExplainContext& told, const ExplainDepth& telling,
                                const Decision& decision) {
  const Pass& pass = told.pass;
  PendingExplanation waiting;
  waiting.job = decision.job.id;
  waiting.expected_start = decision.expected;
  switch (decision.outcome) {
    case Outcome::Starts: break;
    case Outcome::Behind: waiting.reason = WaitReason::Priority; break;
    case Outcome::Limited: waiting.reason = limited_reason(pass, telling.limit_of, decision); break;
    case Outcome::NotOpen: waiting.reason = not_open_text(told, decision).first; break;
    case Outcome::Unavailable: waiting.reason = reason_unavailable(told, decision); break;
    case Outcome::Held: waiting.reason = WaitReason::JobHeldUser; break;
    case Outcome::Reserved:
      waiting.reason =
          decision.others_first ? WaitReason::Priority : reason_waiting(told, decision);
      break;
    case Outcome::NoRoom: waiting.reason = reason_waiting(told, decision); break;
    case Outcome::Promised:
    case Outcome::Preempts: waiting.reason = reason_of_no_room(pass, decision); break;
  }
  return waiting;
}

}  // namespace

namespace {

void note_who_gives_way(ExplainContext& told, const Decision& decision, Depth depth) {
  constexpr std::size_t noted_max = 4;  // each has a room
  told.give_way_at.reset();
  told.give_way_for.reset();
  told.seeks_start = depth >= Depth::InFull;
  if (depth == Depth::Reason) return;
  if (auto own = others_give_way(told, decision)) {
    told.give_way_at = own->at;
    if (told.give_way_before.size() < noted_max)
      told.give_way_before.push_back({decision.job.id, decision.job.time_limit, std::move(*own)});
  } else {
    settle_by_those_before(told, decision);
  }
}

}  // namespace

std::vector<PendingExplanation> explain(Pass& pass, Now now, const std::vector<Decision>& decisions,
                                        const ExplainDepth& telling) {
  ExplainContext told{pass,
                      now.wall,
                      telling.title_of,
                      telling.limit_of,
                      {},
                      {},
                      {},
                      {},
                      true,
                      classes_of(pass.nodes()),
                      {},
                      false,
                      {},
                      {}};
  note_holders(told, decisions);
  std::vector<PendingExplanation> waiting;
  for (const Decision& decision : decisions) {
    if (decision.outcome == Outcome::Starts) continue;
    told.knows_all_before = waiting.size() < telling.jobs_with_reason;
    const Depth depth = depth_for(telling, waiting.size(), decision.job.id);
    note_who_gives_way(told, decision, depth);
    waiting.push_back(depth == Depth::Reason ? reason_alone(told, telling, decision)
                                             : waiting_for(told, decision, depth));
    const bool keeps_nobody =
        decision.outcome == Outcome::Held || decision.outcome == Outcome::NotOpen ||
        decision.outcome == Outcome::Limited || decision.outcome == Outcome::Unavailable;
    if (!keeps_nobody) told.before.push_back(decision.job.id);
  }
  return waiting;
}

}  // namespace cox::schedule
