// Explains how advance reservations keep a job from starting.
#include <algorithm>
#include <set>

#include "schedule/explain/blocking_reservations.h"
#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/model/request_chain.h"
#include "schedule/place/matcher.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

using Occurrence = AdvanceReservation::Occurrence;

// Returns the need as it would be if there were no reservation but the one that the request names.
const ResolvedRequest& need_alone(const ExplainContext& context, const ResolvedRequest& need) {
  return context.facts.matcher().need(
      *need.request, Availability::Required,
      context.facts.advance().always_closed(need.request->reservation));
}

// An advance reservation that the job does not use, and those of its nodes that fit the job but are
// closed to it.
struct Keeps {
  const AdvanceReservation* reservation = nullptr;
  std::vector<NodeAt> at;
};

// Adds to `found` the reservations that close nodes to this alternative request, unless they are
// there already.
void add_keeping(const ExplainContext& context, const ResolvedRequest& need,
                 std::vector<Keeps>& found) {
  if (need.closed == nullptr || need.closed->entirely) return;
  const ResolvedRequest& alone = need_alone(context, need);
  for (const AdvanceReservation* one : need.closed->by) {
    if (std::ranges::find(found, one, &Keeps::reservation) != found.end()) continue;
    const std::set<std::string_view> its(one->nodes.begin(), one->nodes.end());
    Keeps keeps{one, {}};
    for (const NodeAt would_do : nodes_in_question(alone))
      if (need.closed->has(would_do) && its.contains(context.facts.nodes().name(would_do)))
        keeps.at.push_back(would_do);
    if (!keeps.at.empty()) found.push_back(std::move(keeps));
  }
}

void sort_by_begin(std::vector<Keeps>& found, Boot from) {
  std::ranges::stable_sort(found, {}, [from](const Keeps& keeps) {
    const Occurrence* next = next_of(*keeps.reservation, from);
    return next == nullptr ? from : next->begin;
  });
}

std::vector<Keeps> keeping(const ExplainContext& context, const Decision& decision) {
  std::vector<Keeps> found;
  if (context.facts.advance().empty()) return found;
  for (const ResolvedRequest* need : needs_shown(context, decision))
    add_keeping(context, *need, found);
  sort_by_begin(found, context.facts.now());
  return found;
}

// Returns the text about the reservation as it would read at time `at`.
std::string text_of(const ExplainContext& context, const Keeps& keeps, const std::string& what,
                    Boot at) {
  return reserved_text(what, keeps.at.size(), *keeps.reservation,
                       {at, context.now + (at - context.facts.now())});
}

std::string text_of(const ExplainContext& context, const Keeps& keeps, const std::string& what) {
  return text_of(context, keeps, what, context.facts.now());
}

std::string unused_text(const ExplainContext& context, const Decision& decision,
                        const Keeps& keeps) {
  return schedule::unused_text(decision.job, *keeps.reservation,
                               {context.facts.now(), context.now});
}

// Returns the other reservations that keep the job from starting at `at`. The caller passes the
// begin of the job's own reservation, or now if that has begun.
std::vector<Keeps> keeping_then(const ExplainContext& context, const Decision& decision, Boot at) {
  std::vector<Keeps> found;
  const auto least = shortest_limit(decision.job);
  for (const Request& one : RequestChain(*decision.job.request))
    add_keeping(context, context.facts.need_at(one, at, least), found);
  sort_by_begin(found, at);
  return found;
}

// Returns the text about all silent nodes, which may return until the last of their silences ends,
// then about the first reservation found, with the number of the others.
std::string blocked_text(const ExplainContext& context, const std::vector<Keeps>& found,
                         Boot moment) {
  Keeps silent;
  std::vector<const Keeps*> reserved;
  for (const Keeps& keeps : found) {
    if (!keeps.reservation->is_silence) {
      reserved.push_back(&keeps);
      continue;
    }
    silent.reservation = keeps.reservation;  // `found` is sorted, so the last one ends last
    silent.at.insert(silent.at.end(), keeps.at.begin(), keeps.at.end());
  }
  std::ranges::sort(silent.at);
  const auto what = [&](const std::vector<NodeAt>& at) {
    return at.size() == 1 ? nodes_text(context.facts.nodes(), at)
                          : count_of(std::ssize(at), "node");
  };
  std::string text = silent.at.empty() ? "" : text_of(context, silent, what(silent.at), moment);
  if (reserved.empty()) return text;
  if (!text.empty()) text += "; ";
  const std::vector<NodeAt>& at = reserved.front()->at;
  if (reserved.size() == 1) return text + text_of(context, *reserved.front(), what(at), moment);
  AdvanceReservation several = *reserved.front()->reservation;
  several.name += " and " + std::to_string(reserved.size() - 1) + " more";
  several.users_text.clear();
  return text + text_of(context, {&several, at}, what(at), moment);
}

std::string too_long_text(const ExplainContext& context, const Occurrence& next,
                          const Decision& decision) {
  const auto least = shortest_limit(decision.job);
  const Milliseconds lasts = next.end - std::max(next.begin, context.facts.now());
  if (!decision.job.time_limit && least)
    return *least <= lasts ? "; without --time the job gets the time that is left of it then"
                           : "; too little time is left of it for the job";
  if (!least)
    return "; the job must end before the reservation does, but has no time limit: set one with "
           "--time";
  if (*least <= lasts) return "";
  const Milliseconds whole = lasts - lasts % Milliseconds{lasts.count() < 120'000 ? 1'000 : 60'000};
  return "; the job asks for " + duration_text(*least) + ", but the reservation has only " +
         duration_text(whole) + " left";
}

}  // namespace

std::pair<WaitReason, std::string> not_open_text(const ExplainContext& context,
                                                 const Decision& decision) {
  const std::string& name = decision.job.request->reservation;
  const AdvanceReservation* one = context.facts.advance().find(name);
  const std::string id = id_text(decision.job.id, context.title_of);
  const std::string advice = "; `cox update " + id +
                             " ReservationName=` lets the job run without it, `cox cancel " + id +
                             "` ends the job";
  if (one == nullptr)
    return {WaitReason::ReservationDeleted,
            "reservation " + name + " is over, or was deleted" + advice};
  const Occurrence* next = next_of(*one, context.facts.now());
  if (next == nullptr) return {WaitReason::Reservation, "reservation " + name + " is over"};
  const bool waits_for_it = next->begin > context.facts.now() && !one->flex;
  const Boot at = waits_for_it ? next->begin : context.facts.now();
  const auto found = keeping_then(context, decision, at);
  std::string text = "reservation " + name;
  if (one->flex) {
    text += " (FLEX) also lets the job run before and after its time";
  } else {
    text += (waits_for_it ? " begins at " + moment_text(context, next->begin) : " has begun") +
            ", and ends at " + moment_text(context, next->end) +
            too_long_text(context, *next, decision);
  }
  if (!found.empty()) text += ", but " + blocked_text(context, found, at);
  if (!decision.expected) text += "; it cannot start in the reservation as it is" + advice;
  const bool only_others = !found.empty() && !waits_for_it;
  return {only_others ? WaitReason::ReqNodeNotAvail : WaitReason::Reservation, std::move(text)};
}

std::vector<bool> outside_its_reservation(const ExplainContext& context,
                                          const ResolvedRequest& need) {
  const auto count = static_cast<std::size_t>(context.facts.nodes().size());
  if (need.closed == nullptr) return std::vector<bool>(count);
  if (need.closed->inside == nullptr) return std::vector<bool>(count, need.closed->entirely);
  std::vector<bool> outside(count, true);
  for (const std::string& name : need.closed->inside->nodes)
    if (const auto at = context.facts.nodes().find(name))
      outside[static_cast<std::size_t>(*at)] = need.closed->entirely;
  return outside;
}

std::vector<bool> briefly_silent(const ExplainContext& context, const ResolvedRequest& need) {
  std::vector<bool> silent(static_cast<std::size_t>(context.facts.nodes().size()));
  if (need.closed == nullptr) return silent;
  for (const AdvanceReservation* one : need.closed->by) {
    if (!one->is_silence) continue;
    for (const std::string& name : one->nodes)
      if (const auto at = context.facts.nodes().find(name))
        silent[static_cast<std::size_t>(*at)] = true;
  }
  return silent;
}

std::vector<std::string> reserved_lines(const ExplainContext& context, const Decision& decision) {
  std::vector<std::string> lines;
  const auto found = keeping(context, decision);
  for (const Keeps& keeps : found) {
    if (lines.size() == shown_lines_max) {
      lines.push_back("and " + count_of(std::ssize(found) - std::ssize(lines), "reservation") +
                      " more; `cox show reservations` lists them");
      break;
    }
    lines.push_back(text_of(context, keeps,
                            count_of(std::ssize(keeps.at), "suitable node") + " (" +
                                nodes_text(context.facts.nodes(), keeps.at) + ")") +
                    unused_text(context, decision, keeps));
  }
  return lines;
}

std::string reserved_in_short(const ExplainContext& context, const Decision& decision) {
  const auto found = keeping(context, decision);
  if (found.empty()) return "";
  std::string text = blocked_text(context, found, context.facts.now());
  for (const Keeps& keeps : found)
    if (const std::string why = unused_text(context, decision, keeps); !why.empty())
      return text + why;
  return text;
}

bool is_reserved_for_others(const ExplainContext& context, const Decision& decision) {
  if (context.facts.advance().empty()) return false;
  const auto needs = needs_shown(context, decision);
  const auto is_closed = [](const ResolvedRequest* need) {
    return need->closed != nullptr && !need->closed->by.empty();
  };
  // checked first, since computing the room below is expensive
  if (std::ranges::none_of(needs, is_closed)) return false;
  const Room open = open_room(context, decision);
  return std::ranges::any_of(needs, [&](const ResolvedRequest* need) {
    return is_closed(need) && ((!need->ever_fits && !need->closed->entirely) ||
                               fits(need_alone(context, *need), open));
  });
}

// Tries as time limit, in whole minutes, the time until each reservation begins. Returns a line
// with the longest with which the job would start now.
std::vector<std::string> limits_before_reservations(const ExplainContext& context,
                                                    const Decision& decision) {
  const Reservations* reservations = context.pass.reservations();
  const AdvanceReservation* before = nullptr;
  std::int64_t longest = 0;
  for (const Keeps& keeps : keeping(context, decision)) {
    const Occurrence* next = next_of(*keeps.reservation, context.facts.now());
    if (next == nullptr) continue;
    const std::int64_t minutes = (next->begin - context.facts.now()).count() / 60'000;
    const std::chrono::minutes lasts{minutes};
    const auto is_allowed = [&](const ResolvedRequest* need) {
      const ResolvedRequest& shorter = context.facts.need_now(*need->request, lasts);
      const auto shares = place(shorter, context.facts.nodes(), context.pass.rooms().free());
      return shares &&
             (!reservations || reservations->allows(*shares, context.facts.now() + lasts));
    };
    if (minutes <= longest || std::ranges::none_of(needs_shown(context, decision), is_allowed))
      continue;
    longest = minutes;
    before = keeps.reservation;
  }
  if (before == nullptr) return {};
  return {"with --time=" + std::to_string(longest) +
          " or less it would start now and end before reservation " + before->name + " begins"};
}

}  // namespace cox::schedule
