// Jobs that a limit keeps back: which, how much of it is held, and by whom.
#include <algorithm>

#include "common/base/check.h"
#include "common/base/moment_text.h"
#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"

namespace cox::schedule {
namespace {

std::int64_t asked(const ResolvedRequest& need, const Limit& limit) {
  return count_of(limit, *need.request, need.nodes, need.tasks, need.whole);
}

// It has its nodes to itself, and they are more than it asked for.
bool counts_whole_nodes(const ResolvedRequest& need, const Limit& limit) {
  return asked(need, limit) > count_of(limit, *need.request, need.nodes, need.tasks);
}

std::vector<const Limit*> exhausted(const Pass& pass, const Decision& decision,
                                    const ResolvedRequest& need) {
  std::vector<const Limit*> found;
  const auto is_owed = [&] { return pass.reclaim(decision.job, need).is_within_guarantee(); };
  for (const Limit& limit : *decision.job.limits) {
    const std::int64_t count = asked(need, limit);
    if (count == 0 || pass.limit_use().used(limit.id) + count <= limit.most.count) continue;
    if (!limit.is_of_room() || !is_owed()) found.push_back(&limit);
  }
  return found;
}

std::string amount_text(const Limit& limit, std::int64_t count) {
  TresCount amount = limit.most;
  // Of time people are told minutes.
  amount.count = limit.seconds == 0 ? count : (count + 30) / 60;
  const std::string text = tres_amount(amount);
  return text + (limit.seconds == 0 ? "" : text == "1" ? " minute" : " minutes");
}

LimitName name_of(const LimitOf& limit_of, const Limit& limit) {
  if (limit_of) return limit_of(limit);
  return {WaitReason::Resources, "the limit of " + tres_name(limit.most)};
}

// Those that hold the most first.
std::string holders_text(const ExplainContext& told, const Limit& limit) {
  std::vector<std::pair<std::int64_t, JobId>> holders;
  for (const auto& [id, holding] : told.pass.limit_use().holdings())
    for (const auto& [one, count] : holding)
      if (one == limit.id) holders.emplace_back(-count, id);
  std::ranges::sort(holders);
  if (holders.empty()) return "";
  std::vector<JobId> jobs;
  for (const auto& [count, id] : holders) jobs.push_back(id);
  return jobs_text(jobs, told.title_of);
}

// Were all nodes there and idle, it would still be too much.
std::string never_text(const ExplainContext& told, const ResolvedRequest& need,
                       const Limit& limit) {
  const std::int64_t all = there_is_of(told.pass.nodes(), limit.most);
  if (asked(need, limit) <= std::max<std::int64_t>(all + limit.most.count, 0)) return "";
  return "; all nodes together have " + amount_text(limit, all) +
         ", so it waits until less is kept or nodes are added";
}

// By the time limits of those that hold it; empty: one that has to end has none.
std::string enough_text(const ExplainContext& told, const ResolvedRequest& need,
                        const Limit& limit) {
  std::int64_t missing =
      told.pass.limit_use().used(limit.id) + asked(need, limit) - limit.most.count;
  std::vector<std::pair<Boot, JobId>> ends;
  for (const auto& [id, running] : told.pass.running())
    if (running.job.ends_by) ends.emplace_back(*running.job.ends_by, id);
  std::ranges::sort(ends);
  for (const auto& [end, id] : ends) {
    missing -= told.pass.limit_use().used_by(id, limit.id);
    if (missing <= 0) return "; time limits free enough of it by " + moment_text(told, end);
  }
  return "";
}

// "QOS critical: what it keeps of gres/gpu is 2 of 8: 6 in use by job 17, and it asks for 1"
std::string kept_line(const ExplainContext& told, const ResolvedRequest& need, const Limit& limit) {
  const LimitUse& use = told.pass.limit_use();
  const auto at = static_cast<std::size_t>(limit.id);
  const std::int64_t there_is = at < use.charged().size() ? -use.charged()[at] : 0;
  const std::string holders = holders_text(told, limit);
  return name_of(told.limit_of, limit).text + " is " + amount_text(limit, -limit.most.count) +
         " of " + amount_text(limit, there_is) + ": " +
         amount_text(limit, use.used(limit.id) + there_is) + " in use" +
         (holders.empty() ? "" : " by " + holders) + ", and it asks for " +
         amount_text(limit, asked(need, limit)) + never_text(told, need, limit) +
         enough_text(told, need, limit);
}

// It alone is too much, whoever ends: then it waits for other hours, or in vain.
std::string alone_text(const ExplainContext& told, const Decision& decision, const Limit& limit) {
  const std::optional<Wall> turns = name_of(told.limit_of, limit).turns;
  if (turns)
    return "; it cannot start before " + cox::moment_text(*turns) + " when other hours begin";
  if (decision.job.request->otherwise) return "; so it never starts while the limit is that low";
  return "; it never starts while the limit is that low: `cox cancel " +
         id_text(decision.job.id, told.title_of) + "` ends it";
}

std::string line_of(const ExplainContext& told, const Decision& decision,
                    const ResolvedRequest& need, const Limit& limit) {
  if (limit.is_of_room()) return kept_line(told, need, limit);
  const LimitName name = name_of(told.limit_of, limit);
  const std::int64_t used = told.pass.limit_use().used(limit.id);
  const std::string holders = holders_text(told, limit);
  const std::int64_t asks_for = asked(need, limit);
  const bool is_too_much = asks_for > limit.most.count;
  std::string text = name.text + " is " + amount_text(limit, limit.most.count);
  if (name.turns && !is_too_much)
    text += " until " + cox::moment_text(*name.turns) + ", when other hours begin";
  text += ": " + amount_text(limit, used) +
          (limit.seconds == 0 ? " in use" : " used lately or promised");
  if (!holders.empty()) text += (limit.seconds == 0 ? " by " : ", also to ") + holders;
  if (limit.most.what == Tres::Nodes && limit.seconds == 0)
    text += " (a node counts once for each job on it)";
  text += ", and it asks for " + amount_text(limit, asks_for);
  if (counts_whole_nodes(need, limit)) text += ": all of its nodes counts with --exclusive";
  if (is_too_much) return text + alone_text(told, decision, limit);
  return limit.seconds == 0 ? text + enough_text(told, need, limit) : text;
}

}  // namespace

WaitReason limited_reason(const Pass& pass, const LimitOf& limit_of, const Decision& decision) {
  const auto limits = exhausted(pass, decision, *decision.need);
  return limits.empty() ? WaitReason::Priority : name_of(limit_of, *limits.front()).reason;
}

// What was exhausted when it was judged may have been given back in the same pass.
std::pair<WaitReason, std::string> limited_text(const ExplainContext& told,
                                                const Decision& decision) {
  const auto limits = exhausted(told.pass, decision, *decision.need);
  if (limits.empty()) return {WaitReason::Priority, "waits for jobs before it"};
  return {name_of(told.limit_of, *limits.front()).reason,
          line_of(told, decision, *decision.need, *limits.front())};
}

std::vector<std::string> limit_lines(const ExplainContext& told, const Decision& decision) {
  std::vector<std::string> lines;
  for (const Limit* limit : exhausted(told.pass, decision, *decision.need))
    lines.push_back(line_of(told, decision, *decision.need, *limit));
  return lines;
}

bool is_limited(const ExplainContext& told, const Decision& decision, const ResolvedRequest& need) {
  return !exhausted(told.pass, decision, need).empty();
}

std::vector<std::string> limited_alternatives(const ExplainContext& told,
                                              const Decision& decision) {
  std::vector<std::string> lines;
  for (const Request* one = &*decision.job.request; one != nullptr;
       one = one->otherwise ? &**one->otherwise : nullptr) {
    const ResolvedRequest& need = told.pass.need_now(*one, decision.job.time_limit);
    const auto limits = exhausted(told.pass, decision, need);
    if (limits.empty() || is_of(need, decision)) continue;
    if (lines.size() == needs_told_max) break;
    lines.push_back("not now " + request_text(need) + ": " +
                    line_of(told, decision, need, *limits.front()));
  }
  return lines;
}

}  // namespace cox::schedule
