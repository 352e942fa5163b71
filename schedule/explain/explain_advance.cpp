// What advance reservations have to do with a job's waiting.
#include <algorithm>
#include <set>

#include "schedule/explain/blocking_reservations.h"
#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/place/matcher.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

using Occurrence = AdvanceReservation::Occurrence;

// The need as it would be without the reservations of others.
const ResolvedRequest& need_alone(const ExplainContext& told, const ResolvedRequest& need) {
  return told.pass.matcher().need(*need.request, Availability::Required,
                                  told.pass.advance().always_closed(need.request->reservation));
}

// A reservation of others, and the nodes of it that would do and are kept from the job.
struct Keeps {
  const AdvanceReservation* reservation = nullptr;
  std::vector<NodeAt> at;
};

// Of one of its alternatives, as far as they are not among those found already.
void add_keeping(const ExplainContext& told, const ResolvedRequest& need,
                 std::vector<Keeps>& found) {
  if (need.closed == nullptr || need.closed->entirely) return;
  const ResolvedRequest& alone = need_alone(told, need);
  for (const AdvanceReservation* one : need.closed->by) {
    if (std::ranges::find(found, one, &Keeps::reservation) != found.end()) continue;
    const std::set<std::string_view> its(one->nodes.begin(), one->nodes.end());
    Keeps keeps{one, {}};
    for (const NodeAt would_do : nodes_in_question(alone))
      if (need.closed->has(would_do) && its.contains(told.pass.nodes().name(would_do)))
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

std::vector<Keeps> keeping(const ExplainContext& told, const Decision& decision) {
  std::vector<Keeps> found;
  if (told.pass.advance().empty()) return found;
  for (const ResolvedRequest* need : needs_told(told, decision)) add_keeping(told, *need, found);
  sort_by_begin(found, told.pass.now());
  return found;
}

// As it stands at that moment.
std::string text_of(const ExplainContext& told, const Keeps& keeps, const std::string& what,
                    Boot at) {
  return reserved_text(what, keeps.at.size(), *keeps.reservation,
                       {at, told.now + (at - told.pass.now())});
}

std::string text_of(const ExplainContext& told, const Keeps& keeps, const std::string& what) {
  return text_of(told, keeps, what, told.pass.now());
}

std::string unused_text(const ExplainContext& told, const Decision& decision, const Keeps& keeps) {
  return schedule::unused_text(decision.job, *keeps.reservation, {told.pass.now(), told.now});
}

// Those of others that keep it from starting at the begin of the one that it named, or now that
// this is on.
std::vector<Keeps> keeping_then(const ExplainContext& told, const Decision& decision, Boot at) {
  std::vector<Keeps> found;
  const auto least = shortest_limit(decision.job);
  for (const Request* one = &*decision.job.request; one != nullptr;
       one = one->otherwise ? &**one->otherwise : nullptr)
    add_keeping(told, told.pass.need_at(*one, at, least), found);
  sort_by_begin(found, at);
  return found;
}

// The first of them, and how many there are besides.
std::string blocked_text(const ExplainContext& told, const std::vector<Keeps>& found, Boot moment) {
  const std::vector<NodeAt>& at = found.front().at;
  const std::string what =
      at.size() == 1 ? nodes_text(told.pass.nodes(), at) : count_of(std::ssize(at), "node");
  if (found.size() == 1) return text_of(told, found.front(), what, moment);
  AdvanceReservation several = *found.front().reservation;
  several.name += " and " + std::to_string(found.size() - 1) + " more";
  several.for_whom.clear();
  several.is_silence = false;
  return text_of(told, {&several, at}, what, moment);
}

std::string too_long_text(const ExplainContext& told, const Occurrence& next,
                          const Decision& decision) {
  const auto least = shortest_limit(decision.job);
  const Milliseconds lasts = next.end - std::max(next.begin, told.pass.now());
  if (!decision.job.time_limit && least)
    return *least <= lasts ? "; without a --time the job gets what is left of it then"
                           : "; too little of it is left for the job";
  if (!least) return "; the job has no --time, and must be over when it ends: give it one";
  if (*least <= lasts) return "";
  const Milliseconds whole = lasts - lasts % Milliseconds{lasts.count() < 120'000 ? 1'000 : 60'000};
  return "; the job asks for " + duration_text(*least) +
         ", and must be over when it ends: " + duration_text(whole) + " are left of it";
}

}  // namespace

std::pair<WaitReason, std::string> not_open_text(const ExplainContext& told,
                                                 const Decision& decision) {
  const std::string& name = decision.job.request->reservation;
  const AdvanceReservation* one = told.pass.advance().find(name);
  const std::string id = id_text(decision.job.id, told.title_of);
  const std::string advice = "; `cox cancel " + id + "` ends the job";
  if (one == nullptr)
    return {WaitReason::ReservationDeleted,
            "reservation " + name + " is over, or was deleted" + advice};
  const Occurrence* next = next_of(*one, told.pass.now());
  if (next == nullptr) return {WaitReason::Reservation, "reservation " + name + " is over"};
  const bool waits_for_it = next->begin > told.pass.now() && !one->flex;
  const Boot at = waits_for_it ? next->begin : told.pass.now();
  const auto found = keeping_then(told, decision, at);
  std::string text = "reservation " + name;
  if (one->flex) {
    text += " lets it run before and behind it too";
  } else {
    text += (waits_for_it ? " begins at " + moment_text(told, next->begin) : " is on") +
            ", and ends at " + moment_text(told, next->end) + too_long_text(told, *next, decision);
  }
  if (!found.empty()) text += ", but " + blocked_text(told, found, at);
  if (!decision.expected) text += "; it cannot start in it as it is" + advice;
  const bool only_others = !found.empty() && !waits_for_it;
  return {only_others ? WaitReason::ReqNodeNotAvail : WaitReason::Reservation, std::move(text)};
}

std::vector<bool> outside_its_reservation(const ExplainContext& told, const ResolvedRequest& need) {
  const auto count = static_cast<std::size_t>(told.pass.nodes().size());
  if (need.closed == nullptr) return std::vector<bool>(count);
  if (need.closed->inside == nullptr) return std::vector<bool>(count, need.closed->entirely);
  std::vector<bool> outside(count, true);
  for (const std::string& name : need.closed->inside->nodes)
    if (const auto at = told.pass.nodes().find(name))
      outside[static_cast<std::size_t>(*at)] = need.closed->entirely;
  return outside;
}

std::vector<std::string> reserved_lines(const ExplainContext& told, const Decision& decision) {
  std::vector<std::string> lines;
  const auto found = keeping(told, decision);
  for (const Keeps& keeps : found) {
    if (lines.size() == told_lines_max) {
      lines.push_back("and " + count_of(std::ssize(found) - std::ssize(lines), "reservation") +
                      " more; `cox show reservations` lists them");
      break;
    }
    lines.push_back(text_of(told, keeps,
                            count_of(std::ssize(keeps.at), "node") + " that would do (" +
                                nodes_text(told.pass.nodes(), keeps.at) + ")") +
                    unused_text(told, decision, keeps));
  }
  return lines;
}

std::string reserved_in_short(const ExplainContext& told, const Decision& decision) {
  const auto found = keeping(told, decision);
  if (found.empty()) return "";
  std::string text = blocked_text(told, found, told.pass.now());
  for (const Keeps& keeps : found)
    if (const std::string why = unused_text(told, decision, keeps); !why.empty()) return text + why;
  return text;
}

bool is_reserved_for_others(const ExplainContext& told, const Decision& decision) {
  if (told.pass.advance().empty()) return false;
  const auto needs = needs_told(told, decision);
  const auto is_closed = [](const ResolvedRequest* need) {
    return need->closed != nullptr && !need->closed->by.empty();
  };
  if (std::ranges::none_of(needs, is_closed)) return false;  // the room below costs more
  const Room open = open_room(told, decision);
  return std::ranges::any_of(needs, [&](const ResolvedRequest* need) {
    return is_closed(need) &&
           ((!need->ever_fits && !need->closed->entirely) || fits(need_alone(told, *need), open));
  });
}

// The longest that there is, of as many minutes as are left until one begins.
std::vector<std::string> limits_before_reservations(const ExplainContext& told,
                                                    const Decision& decision) {
  const Reservations* reservations = told.pass.reservations();
  const AdvanceReservation* before = nullptr;
  std::int64_t longest = 0;
  for (const Keeps& keeps : keeping(told, decision)) {
    const Occurrence* next = next_of(*keeps.reservation, told.pass.now());
    if (next == nullptr) continue;
    const std::int64_t minutes = (next->begin - told.pass.now()).count() / 60'000;
    const std::chrono::minutes lasts{minutes};
    const auto is_allowed = [&](const ResolvedRequest* need) {
      const ResolvedRequest& shorter = told.pass.need_now(*need->request, lasts);
      const auto shares = place(shorter, told.pass.nodes(), told.pass.free());
      return shares && (!reservations || reservations->allows(*shares, told.pass.now() + lasts));
    };
    if (minutes <= longest || std::ranges::none_of(needs_told(told, decision), is_allowed))
      continue;
    longest = minutes;
    before = keeps.reservation;
  }
  if (before == nullptr) return {};
  return {"with --time=" + std::to_string(longest) +
          " or less it would start now and be over before reservation " + before->name + " begins"};
}

}  // namespace cox::schedule
