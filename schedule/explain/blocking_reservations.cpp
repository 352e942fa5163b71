#include "schedule/explain/blocking_reservations.h"

#include <algorithm>

#include "common/base/moment_text.h"
#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/place/matcher.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

using Occurrence = AdvanceReservation::Occurrence;

constexpr std::size_t lines_max = 3;

std::string moment_of(Now now, Boot moment) {
  return cox::moment_text(now.wall + (moment - now.boot));
}

// One of the requests that would serve the job.
struct Asked {
  const Request* request = nullptr;
  const ResolvedRequest* now = nullptr;    // as it is
  const ResolvedRequest* alone = nullptr;  // were it not for reservations of others
};

std::vector<Asked> asked_by(Engine& engine, const PendingJob& job, Boot now) {
  std::vector<Asked> all;
  const auto lasts = shortest_limit(job);
  for (const Request* one = &*job.request; one != nullptr;
       one = one->otherwise ? &**one->otherwise : nullptr) {
    Asked& asked = all.emplace_back();
    asked.request = one;
    asked.now = &engine.need_of(*one, now, lasts);
    asked.alone = &engine.matcher().need(*asked.now->request, Availability::Required,
                                         engine.advance().always_closed(one->reservation));
  }
  return all;
}

bool may_start(Engine& engine, const PendingJob& job, const ResolvedRequest& need) {
  const auto own = job.copies > 1 ? std::nullopt : std::optional(job.id);
  return engine.limit_use().allows(own, *job.limits, *need.request, need.nodes, need.tasks,
                                   need.whole) &&
         fits(need, engine.free());
}

struct InTheWay {
  const AdvanceReservation* reservation = nullptr;
  const Occurrence* occurrence = nullptr;
  std::vector<NodeAt> at;  // where there is room for it
};

// Of those that close nodes to it the ones that have some where it would have room now.
std::vector<InTheWay> blocking_reservations(Engine& engine, const Asked& asked, Boot now) {
  std::vector<InTheWay> found;
  const Closed* closed = asked.now->closed;
  if (closed == nullptr || closed->entirely) return found;
  const Room& free = engine.free();
  const std::int64_t part = std::max<std::int64_t>(asked.alone->tasks / asked.alone->nodes, 1);
  for (const AdvanceReservation* one : closed->by) {
    InTheWay way{one, next_of(*one, now), {}};
    for (const std::string& name : one->nodes) {
      const auto at = engine.nodes().find(name);
      if (at && closed->has(*at) &&
          std::ranges::binary_search(nodes_in_question(*asked.alone), *at) &&
          tasks_that_fit(*asked.alone, free, *at) >= part)
        way.at.push_back(*at);
    }
    if (way.occurrence != nullptr && !way.at.empty()) found.push_back(std::move(way));
  }
  std::ranges::stable_sort(found, {}, [](const InTheWay& way) { return way.occurrence->begin; });
  return found;
}

// In how many minutes this one begins, if it would start now with a limit of so many; else 0.
std::int64_t minutes_before(Engine& engine, const PendingJob& job, const Asked& asked,
                            const InTheWay& way, Boot now) {
  const std::int64_t minutes = (way.occurrence->begin - now).count() / 60'000;
  if (minutes < 1) return 0;
  const ResolvedRequest& need = engine.need_of(*asked.request, now, std::chrono::minutes{minutes});
  return may_start(engine, job, need) ? minutes : 0;
}

// The one first that leaves it most time: that limit alone is worth telling.
std::vector<std::string> lines_of(Engine& engine, const PendingJob& job, const Asked& asked,
                                  Now now) {
  std::vector<std::string> lines;
  auto found = blocking_reservations(engine, asked, now.boot);
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int64_t minutes = minutes_before(engine, job, asked, found[i], now.boot);
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
           (silence == nullptr ? "" : "; waited for until " + moment_of(now, silence->end));
  }
  std::string text = what + (count == 1 ? " is reserved" : " are reserved");
  if (const Occurrence* next = next_of(one, now.boot))
    text += next->begin > now.boot ? " from " + moment_of(now, next->begin)
                                   : " until " + moment_of(now, next->end);
  return text + ": " + one.name + (one.for_whom.empty() ? "" : ", for " + one.for_whom);
}

bool may_be_in(const PendingJob& job, const AdvanceReservation& one) {
  for (const Request* request = &*job.request; request != nullptr;
       request = request->otherwise ? &**request->otherwise : nullptr)
    if (request->reservation == one.name) return true;
  return false;
}

std::string unused_text(const PendingJob& job, const AdvanceReservation& one, Now now) {
  const Occurrence* next = next_of(one, now.boot);
  if (next == nullptr || one.flex || !may_be_in(job, one)) return "";
  const std::string until = moment_of(now, next->end);
  const auto least = shortest_limit(job);
  if (!least)
    return "; the job may use that reservation, but has no time limit, and must be over when it "
           "ends "
           "at " +
           until + ": set one with --time";
  const Milliseconds left = next->end - std::max(next->begin, now.boot);
  if (*least <= left) return "";
  return "; the job may use that reservation, but asks for " + duration_text(*least) +
         ", and must be over when it ends at " + until;
}

std::vector<std::string> lines_in_the_way(Engine& engine, const PendingJob& job, Now now) {
  std::vector<std::string> lines;
  if (engine.advance().empty()) return lines;
  const std::vector<Asked> all = asked_by(engine, job, now.boot);
  if (std::ranges::any_of(all, [&](const Asked& one) { return fits(*one.now, engine.free()); }))
    return lines;
  for (const Asked& asked : all)  // of the others it would be the same again
    if (may_start(engine, job, *asked.alone)) return lines_of(engine, job, asked, now);
  return lines;
}

}  // namespace cox::schedule
