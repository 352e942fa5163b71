#include "schedule/explain/explain.h"

#include <algorithm>
#include <utility>

#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/explain/shortage.h"
#include "schedule/place/contiguous.h"
#include "schedule/place/islands.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

// How much is told of a job, the more the dearer.
enum class Depth : std::uint8_t { Reason, Line, InFull, WithChanges };

Depth depth_for(const Telling& telling, std::size_t told_before, JobId id) {
  if (id == telling.also || told_before < telling.jobs_with_changes) return Depth::WithChanges;
  if (told_before < telling.jobs_in_full) return Depth::InFull;
  return told_before < telling.jobs ? Depth::Line : Depth::Reason;
}

// REQUIRES: the verdicts outlive what is told.
void note_holders(Told& told, const std::vector<Verdict>& verdicts) {
  told.holders.resize(static_cast<std::size_t>(told.pass.nodes().size()));
  const auto add = [&told](JobId job, const Shares& shares) {
    for (const Share& share : shares)
      told.holders[static_cast<std::size_t>(share.node)].push_back({job, share, &shares.each});
    if (!shares.licences.empty()) told.licence_holders.push_back({job, &shares.licences});
  };
  for (const auto& [id, running] : told.pass.running()) add(id, *running.held());
  for (const Verdict& verdict : verdicts) {
    if (verdict.outcome == Outcome::Starts) add(verdict.job.id, verdict.shares);
    if (verdict.outcome == Outcome::Promised || verdict.outcome == Outcome::Preempts)
      told.promised.push_back(&verdict);
  }
}

// "n1 by job 17 of alice (4 of 4 CPUs), n2 by ...", for the nodes that would do and have no room:
// as many as a line has place for.
std::string busy_text(const Told& told, const Need& need) {
  constexpr std::size_t bytes_max = 100;
  std::string text;
  std::size_t nodes_told = 0;
  for (const NodeAt at : nodes_in_question(need)) {
    if (has_room(need, told.pass.unclaimed(), at)) continue;
    if (nodes_told++ == holders_shown_max || text.size() > bytes_max) return text + ", ...";
    std::vector<std::string> by;
    const Missing missing = missing_on(told, need, at);
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

std::string expected_text(const Told& told, Boot expected) {
  return "expected at " + moment_text(told, expected);
}

// Of a job that wants its GPUs joined, where that is what there are too few of.
std::string free_island_text(const Told& told, const Need& need) {
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
std::string neighbours_text(const Told& told, const Need& need) {
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

std::string room_text(const Told& told, const Need& need) {
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
std::string needs_text(const Told& told, const Verdict& verdict, const auto& words) {
  const auto needs = needs_told(told, verdict);
  std::vector<std::string> parts;
  for (const Need* need : needs) parts.push_back(words(*need));
  if (const std::int64_t more = needs_untold(told, verdict); more > 0)
    parts.push_back(count_of(more, "more request"));
  return "needs " + joined(parts, "; or else ");
}

std::string expected_when_text(const Told& told, const Verdict& verdict) {
  if (told.give_way_at && told.give_way_for)
    return "; from " + moment_text(told, *told.give_way_at) +
           " on there may be room, as others are made to give way for " +
           job_text(*told.give_way_for, told.title_of);
  if (told.give_way_at)
    return "; from " + moment_text(told, *told.give_way_at) +
           " on others may be made to give way for it";
  if (verdict.outcome != Outcome::Reserved) return "";
  if (!verdict.expected) return "; when is not known: jobs there have no time limit";
  return "; " + expected_text(told, *verdict.expected) + " by time limits";
}

std::string no_room_text(const Told& told, const Verdict& verdict) {
  std::string text =
      needs_text(told, verdict, [&](const Need& need) { return room_text(told, need); });
  if (const std::string licence = licence_text(told, *verdict.need); !licence.empty())
    text += "; " + licence;
  if (const std::string kept = reserved_in_short(told, verdict); !kept.empty()) text += "; " + kept;
  if (const std::string few = switches_text(told, verdict); !few.empty()) text += "; " + few;
  return text + expected_when_text(told, verdict);
}

std::string promised_text(const Told& told, const Verdict& verdict) {
  std::vector<JobId> stopping;
  for (const auto& [id, running] : told.pass.running()) {
    const auto holds = [&shares = *running.shares](const Share& share) {
      return std::ranges::binary_search(shares, share.node, {}, &Share::node);
    };
    if ((told.pass.is_stopping(running) || running.frees_cpus_soon()) &&
        std::ranges::any_of(verdict.shares, holds))
      stopping.push_back(id);
  }
  std::string text = "keeps its place on " + nodes_text(told.pass.nodes(), verdict.shares) +
                     "; starts when " + jobs_text(stopping, told.title_of) +
                     (stopping.size() == 1 ? " has" : " have") + " stopped there";
  if (verdict.expected) text += ", by " + moment_text(told, *verdict.expected) + " at the latest";
  return text;
}

// In line, or standing still.
std::vector<JobId> before(const Told& told, const Verdict& verdict) {
  std::vector<JobId> before = told.before;
  for (const StandsStill& waits : told.pass.standing_still())
    if (const RunningJob& job = told.pass.running().at(waits.job).job;
        std::pair(job.rank, job.tier) >= std::pair(verdict.job.rank, verdict.job.tier))
      before.push_back(waits.job);
  return before;
}

// Of the requests that would serve it, the first for which there is room.
const Need& need_with_room(const Told& told, const Verdict& verdict) {
  for (const Need* need : needs_told(told, verdict))
    if (fits(*need, told.pass.unclaimed())) return *need;
  return *verdict.need;
}

std::string behind_text(const Told& told, const Verdict& verdict) {
  const Need& need = need_with_room(told, verdict);
  std::string text =
      "there is room for " + request_text(need) +
      ", but it is kept for others before it: " + jobs_text(before(told, verdict), told.title_of);
  if (verdict.expected) return text + "; " + expected_text(told, *verdict.expected);
  if (told.pass.reservations() == nullptr || verdict.outcome == Outcome::Reserved) return text;
  const auto& reserved = told.pass.reservations()->all();
  if (reserved.empty() || !reserved.front().at) return text;
  text += "; " + job_text(reserved.front().job, told.title_of) + " is " +
          expected_text(told, *reserved.front().at);
  const std::int64_t left_ms = (*reserved.front().at - told.pass.now()).count();
  if (left_ms >= 60'000 && fits(need, told.pass.free()))
    text += "; a time limit that ends before would let it pass";
  return text;
}

std::string unavailable_text(const Told& told, const Need& need) {
  const Nodes& nodes = told.pass.nodes();
  Matcher& matcher = told.pass.matcher();
  const Need& wish = matcher.need(*need.request, Availability::Ignored,
                                  told.pass.advance().always_closed(need.request->reservation));
  if (!fits(wish, matcher.idle()))
    return request_text(wish) + ", more than the nodes that are known can give";
  std::vector<std::string> missing;
  std::int64_t unavailable = 0;
  for (const NodeAt at : nodes_in_question(wish)) {
    const WorldNode& node = *nodes[at].node;
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

std::string unavailable_text(const Told& told, const Verdict& verdict) {
  if (told.pass.nodes().size() == 0) return "the cluster has no nodes yet";
  const std::string& gone = verdict.job.request->partition_gone;
  if (!gone.empty()) return "partition " + gone + " is no longer configured";
  if (waits_for_switches_alone(told, verdict))
    return "needs " + request_text(*verdict.need) +
           ", which no nodes of this cluster can give now; " + switches_text(told, verdict);
  return needs_text(told, verdict, [&](const Need& need) { return unavailable_text(told, need); });
}

void append(std::vector<std::string>& lines, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(lines));
}

std::vector<std::string> all_lines(const Told& told, const Verdict& verdict, bool with_changes) {
  const bool has_place =
      verdict.outcome == Outcome::Promised || verdict.outcome == Outcome::Preempts;
  const Room open = open_room(told, verdict);
  const auto needs = needs_told(told, verdict);
  std::vector<std::string> lines;
  if (verdict.outcome == Outcome::Limited) {
    const bool is_told = std::ranges::find(needs, verdict.need) != needs.end();
    lines.push_back("asks for " + request_text(is_told ? *verdict.need : *needs.front()));
    append(lines, limit_lines(told, verdict));
    append(lines, quota_lines(told, verdict));
    return lines;
  }
  if (verdict.outcome == Outcome::NotOpen) {
    lines.push_back("asks for " + request_text(*verdict.need));
    lines.push_back(not_open_text(told, verdict).second);
    return lines;
  }
  for (const Need* need : needs) {
    lines.push_back((lines.empty() ? "asks for " : "or else ") + request_text(*need));
    if (has_place && !is_of(*need, verdict)) continue;
    append(lines, constraint_lines(told, *need, open));
    append(lines, class_lines(told, *need));
  }
  if (!has_place) append(lines, limited_alternatives(told, verdict));
  if (const std::int64_t more = needs_untold(told, verdict); more > 0)
    lines.push_back("or else " + count_of(more, "more request"));
  if (!told.before.empty())
    lines.push_back((told.knows_all_before ? "" : "at least ") +
                    count_of(std::ssize(told.before), "waiting job") +
                    " before it: " + jobs_text(told.before, told.title_of));
  if (has_place) return lines;
  append(lines, quota_lines(told, verdict));
  append(lines, reserved_lines(told, verdict));
  if (!verdict.others_first) append(lines, holder_lines(told, verdict));
  if (with_changes) append(lines, change_lines(told, verdict));
  return lines;
}

WaitReason reason_of_no_room(const Pass& pass, const Verdict& verdict) {
  const bool has_licences = pass.unclaimed().has_licences(verdict.need->licences);
  return has_licences ? WaitReason::Resources : WaitReason::Licenses;
}

WaitReason reason_unavailable(const Told& told, const Verdict& verdict) {
  return waits_for_switches_alone(told, verdict) ? WaitReason::Resources
                                                 : WaitReason::ReqNodeNotAvail;
}

WaitReason reason_waiting(const Told& told, const Verdict& verdict) {
  return is_reserved_for_others(told, verdict) ? WaitReason::ReqNodeNotAvail
                                               : reason_of_no_room(told.pass, verdict);
}

std::pair<WaitReason, std::string> reason_of(const Told& told, const Verdict& verdict) {
  const std::string id = id_text(verdict.job.id, told.title_of);
  switch (verdict.outcome) {
    case Outcome::Starts: break;
    case Outcome::Promised:
      return {reason_of_no_room(told.pass, verdict), promised_text(told, verdict)};
    case Outcome::Preempts:
      return {reason_of_no_room(told.pass, verdict), preempts_text(told, verdict)};
    case Outcome::Reserved:
      if (verdict.others_first) return {WaitReason::Priority, behind_text(told, verdict)};
      return {reason_waiting(told, verdict), no_room_text(told, verdict)};
    case Outcome::NoRoom: return {reason_waiting(told, verdict), no_room_text(told, verdict)};
    case Outcome::NotOpen: return not_open_text(told, verdict);
    case Outcome::Behind: return {WaitReason::Priority, behind_text(told, verdict)};
    case Outcome::Limited: return limited_text(told, verdict);
    case Outcome::Unavailable:
      return {reason_unavailable(told, verdict), unavailable_text(told, verdict)};
    case Outcome::Held: return {WaitReason::JobHeldUser, "held; `cox release " + id + "` frees it"};
  }
  return {WaitReason::None, ""};
}

std::vector<std::string> node_names(const Nodes& nodes, const Shares& shares) {
  std::vector<std::string> names;
  for (const Share& share : shares) names.push_back(nodes[share.node].node->name);
  return names;
}

// Sooner than by time limits, if so; then on which nodes is not settled.
void settle_by_giving_way(const Told& told, Waiting& waiting) {
  const auto at = told.give_way_at;
  if (!at || (waiting.expected_start && *waiting.expected_start <= *at)) return;
  waiting.expected_start = at;
  waiting.nodes.clear();
  waiting.at_the_earliest = !told.before.empty();
}

// When and where it would start: as it was decided; else when it would fit beside all that is
// reserved, which those that wait before it may still draw out.
void settle_start(const Told& told, const Verdict& verdict, Waiting& waiting) {
  waiting.expected_start = verdict.expected;
  waiting.nodes = node_names(told.pass.nodes(), verdict.shares);
  const Reservations* reservations = told.pass.reservations();
  if (reservations == nullptr) return;
  for (std::size_t i = 0; i < reservations->all().size(); ++i)
    if (reservations->all()[i].job == verdict.job.id)
      waiting.nodes = node_names(told.pass.nodes(), reservations->place_of(i));
  if (verdict.outcome == Outcome::Reserved) settle_by_giving_way(told, waiting);
  const bool waits = verdict.outcome == Outcome::Behind || verdict.outcome == Outcome::NoRoom;
  if (!waits || !told.seeks_start) return;
  for (const Need* need : needs_told(told, verdict)) {
    const auto stretches = told.pass.stretches_of(*need->request, verdict.job.time_limit);
    const auto fit = reservations->estimate(stretches, verdict.job.time_limit);
    if (!fit || (waiting.expected_start && *waiting.expected_start <= fit->at)) continue;
    waiting.expected_start = fit->at;
    waiting.nodes = node_names(told.pass.nodes(), fit->shares);
    waiting.at_the_earliest = !told.before.empty();
  }
  settle_by_giving_way(told, waiting);
}

// A job that waits for few switches starts when more will do, if that is sooner.
void settle_by_patience(const Told& told, const Verdict& verdict, Waiting& waiting) {
  const bool waits = verdict.outcome == Outcome::Unavailable ||
                     verdict.outcome == Outcome::NoRoom || verdict.outcome == Outcome::Reserved;
  if (!waits) return;
  const auto at = start_on_any_switches(told, verdict);
  if (!at || (waiting.expected_start && *waiting.expected_start <= *at)) return;
  waiting.expected_start = at;
  waiting.nodes.clear();
  waiting.at_the_earliest = !told.before.empty();
}

Waiting waiting_for(const Told& told, const Verdict& verdict, Depth depth) {
  Waiting waiting;
  waiting.job = verdict.job.id;
  std::tie(waiting.reason, waiting.detail) = reason_of(told, verdict);
  settle_start(told, verdict, waiting);
  settle_by_patience(told, verdict, waiting);
  waiting.complete = depth == Depth::WithChanges;
  if (verdict.outcome != Outcome::Held && depth != Depth::Line)
    waiting.lines = all_lines(told, verdict, waiting.complete);
  return waiting;
}

Waiting reason_alone(const Told& told, const Telling& telling, const Verdict& verdict) {
  const Pass& pass = told.pass;
  Waiting waiting;
  waiting.job = verdict.job.id;
  waiting.expected_start = verdict.expected;
  switch (verdict.outcome) {
    case Outcome::Starts: break;
    case Outcome::Behind: waiting.reason = WaitReason::Priority; break;
    case Outcome::Limited: waiting.reason = limited_reason(pass, telling.limit_of, verdict); break;
    case Outcome::NotOpen: waiting.reason = not_open_text(told, verdict).first; break;
    case Outcome::Unavailable: waiting.reason = reason_unavailable(told, verdict); break;
    case Outcome::Held: waiting.reason = WaitReason::JobHeldUser; break;
    case Outcome::Reserved:
      waiting.reason = verdict.others_first ? WaitReason::Priority : reason_waiting(told, verdict);
      break;
    case Outcome::NoRoom: waiting.reason = reason_waiting(told, verdict); break;
    case Outcome::Promised:
    case Outcome::Preempts: waiting.reason = reason_of_no_room(pass, verdict); break;
  }
  return waiting;
}

}  // namespace

namespace {

void note_who_gives_way(Told& told, const Verdict& verdict, Depth depth) {
  constexpr std::size_t noted_max = 4;  // each has a room
  told.give_way_at.reset();
  told.give_way_for.reset();
  told.seeks_start = depth >= Depth::InFull;
  if (depth == Depth::Reason) return;
  if (auto own = others_give_way(told, verdict)) {
    told.give_way_at = own->at;
    if (told.give_way_before.size() < noted_max)
      told.give_way_before.push_back({verdict.job.id, verdict.job.time_limit, std::move(*own)});
  } else {
    settle_by_those_before(told, verdict);
  }
}

}  // namespace

std::vector<Waiting> explain(Pass& pass, Now now, const std::vector<Verdict>& verdicts,
                             const Telling& telling) {
  Told told{pass,
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
  note_holders(told, verdicts);
  std::vector<Waiting> waiting;
  for (const Verdict& verdict : verdicts) {
    if (verdict.outcome == Outcome::Starts) continue;
    told.knows_all_before = waiting.size() < telling.jobs_with_reason;
    const Depth depth = depth_for(telling, waiting.size(), verdict.job.id);
    note_who_gives_way(told, verdict, depth);
    waiting.push_back(depth == Depth::Reason ? reason_alone(told, telling, verdict)
                                             : waiting_for(told, verdict, depth));
    const bool keeps_nobody =
        verdict.outcome == Outcome::Held || verdict.outcome == Outcome::NotOpen ||
        verdict.outcome == Outcome::Limited || verdict.outcome == Outcome::Unavailable;
    if (!keeps_nobody) told.before.push_back(verdict.job.id);
  }
  return waiting;
}

}  // namespace cox::schedule
