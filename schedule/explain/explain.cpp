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

// How much of a job is explained; each level costs more.
enum class Depth : std::uint8_t { Reason, Line, InFull, WithChanges };

Depth depth_for(const ExplainDepth& explain_depth, std::size_t shown_before, JobId id) {
  if (id == explain_depth.also || shown_before < explain_depth.jobs_with_changes)
    return Depth::WithChanges;
  if (shown_before < explain_depth.jobs_in_full) return Depth::InFull;
  return shown_before < explain_depth.jobs ? Depth::Line : Depth::Reason;
}

// Records in the context which nodes and licences are held by the jobs that run or start now, and
// which decisions promise a place. REQUIRES: `decisions` outlive the context.
void note_holders(ExplainContext& context, const std::vector<Decision>& decisions) {
  context.holders.resize(static_cast<std::size_t>(context.facts.nodes().size()));
  const auto add = [&context](JobId job, const GangParts& shares) {
    for (const NodePart& share : shares)
      context.holders[static_cast<std::size_t>(share.node)].push_back({job, share, &shares.each});
    if (!shares.licences.empty()) context.licence_holders.push_back({job, &shares.licences});
  };
  for (const auto& [id, running] : context.facts.running()) add(id, *running.held());
  for (const Decision& decision : decisions) {
    if (decision.outcome == Outcome::Starts) add(decision.job.id, decision.shares);
    if (decision.outcome == Outcome::Promised || decision.outcome == Outcome::Preempts)
      context.promised.push_back(&decision);
  }
}

// Returns "n1 by job 17 of alice (4 of 4 CPUs), n2 by ..." for the nodes that fit but have no room,
// shortened to one line.
std::string busy_text(const ExplainContext& context, const ResolvedRequest& need) {
  constexpr std::size_t bytes_max = 100;
  std::string text;
  std::size_t nodes_shown = 0;
  for (const NodeAt at : nodes_in_question(need)) {
    if (has_room(need, context.pass.rooms().unclaimed(), at)) continue;
    const bool is_idle = holders_on(context, at).empty();
    if (is_idle && !has_room(need, context.facts.matcher().idle(), at)) continue;  // too small
    if (nodes_shown++ == holders_shown_max || text.size() > bytes_max) return text + ", ...";
    std::vector<std::string> by;
    const Shortage missing = shortage_on(context, need, at);
    for (const Holder& holder : holders_on(context, at)) {
      const HeldPart held = held_of(context, need, missing, holder);
      if (!held.is_nothing() && by.size() < holders_shown_max)
        by.push_back(job_text(holder.job, context.title_of) + " (" +
                     part_text(context, need, at, held) + ")");
    }
    text += (text.empty() ? "" : ", ") + context.facts.nodes().name(at) +
            (by.empty() ? "" : " by ") + joined(by, ", ");
  }
  return text;
}

std::string number_or_none(std::int64_t number) {
  return number == 0 ? "none" : std::to_string(number);
}

std::string expected_text(const ExplainContext& context, Boot expected) {
  return "expected at " + moment_text(context, expected);
}

// Returns a clause with the largest number of joined GPUs that are free on a node, if the job needs
// joined GPUs and too few are; otherwise empty text.
std::string free_island_text(const ExplainContext& context, const ResolvedRequest& need) {
  const Room& room = context.pass.rooms().unclaimed();
  if (!need.joined_gpus || nodes_with_room(need, room) >= need.nodes) return "";
  std::int64_t largest = 0;
  for (const NodeAt at : need.usable)
    largest = std::max(largest, most_joined(need, context.facts.nodes()[at],
                                            need.accepted_devices(at, room[at].gpus)));
  if (largest >= need.gpus) return "";
  return "; the largest free island of joined GPUs has " + std::to_string(largest);
}

// Returns a clause with the length of the longest row of consecutive free nodes, if the job waits
// only because of --contiguous; otherwise empty text.
std::string neighbours_text(const ExplainContext& context, const ResolvedRequest& need) {
  const Room& room = context.pass.rooms().unclaimed();
  if (!need.contiguous) return "";
  std::vector<NodeAt> with_room;
  for (const NodeAt at : nodes_in_question(need))
    if (has_room(need, room, at)) with_room.push_back(at);
  const std::int64_t longest = longest_run(with_room);
  if (std::cmp_less(with_room.size(), need.nodes) || longest >= need.nodes) return "";
  if (longest < 2) return "; no two of these are next to one another";
  return "; at most " + std::to_string(longest) + " of these are next to one another";
}

std::string room_text(const ExplainContext& context, const ResolvedRequest& need) {
  const std::int64_t would_do = std::ssize(nodes_in_question(need));
  std::string text = request_text(need) + ": ";
  if (would_do == 0) return text + "no node qualifies now";
  const std::int64_t with_room = nodes_with_room(need, context.pass.rooms().unclaimed());
  text += count_of(would_do, "node") + (would_do == 1 ? " qualifies, " : " qualify, ") +
          number_or_none(with_room) + (with_room > 1 ? " have room now" : " has room now");
  const std::string busy = busy_text(context, need);
  if (!busy.empty()) text += " (busy: " + busy + ")";
  return text + free_island_text(context, need) + neighbours_text(context, need);
}

// Returns "needs A; or else B; or else 2 more requests"; `words` gives the text of each
// alternative.
std::string needs_text(const ExplainContext& context, const Decision& decision, const auto& words) {
  const auto needs = needs_shown(context, decision);
  std::vector<std::string> parts;
  for (const ResolvedRequest* need : needs) parts.push_back(words(*need));
  if (const std::int64_t more = needs_left_out(context, decision); more > 0)
    parts.push_back(count_of(more, "more request"));
  return "needs " + joined(parts, "; or else ");
}

std::string expected_when_text(const ExplainContext& context, const Decision& decision) {
  if (context.preemption_at && context.preemption_for)
    return "; there may be room from " + moment_text(context, *context.preemption_at) +
           " on, when jobs may be preempted for " +
           job_text(*context.preemption_for, context.title_of);
  if (context.preemption_at)
    return "; from " + moment_text(context, *context.preemption_at) +
           " on other jobs may be preempted for it";
  if (decision.has_no_known_start)
    return "; its start is unknown: jobs there have no time limit, so nothing is reserved for it";
  if (decision.outcome != Outcome::Reserved) return "";
  if (!decision.expected) return "; its start is unknown: jobs before it there have yet to begin";
  // no time limit is involved if the job starts just when a reservation or a silence ends
  const bool is_edge =
      context.facts.advance().next_edge(*decision.expected - Milliseconds{1}) == decision.expected;
  return "; " + expected_text(context, *decision.expected) + (is_edge ? "" : " by time limits");
}

std::string no_room_text(const ExplainContext& context, const Decision& decision) {
  std::string text = needs_text(
      context, decision, [&](const ResolvedRequest& need) { return room_text(context, need); });
  if (const std::string licence = licence_text(context, *decision.need); !licence.empty())
    text += "; " + licence;
  if (const std::string kept = reserved_in_short(context, decision); !kept.empty())
    text += "; " + kept;
  if (const std::string few = switches_text(context, decision); !few.empty()) text += "; " + few;
  return text + expected_when_text(context, decision);
}

std::string promised_text(const ExplainContext& context, const Decision& decision) {
  std::vector<JobId> stopping;
  for (const auto& [id, running] : context.facts.running()) {
    const auto holds = [&shares = *running.shares](const NodePart& share) {
      return std::ranges::binary_search(shares, share.node, {}, &NodePart::node);
    };
    if ((context.pass.decided().is_stopping(running) || running.frees_cpus_soon()) &&
        std::ranges::any_of(decision.shares, holds))
      stopping.push_back(id);
  }
  std::string text = "has a place reserved on " +
                     nodes_text(context.facts.nodes(), decision.shares) + "; starts when " +
                     jobs_text(stopping, context.title_of) +
                     (stopping.size() == 1 ? " has" : " have") + " stopped there";
  if (decision.expected)
    text += ", by " + moment_text(context, *decision.expected) + " at the latest";
  return text;
}

// Returns the jobs that come before this one: queued jobs, and suspended jobs of the same or a
// higher partition tier and tier.
std::vector<JobId> before(const ExplainContext& context, const Decision& decision) {
  std::vector<JobId> before = context.before;
  for (const SuspendedWait& waits : context.pass.suspended_jobs())
    if (const RunningJob& job = context.facts.running().at(waits.job).job;
        std::pair(job.partition_tier, job.tier) >=
        std::pair(decision.job.partition_tier, decision.job.tier))
      before.push_back(waits.job);
  return before;
}

// Returns the first alternative request for which there is room, even if it is promised to other
// jobs; if there is none, the request decided on.
const ResolvedRequest& need_with_room(const ExplainContext& context, const Decision& decision) {
  for (const ResolvedRequest* need : needs_shown(context, decision))
    if (fits(*need, context.pass.rooms().unclaimed())) return *need;
  return *decision.need;
}

std::string behind_text(const ExplainContext& context, const Decision& decision) {
  const ResolvedRequest& need = need_with_room(context, decision);
  std::string text = "there is room for " + request_text(need) +
                     ", but it is reserved for jobs before it: " +
                     jobs_text(before(context, decision), context.title_of);
  if (decision.expected) return text + "; " + expected_text(context, *decision.expected);
  if (context.pass.reservations() == nullptr || decision.outcome == Outcome::Reserved) return text;
  const auto& reserved = context.pass.reservations()->all();
  if (reserved.empty() || !reserved.front().at) return text;
  text += "; " + job_text(reserved.front().job, context.title_of) + " is " +
          expected_text(context, *reserved.front().at);
  const std::int64_t left_ms = (*reserved.front().at - context.facts.now()).count();
  if (left_ms >= 60'000 && fits(need, context.pass.rooms().free()))
    text += "; with a time limit that ends before then it would start now";
  return text;
}

std::string unavailable_text(const ExplainContext& context, const ResolvedRequest& need) {
  const Nodes& nodes = context.facts.nodes();
  Matcher& matcher = context.facts.matcher();
  const ResolvedRequest& wish =
      matcher.need(*need.request, Availability::Ignored,
                   context.facts.advance().always_closed(need.request->reservation));
  if (!fits(wish, matcher.idle())) return request_text(wish) + ", more than the known nodes have";
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
  const std::int64_t would_do = std::ssize(nodes_in_question(wish));
  return request_text(wish) + ": " + count_of(would_do, "node") +
         (would_do == 1 ? " qualifies, " : " qualify, ") + number_or_none(would_do - unavailable) +
         (would_do - unavailable > 1 ? " are" : " is") +
         " in service; unavailable: " + joined(missing, ", ");
}

std::string unavailable_text(const ExplainContext& context, const Decision& decision) {
  if (context.facts.nodes().size() == 0) return "the cluster has no nodes yet";
  const std::string& gone = decision.job.request->partition_gone;
  if (!gone.empty()) return "partition " + gone + " is no longer configured";
  if (waits_for_switches_alone(context, decision))
    return "needs " + request_text(*decision.need) +
           ", which no nodes of this cluster offer now; " + switches_text(context, decision);
  return needs_text(context, decision,
                    [&](const ResolvedRequest& need) { return unavailable_text(context, need); });
}

void append(std::vector<std::string>& lines, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(lines));
}

std::vector<std::string> all_lines(const ExplainContext& context, const Decision& decision,
                                   bool with_changes) {
  const bool has_place =
      decision.outcome == Outcome::Promised || decision.outcome == Outcome::Preempts;
  const Room open = open_room(context, decision);
  const auto needs = needs_shown(context, decision);
  std::vector<std::string> lines;
  if (decision.outcome == Outcome::Limited) {
    const bool is_listed = std::ranges::find(needs, decision.need) != needs.end();
    lines.push_back("asks for " + request_text(is_listed ? *decision.need : *needs.front()));
    append(lines, limit_lines(context, decision));
    append(lines, quota_lines(context, decision));
    return lines;
  }
  if (decision.outcome == Outcome::NotOpen) {
    lines.push_back("asks for " + request_text(*decision.need));
    lines.push_back(not_open_text(context, decision).second);
    return lines;
  }
  for (const ResolvedRequest* need : needs) {
    lines.push_back((lines.empty() ? "asks for " : "or else ") + request_text(*need));
    if (has_place && !is_of(*need, decision)) continue;
    append(lines, constraint_lines(context, *need, open));
    append(lines, class_lines(context, *need));
  }
  if (!has_place) append(lines, limited_alternatives(context, decision));
  if (const std::int64_t more = needs_left_out(context, decision); more > 0)
    lines.push_back("or else " + count_of(more, "more request"));
  if (const std::string& gone = decision.job.request->partition_gone; !gone.empty())
    lines.push_back("`cox update " + id_text(decision.job.id, context.title_of) +
                    " Partition=NAME` moves the job; or configure partition " + gone + " again");
  if (!context.before.empty())
    lines.push_back((context.has_all_before ? "" : "at least ") +
                    count_of(std::ssize(context.before), "waiting job") +
                    " before it: " + jobs_text(context.before, context.title_of));
  if (has_place) return lines;
  append(lines, quota_lines(context, decision));
  append(lines, reserved_lines(context, decision));
  if (!decision.others_first) append(lines, holder_lines(context, decision));
  if (with_changes) append(lines, change_lines(context, decision));
  return lines;
}

WaitReason reason_of_no_room(const Pass& pass, const Decision& decision) {
  const bool has_licences = pass.rooms().unclaimed().has_licences(decision.need->licences);
  return has_licences ? WaitReason::Resources : WaitReason::Licenses;
}

WaitReason reason_unavailable(const ExplainContext& context, const Decision& decision) {
  return waits_for_switches_alone(context, decision) ? WaitReason::Resources
                                                     : WaitReason::ReqNodeNotAvail;
}

WaitReason reason_waiting(const ExplainContext& context, const Decision& decision) {
  return is_reserved_for_others(context, decision) ? WaitReason::ReqNodeNotAvail
                                                   : reason_of_no_room(context.pass, decision);
}

std::pair<WaitReason, std::string> reason_of(const ExplainContext& context,
                                             const Decision& decision) {
  const std::string id = id_text(decision.job.id, context.title_of);
  switch (decision.outcome) {
    case Outcome::Starts: break;
    case Outcome::Promised:
      return {reason_of_no_room(context.pass, decision), promised_text(context, decision)};
    case Outcome::Preempts:
      return {reason_of_no_room(context.pass, decision), preempts_text(context, decision)};
    case Outcome::Reserved:
      if (decision.others_first) return {WaitReason::Priority, behind_text(context, decision)};
      return {reason_waiting(context, decision), no_room_text(context, decision)};
    case Outcome::NoRoom:
      return {reason_waiting(context, decision), no_room_text(context, decision)};
    case Outcome::NotOpen: return not_open_text(context, decision);
    case Outcome::Behind: return {WaitReason::Priority, behind_text(context, decision)};
    case Outcome::Limited: return limited_text(context, decision);
    case Outcome::Unavailable:
      return {reason_unavailable(context, decision), unavailable_text(context, decision)};
    case Outcome::Held:
      return {WaitReason::JobHeldUser, "held; `cox release " + id + "` releases it"};
  }
  return {WaitReason::None, ""};
}

std::vector<std::string> node_names(const Nodes& nodes, const GangParts& shares) {
  std::vector<std::string> names;
  for (const NodePart& share : shares) names.push_back(nodes[share.node].node->name);
  return names;
}

// If preempting others lets the job start sooner, sets that time as its expected start. On which
// nodes it will start is then unknown.
void resolve_by_giving_way(const ExplainContext& context, PendingExplanation& waiting) {
  const auto at = context.preemption_at;
  if (!at || (waiting.expected_start && *waiting.expected_start <= *at)) return;
  waiting.expected_start = at;
  waiting.nodes.clear();
  waiting.at_the_earliest = !context.before.empty();
}

// Sets the expected start and its nodes as the pass decided. For a job that is explained in full,
// this may be the time at which it would fit beside all reservations. Jobs that wait before it may
// delay that.
void resolve_start(const ExplainContext& context, const Decision& decision,
                   PendingExplanation& waiting) {
  waiting.expected_start = decision.expected;
  waiting.nodes = node_names(context.facts.nodes(), decision.shares);
  const Reservations* reservations = context.pass.reservations();
  if (reservations == nullptr) return;
  for (std::size_t i = 0; i < reservations->all().size(); ++i)
    if (reservations->all()[i].job == decision.job.id)
      waiting.nodes = node_names(context.facts.nodes(), reservations->place_of(i));
  if (decision.outcome == Outcome::Reserved) resolve_by_giving_way(context, waiting);
  const bool waits = decision.outcome == Outcome::Behind || decision.outcome == Outcome::NoRoom;
  if (!waits || !context.seeks_start) return;
  for (const ResolvedRequest* need : needs_shown(context, decision)) {
    const auto stretches = context.facts.stretches_of(*need->request, decision.job.time_limit);
    const auto fit = reservations->estimate(stretches, decision.job.time_limit);
    // It would fit now, but the pass did not start it, so this is no estimate.
    if (!fit || fit->at <= context.facts.now()) continue;
    if (waiting.expected_start && *waiting.expected_start <= fit->at) continue;
    waiting.expected_start = fit->at;
    waiting.nodes = node_names(context.facts.nodes(), fit->shares);
    waiting.at_the_earliest = !context.before.empty();
  }
  resolve_by_giving_way(context, waiting);
}

// For a job with --switches=COUNT@TIME: sets the expected start to the end of TIME, if the job fits
// then on any number of switches and that is sooner.
void resolve_by_patience(const ExplainContext& context, const Decision& decision,
                         PendingExplanation& waiting) {
  const bool waits = decision.outcome == Outcome::Unavailable ||
                     decision.outcome == Outcome::NoRoom || decision.outcome == Outcome::Reserved;
  if (!waits) return;
  const auto at = start_on_any_switches(context, decision);
  if (!at || (waiting.expected_start && *waiting.expected_start <= *at)) return;
  waiting.expected_start = at;
  waiting.nodes.clear();
  waiting.at_the_earliest = !context.before.empty();
}

PendingExplanation waiting_for(const ExplainContext& context, const Decision& decision,
                               Depth depth) {
  PendingExplanation waiting;
  waiting.job = decision.job.id;
  std::tie(waiting.reason, waiting.detail) = reason_of(context, decision);
  resolve_start(context, decision, waiting);
  resolve_by_patience(context, decision, waiting);
  waiting.complete = depth == Depth::WithChanges;
  if (decision.outcome != Outcome::Held && depth != Depth::Line)
    waiting.lines = all_lines(context, decision, waiting.complete);
  return waiting;
}

PendingExplanation reason_alone(const ExplainContext& context, const ExplainDepth& explain_depth,
                                const Decision& decision) {
  const Pass& pass = context.pass;
  PendingExplanation waiting;
  waiting.job = decision.job.id;
  waiting.expected_start = decision.expected;
  switch (decision.outcome) {
    case Outcome::Starts: break;
    case Outcome::Behind: waiting.reason = WaitReason::Priority; break;
    case Outcome::Limited:
      waiting.reason = limited_reason(pass, explain_depth.limit_of, decision);
      break;
    case Outcome::NotOpen: waiting.reason = not_open_text(context, decision).first; break;
    case Outcome::Unavailable: waiting.reason = reason_unavailable(context, decision); break;
    case Outcome::Held: waiting.reason = WaitReason::JobHeldUser; break;
    case Outcome::Reserved:
      waiting.reason =
          decision.others_first ? WaitReason::Priority : reason_waiting(context, decision);
      break;
    case Outcome::NoRoom: waiting.reason = reason_waiting(context, decision); break;
    case Outcome::Promised:
    case Outcome::Preempts: waiting.reason = reason_of_no_room(pass, decision); break;
  }
  return waiting;
}

}  // namespace

namespace {

void note_later_victims(ExplainContext& context, const Decision& decision, Depth depth) {
  constexpr std::size_t noted_max = 4;  // each keeps a copy of the cluster's room
  context.preemption_at.reset();
  context.preemption_for.reset();
  context.seeks_start = depth >= Depth::InFull;
  if (depth == Depth::Reason) return;
  if (auto own = later_preemption(context, decision)) {
    context.preemption_at = own->at;
    if (context.earlier_victims.size() < noted_max)
      context.earlier_victims.push_back(
          {decision.job.id, decision.job.time_limit, std::move(*own)});
  } else {
    estimate_by_jobs_before(context, decision);
  }
}

}  // namespace

std::vector<PendingExplanation> explain(Pass& pass, Now now, const std::vector<Decision>& decisions,
                                        const ExplainDepth& explain_depth) {
  ExplainContext context{pass,
                         pass.facts(),
                         now.wall,
                         explain_depth.title_of,
                         explain_depth.limit_of,
                         {},
                         {},
                         {},
                         {},
                         true,
                         classes_of(pass.facts().nodes()),
                         {},
                         false,
                         {},
                         {}};
  note_holders(context, decisions);
  std::vector<PendingExplanation> waiting;
  for (const Decision& decision : decisions) {
    if (decision.outcome == Outcome::Starts) continue;
    context.has_all_before = waiting.size() < explain_depth.jobs_with_reason;
    const Depth depth = depth_for(explain_depth, waiting.size(), decision.job.id);
    note_later_victims(context, decision, depth);
    waiting.push_back(depth == Depth::Reason ? reason_alone(context, explain_depth, decision)
                                             : waiting_for(context, decision, depth));
    const bool keeps_nobody =
        decision.outcome == Outcome::Held || decision.outcome == Outcome::NotOpen ||
        decision.outcome == Outcome::Limited || decision.outcome == Outcome::Unavailable;
    if (!keeps_nobody) context.before.push_back(decision.job.id);
  }
  return waiting;
}

}  // namespace cox::schedule
