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
bool then_any(const ExplainContext& told, const Decision& decision, const auto& test) {
  if (!patience_ends(decision.job)) return false;
  const Shared<Request> then = on_any_switches(*decision.job.request);
  for (const Request* one = &*then; one != nullptr;
       one = one->otherwise ? &**one->otherwise : nullptr)
    if (test(told.pass.need_of(*one, decision.job.time_limit))) return true;
  return false;
}

}  // namespace

bool waits_for_switches_alone(const ExplainContext& told, const Decision& decision) {
  return decision.outcome == Outcome::Unavailable &&
         then_any(told, decision, [](const ResolvedRequest& need) { return need.ever_fits; });
}

std::string switches_text(const ExplainContext& told, const Decision& decision) {
  const auto until = patience_ends(decision.job);
  if (!until || told.pass.nodes().levels().empty()) return "";
  return "it waits for nodes on at most " +
         count_of(decision.job.request->switches, "leaf switch") + " until " +
         cox::moment_text(*until) + ", then more will do";
}

std::optional<Boot> start_on_any_switches(const ExplainContext& told, const Decision& decision) {
  const auto until = patience_ends(decision.job);
  if (!until) return std::nullopt;
  const Room room = open_room(told, decision);
  const auto has_room = [&](const ResolvedRequest& need) { return fits(need, room); };
  if (!then_any(told, decision, has_room)) return std::nullopt;
  return told.pass.now() + std::max(*until - told.now, Milliseconds{0});
}

}  // namespace cox::schedule
