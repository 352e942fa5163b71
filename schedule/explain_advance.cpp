// What advance reservations have to do with a job's waiting.
#include <algorithm>
#include <set>

#include "schedule/place.h"
#include "schedule/told.h"
#include "schedule/words.h"

namespace cox::schedule {
namespace {

using Occurrence = AdvanceReservation::Occurrence;

// The one that is on, or the next. Null: all are over.
const Occurrence* next_of(const AdvanceReservation& one, Boot now) {
  for (const Occurrence& occurrence : one.occurrences)
    if (occurrence.end > now) return &occurrence;
  return nullptr;
}

std::string from_to_text(const Told& told, const Occurrence& occurrence) {
  return (occurrence.begin > told.pass.now() ? "from " + moment_text(told, occurrence.begin) + " "
                                             : "") +
         "until " + moment_text(told, occurrence.end);
}

// The need as it would be without the reservations of others.
const Need& need_alone(const Told& told, const Need& need) {
  return told.pass.matcher().need(*need.request, Availability::Required,
                                  told.pass.advance().always_closed(need.request->reservation));
}

std::string reserved_line(const Told& told, const AdvanceReservation& one,
                          const std::vector<NodeAt>& at) {
  std::string text = count_of(std::ssize(at), "node") + " that would do (" +
                     nodes_text(told.pass.nodes(), at) + ")" + (at.size() == 1 ? " is" : " are") +
                     " reserved";
  if (const Occurrence* next = next_of(one, told.pass.now()))
    text += " " + from_to_text(told, *next);
  return text + ": " + one.name + (one.for_whom.empty() ? "" : ", for " + one.for_whom);
}

std::string too_long_text(const Told& told, const Occurrence& next, const Verdict& verdict) {
  if (!verdict.job.time_limit)
    return "; the job has no time limit, and must be over when it ends: give it one with --time";
  const Milliseconds lasts = next.end - std::max(next.begin, told.pass.now());
  if (*verdict.job.time_limit <= lasts) return "";
  return "; the job asks for " + duration_text(*verdict.job.time_limit) +
         ", and must be over when " + "it ends: " + duration_text(lasts) + " are left of it";
}

}  // namespace

std::pair<WaitReason, std::string> not_open_text(const Told& told, const Verdict& verdict) {
  const std::string& name = verdict.job.request->reservation;
  const AdvanceReservation* one = told.pass.advance().find(name);
  const std::string id = id_text(verdict.job.id, told.title_of);
  const std::string advice = "; `cox cancel " + id + "` ends the job";
  if (one == nullptr)
    return {WaitReason::ReservationDeleted,
            "reservation " + name + " is over, or was deleted" + advice};
  const Occurrence* next = next_of(*one, told.pass.now());
  if (next == nullptr) return {WaitReason::Reservation, "reservation " + name + " is over"};
  std::string text =
      "reservation " + name +
      (next->begin > told.pass.now() ? " begins at " + moment_text(told, next->begin) : " is on") +
      ", and ends at " + moment_text(told, next->end) + too_long_text(told, *next, verdict);
  if (!verdict.expected) text += "; it cannot start in it as it is" + advice;
  return {WaitReason::Reservation, std::move(text)};
}

std::vector<std::string> reserved_lines(const Told& told, const Verdict& verdict) {
  std::vector<std::string> lines;
  std::set<std::string> named;
  if (told.pass.advance().empty()) return lines;
  for (const Need* need : needs_told(told, verdict)) {
    if (need->closed == nullptr || need->closed->entirely) continue;
    for (const AdvanceReservation* one : need->closed->by) {
      const std::set<std::string_view> its(one->nodes.begin(), one->nodes.end());
      std::vector<NodeAt> at;
      for (const NodeAt would_do : nodes_in_question(need_alone(told, *need)))
        if (need->closed->has(would_do) && its.contains(told.pass.nodes().name(would_do)))
          at.push_back(would_do);
      if (at.empty() || !named.insert(one->name).second) continue;
      if (lines.size() == told_lines_max) return lines;
      lines.push_back(reserved_line(told, *one, at));
    }
  }
  return lines;
}

bool is_reserved_for_others(const Told& told, const Verdict& verdict) {
  if (told.pass.advance().empty()) return false;
  const Room open = open_room(told, verdict);
  return std::ranges::any_of(needs_told(told, verdict), [&](const Need* need) {
    if (need->closed == nullptr || need->closed->by.empty()) return false;
    return (!need->ever_fits && !need->closed->entirely) || fits(need_alone(told, *need), open);
  });
}

std::vector<std::string> limits_before_reservations(const Told& told, const Verdict& verdict) {
  const Reservations* reservations = told.pass.reservations();
  std::vector<std::string> lines;
  std::set<std::string> named;
  for (const Need* need : needs_told(told, verdict)) {
    if (need->closed == nullptr) continue;
    for (const AdvanceReservation* one : need->closed->by) {
      const Occurrence* next = next_of(*one, told.pass.now());
      if (next == nullptr || named.contains(one->name)) continue;
      const std::int64_t minutes = (next->begin - told.pass.now()).count() / 60'000;
      if (minutes < 1) continue;
      const std::chrono::minutes lasts{minutes};
      const auto shares =
          place(told.pass.need_now(*need->request, lasts), told.pass.nodes(), told.pass.free());
      if (!shares || (reservations && !reservations->allows(*shares, told.pass.now() + lasts)))
        continue;
      named.insert(one->name);
      lines.push_back("with --time=" + std::to_string(minutes) +
                      " or less it would start now and be over before reservation " + one->name +
                      " begins");
    }
  }
  return lines;
}

}  // namespace cox::schedule
