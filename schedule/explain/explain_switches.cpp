// What is said of a job that waits for few leaf switches, but not for ever.
#include <algorithm>

#include "common/base/moment_text.h"
#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/model/any_switches.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

// Whether one of the job's requests satisfies `test` once any number of switches will do.
bool then_any(const Told& told, const Verdict& verdict, const auto& test) {
  if (!patience_ends(verdict.job)) return false;
  const Shared<Request> then = on_any_switches(*verdict.job.request);
  for (const Request* one = &*then; one != nullptr;
       one = one->otherwise ? &**one->otherwise : nullptr)
    if (test(told.pass.need_of(*one, verdict.job.time_limit))) return true;
  return false;
}

}  // namespace

bool waits_for_switches_alone(const Told& told, const Verdict& verdict) {
  return verdict.outcome == Outcome::Unavailable &&
         then_any(told, verdict, [](const Need& need) { return need.ever_fits; });
}

std::string switches_text(const Told& told, const Verdict& verdict) {
  const auto until = patience_ends(verdict.job);
  if (!until || told.pass.nodes().levels().empty()) return "";
  return "it waits for nodes on at most " + count_of(verdict.job.request->switches, "leaf switch") +
         " until " + cox::moment_text(*until) + ", then more will do";
}

std::optional<Boot> start_on_any_switches(const Told& told, const Verdict& verdict) {
  const auto until = patience_ends(verdict.job);
  if (!until) return std::nullopt;
  const Room room = open_room(told, verdict);
  const auto has_room = [&](const Need& need) { return fits(need, room); };
  if (!then_any(told, verdict, has_room)) return std::nullopt;
  return told.pass.now() + std::max(*until - told.now, Milliseconds{0});
}

}  // namespace cox::schedule
