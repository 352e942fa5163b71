// Explains jobs that a limit stops: which limit, how much of it is in use, and by which jobs.
#include <algorithm>

#include "common/base/check.h"
#include "common/base/moment_text.h"
#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/model/request_chain.h"

namespace cox::schedule {
namespace {

std::int64_t amount_requested(const ResolvedRequest& need, const Limit& limit) {
  return count_of(limit, *need.request, need.nodes, need.tasks, need.whole);
}

// Returns whether the job is charged for whole nodes, which is more than it asked for.
bool counts_whole_nodes(const ResolvedRequest& need, const Limit& limit) {
  return amount_requested(need, limit) > count_of(limit, *need.request, need.nodes, need.tasks);
}

std::vector<const Limit*> exhausted(const Pass& pass, const Decision& decision,
                                    const ResolvedRequest& need) {
  std::vector<const Limit*> found;
  const auto is_within_guarantee = [&] {
    return pass.quotas().reclaim(decision.job, need).is_within_guarantee();
  };
  for (const Limit& limit : *decision.job.limits) {
    const std::int64_t count = amount_requested(need, limit);
    if (count == 0 || pass.facts().limit_use().used(limit.id) + count <= limit.most.count) continue;
    if (!limit.is_of_room() || !is_within_guarantee()) found.push_back(&limit);
  }
  return found;
}

std::string amount_text(const Limit& limit, std::int64_t count) {
  TresCount amount = limit.most;
  // Limits of resource time (GrpTRESMins) are counted in seconds and shown in minutes.
  amount.count = limit.seconds == 0 ? count : (count + 30) / 60;
  const std::string text = tres_amount(amount);
  return text + (limit.seconds == 0 ? "" : text == "1" ? " minute" : " minutes");
}

LimitName name_of(const LimitOf& limit_of, const Limit& limit) {
  if (limit_of) return limit_of(limit);
  return {WaitReason::Resources, "the limit of " + tres_name(limit.most)};
}

// Returns the jobs that use the limit, the largest first.
std::string holders_text(const ExplainContext& context, const Limit& limit) {
  std::vector<std::pair<std::int64_t, JobId>> holders;
  for (const auto& [id, holding] : context.facts.limit_use().holdings())
    for (const auto& [one, count] : holding)
      if (one == limit.id) holders.emplace_back(-count, id);
  std::ranges::sort(holders);
  if (holders.empty()) return "";
  std::vector<JobId> jobs;
  for (const auto& [count, id] : holders) jobs.push_back(id);
  return jobs_text(jobs, context.title_of);
}

// For a limit that reserves room for other jobs: returns a note if the request would not fit beside
// the reserved room even on an idle cluster.
std::string never_text(const ExplainContext& context, const ResolvedRequest& need,
                       const Limit& limit) {
  const std::int64_t all = there_is_of(context.facts.nodes(), limit.most);
  if (amount_requested(need, limit) <= std::max<std::int64_t>(all + limit.most.count, 0)) return "";
  return "; all nodes together have " + amount_text(limit, all) +
         ", so it waits until less is reserved or nodes are added";
}

// Returns when running jobs will have freed enough of the limit by their time limits; empty text if
// that is unknown.
std::string enough_text(const ExplainContext& context, const ResolvedRequest& need,
                        const Limit& limit) {
  std::int64_t missing =
      context.facts.limit_use().used(limit.id) + amount_requested(need, limit) - limit.most.count;
  std::vector<std::pair<Boot, JobId>> ends;
  for (const auto& [id, running] : context.facts.running())
    if (running.job.ends_by) ends.emplace_back(*running.job.ends_by, id);
  std::ranges::sort(ends);
  for (const auto& [end, id] : ends) {
    missing -= context.facts.limit_use().used_by(id, limit.id);
    if (missing <= 0) return "; expected to clear by " + moment_text(context, end);
  }
  return "";
}

// Returns the line for a limit that reserves room for other jobs, for example: "QOS critical:
// KeptTRES gres/gpu is 2 of 8: 6 in use by job 17, and it asks for 1".
std::string reserving_limit_line(const ExplainContext& context, const ResolvedRequest& need,
                                 const Limit& limit) {
  const LimitUse& use = context.facts.limit_use();
  const auto at = static_cast<std::size_t>(limit.id);
  const std::int64_t there_is = at < use.charged().size() ? -use.charged()[at] : 0;
  const std::string holders = holders_text(context, limit);
  return name_of(context.limit_of, limit).text + " is " + amount_text(limit, -limit.most.count) +
         " of " + amount_text(limit, there_is) + ": " +
         amount_text(limit, use.used(limit.id) + there_is) + " in use" +
         (holders.empty() ? "" : " by " + holders) + ", and it asks for " +
         amount_text(limit, amount_requested(need, limit)) + never_text(context, need, limit) +
         enough_text(context, need, limit);
}

// Returns a note for a request that alone exceeds the limit. The job cannot start before other
// hours of the week begin or the limit is raised.
std::string alone_text(const ExplainContext& context, const Decision& decision,
                       const Limit& limit) {
  const std::optional<Wall> turns = name_of(context.limit_of, limit).turns;
  if (turns)
    return "; it cannot start before " + cox::moment_text(*turns) + " when other hours begin";
  if (decision.job.request->otherwise) return "; it cannot start while the limit is that low";
  return "; it cannot start while the limit is that low: `cox cancel " +
         id_text(decision.job.id, context.title_of) + "` ends it";
}

std::string line_of(const ExplainContext& context, const Decision& decision,
                    const ResolvedRequest& need, const Limit& limit) {
  if (limit.is_of_room()) return reserving_limit_line(context, need, limit);
  const LimitName name = name_of(context.limit_of, limit);
  const std::int64_t used = context.facts.limit_use().used(limit.id);
  const std::string holders = holders_text(context, limit);
  const std::int64_t requested_amount = amount_requested(need, limit);
  const bool is_too_much = requested_amount > limit.most.count;
  std::string text = name.text + " is " + amount_text(limit, limit.most.count);
  if (name.turns && !is_too_much)
    text += " until " + cox::moment_text(*name.turns) + ", when other hours begin";
  text += ": " + amount_text(limit, used) +
          (limit.seconds == 0 ? " in use" : " used lately or promised");
  if (!holders.empty()) text += (limit.seconds == 0 ? " by " : ", also to ") + holders;
  if (limit.most.what == Tres::Nodes && limit.seconds == 0)
    text += " (a node counts once for each job on it)";
  text += ", and it asks for " + amount_text(limit, requested_amount);
  if (counts_whole_nodes(need, limit)) text += " because --exclusive counts whole nodes";
  if (is_too_much) return text + alone_text(context, decision, limit);
  return limit.seconds == 0 ? text + enough_text(context, need, limit) : text;
}

}  // namespace

WaitReason limited_reason(const Pass& pass, const LimitOf& limit_of, const Decision& decision) {
  const auto limits = exhausted(pass, decision, *decision.need);
  return limits.empty() ? WaitReason::Priority : name_of(limit_of, *limits.front()).reason;
}

// If no limit stops the job any more, the same pass gave back the missing amount later.
std::pair<WaitReason, std::string> limited_text(const ExplainContext& context,
                                                const Decision& decision) {
  const auto limits = exhausted(context.pass, decision, *decision.need);
  if (limits.empty()) return {WaitReason::Priority, "waits for jobs before it"};
  return {name_of(context.limit_of, *limits.front()).reason,
          line_of(context, decision, *decision.need, *limits.front())};
}

std::vector<std::string> limit_lines(const ExplainContext& context, const Decision& decision) {
  std::vector<std::string> lines;
  for (const Limit* limit : exhausted(context.pass, decision, *decision.need))
    lines.push_back(line_of(context, decision, *decision.need, *limit));
  return lines;
}

bool is_limited(const ExplainContext& context, const Decision& decision,
                const ResolvedRequest& need) {
  return !exhausted(context.pass, decision, need).empty();
}

std::vector<std::string> limited_alternatives(const ExplainContext& context,
                                              const Decision& decision) {
  std::vector<std::string> lines;
  for (const Request& one : RequestChain(*decision.job.request)) {
    const ResolvedRequest& need = context.facts.need_now(one, decision.job.time_limit);
    const auto limits = exhausted(context.pass, decision, need);
    if (limits.empty() || is_of(need, decision)) continue;
    if (lines.size() == needs_shown_max) break;
    lines.push_back("not now: " + request_text(need) + ": " +
                    line_of(context, decision, need, *limits.front()));
  }
  return lines;
}

}  // namespace cox::schedule
