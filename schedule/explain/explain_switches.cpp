// Explanations of jobs that wait for few leaf switches for a limited time.
#include <algorithm>

#include "common/base/moment_text.h"
#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/model/any_switches.h"
#include "schedule/model/request_chain.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

// Returns whether one of the job's requests passes `test` once any number of switches is allowed.
bool then_any(const ExplainContext& context, const Decision& decision, const auto& test) {
  if (!patience_ends(decision.job)) return false;
  const Shared<Request> then = on_any_switches(*decision.job.request);
  for (const Request& one : RequestChain(*then))
    if (test(context.facts.need_of(one, decision.job.time_limit))) return true;
  return false;
}

}  // namespace

bool waits_for_switches_alone(const ExplainContext& context, const Decision& decision) {
  return decision.outcome == Outcome::Unavailable &&
         then_any(context, decision, [](const ResolvedRequest& need) { return need.ever_fits; });
}

std::string switches_text(const ExplainContext& context, const Decision& decision) {
  const auto until = patience_ends(decision.job);
  if (!until || context.facts.nodes().levels().empty()) return "";
  return "it waits for nodes on at most " +
         count_of(decision.job.request->switches, "leaf switch") + " until " +
         cox::moment_text(*until) + ", then on any number";
}

std::optional<Boot> start_on_any_switches(const ExplainContext& context, const Decision& decision) {
  const auto until = patience_ends(decision.job);
  if (!until) return std::nullopt;
  const Room room = open_room(context, decision);
  const auto has_room = [&](const ResolvedRequest& need) { return fits(need, room); };
  if (!then_any(context, decision, has_room)) return std::nullopt;
  return context.facts.now() + std::max(*until - context.now, Milliseconds{0});
}

}  // namespace cox::schedule
