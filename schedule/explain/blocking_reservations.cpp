#include "schedule/explain/blocking_reservations.h"

#include <algorithm>

#include "common/base/moment_text.h"
#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/model/request_chain.h"
#include "schedule/place/matcher.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

using Occurrence = AdvanceReservation::Occurrence;

constexpr std::size_t lines_max = 3;

std::string moment_of(Now now, Boot moment) {
  return cox::moment_text(now.wall + (moment - now.boot));
}

// One of the job's alternative requests.
struct AlternativeNeeds {
  const Request* request = nullptr;
  const ResolvedRequest* now = nullptr;  // its need now
  // its need if there were no reservation but the one it names
  const ResolvedRequest* alone = nullptr;
};

std::vector<AlternativeNeeds> alternatives_of(Engine& engine, const PendingJob& job, Boot now) {
  std::vector<AlternativeNeeds> all;
  const auto lasts = shortest_limit(job);
  for (const Request& one : RequestChain(*job.request)) {
    AlternativeNeeds& alternative = all.emplace_back();
    alternative.request = &one;
    alternative.now = &engine.need_of(one, now, lasts);
    alternative.alone =
        &engine.ground().matcher().need(*alternative.now->request, Availability::Required,
                                        engine.ground().advance().always_closed(one.reservation));
  }
  return all;
}

bool may_start(Engine& engine, const PendingJob& job, const ResolvedRequest& need) {
  const auto own = job.copies > 1 ? std::nullopt : std::optional(job.id);
  return engine.limit_use().allows(own, *job.limits, *need.request, need.nodes, need.tasks,
                                   need.whole) &&
         fits(need, engine.ground().free());
}

struct InTheWay {
  const AdvanceReservation* reservation = nullptr;
  const Occurrence* occurrence = nullptr;
  std::vector<NodeAt> at;  // nodes of the reservation with room for a part of the job
};

// Returns the reservations that close nodes on which the job would have room now.
std::vector<InTheWay> blocking_reservations(Engine& engine, const AlternativeNeeds& alternative,
                                            Boot now) {
  std::vector<InTheWay> found;
  const Closed* closed = alternative.now->closed;
  if (closed == nullptr || closed->entirely) return found;
  const Room& free = engine.ground().free();
  const std::int64_t part =
      std::max<std::int64_t>(alternative.alone->tasks / alternative.alone->nodes, 1);
  for (const AdvanceReservation* one : closed->by) {
    InTheWay way{one, next_of(*one, now), {}};
    for (const std::string& name : one->nodes) {
      const auto at = engine.nodes().find(name);
      if (at && closed->has(*at) &&
          std::ranges::binary_search(nodes_in_question(*alternative.alone), *at) &&
          tasks_that_fit(*alternative.alone, free, *at) >= part)
        way.at.push_back(*at);
    }
    if (way.occurrence != nullptr && !way.at.empty()) found.push_back(std::move(way));
  }
  std::ranges::stable_sort(found, {}, [](const InTheWay& way) { return way.occurrence->begin; });
  return found;
}

// Returns in how many minutes the reservation begins if the job could start now with that time
// limit; otherwise 0.
std::int64_t minutes_before(Engine& engine, const PendingJob& job,
                            const AlternativeNeeds& alternative, const InTheWay& way, Boot now) {
  const std::int64_t minutes = (way.occurrence->begin - now).count() / 60'000;
  if (minutes < 1) return 0;
  const ResolvedRequest& need =
      engine.need_of(*alternative.request, now, std::chrono::minutes{minutes});
  return may_start(engine, job, need) ? minutes : 0;
}

// Returns a line for each reservation that keeps this request from starting. The reservation that
// allows the longest time limit comes first, since only that limit is shown.
std::vector<std::string> lines_of(Engine& engine, const PendingJob& job,
                                  const AlternativeNeeds& alternative, Now now) {
  std::vector<std::string> lines;
  auto found = blocking_reservations(engine, alternative, now.boot);
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int64_t minutes = minutes_before(engine, job, alternative, found[i], now.boot);
    if (minutes <= longest) continue;
    longest = minutes;
    std::rotate(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i),
                found.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  for (const InTheWay& way : found) {
    if (lines.size() == lines_max) {
      lines.push_back("and " + count_of(std::ssize(found) - std::ssize(lines), "reservation") +
                      " more; `cox show reservations` lists them");
      return lines;
    }
    lines.push_back(
        reserved_text(nodes_text(engine.nodes(), way.at), way.at.size(), *way.reservation, now) +
        unused_text(job, *way.reservation, now));
    if (lines.size() == 1 && longest > 0)
      lines.back() += "; with --time=" + std::to_string(longest) + " or less it would start now";
  }
  return lines;
}

}  // namespace

const Occurrence* next_of(const AdvanceReservation& one, Boot now) {
  for (const Occurrence& occurrence : one.occurrences)
    if (occurrence.end > now) return &occurrence;
  return nullptr;
}

std::string reserved_text(const std::string& what, std::size_t count, const AdvanceReservation& one,
                          Now now) {
  if (one.is_silence) {
    const Occurrence* silence = next_of(one, now.boot);
    return what + (count == 1 ? " does" : " do") + " not respond" +
           (silence == nullptr ? ""
                               : (count == 1 ? "; it has until " : "; they have until ") +
                                     moment_of(now, silence->end) + " to return");
  }
  std::string text = what + (count == 1 ? " is reserved" : " are reserved");
  if (const Occurrence* next = next_of(one, now.boot))
    text += next->begin > now.boot ? " from " + moment_of(now, next->begin)
                                   : " until " + moment_of(now, next->end);
  return text + ": " + one.name + (one.users_text.empty() ? "" : ", for " + one.users_text);
}

bool may_be_in(const PendingJob& job, const AdvanceReservation& one) {
  for (const Request& request : RequestChain(*job.request))
    if (request.reservation == one.name) return true;
  return false;
}

std::string unused_text(const PendingJob& job, const AdvanceReservation& one, Now now) {
  const Occurrence* next = next_of(one, now.boot);
  if (next == nullptr || one.flex || !may_be_in(job, one)) return "";
  const std::string until = moment_of(now, next->end);
  const auto least = shortest_limit(job);
  if (!least)
    return "; the job may use that reservation, but must end by " + until +
           " and has no time limit: set one with --time";
  const Milliseconds left = next->end - std::max(next->begin, now.boot);
  if (*least <= left) return "";
  return "; the job may use that reservation, but asks for " + duration_text(*least) +
         " and must end by " + until;
}

std::vector<std::string> lines_in_the_way(Engine& engine, const PendingJob& job, Now now) {
  std::vector<std::string> lines;
  if (engine.ground().advance().empty()) return lines;
  const std::vector<AlternativeNeeds> all = alternatives_of(engine, job, now.boot);
  if (std::ranges::any_of(
          all, [&](const AlternativeNeeds& one) { return fits(*one.now, engine.ground().free()); }))
    return lines;
  // The first alternative that could start is enough: others would give the same lines.
  for (const AlternativeNeeds& alternative : all)
    if (may_start(engine, job, *alternative.alone)) return lines_of(engine, job, alternative, now);
  return lines;
}

}  // namespace cox::schedule
