#include <algorithm>
#include <map>
#include <utility>

#include "schedule/missing.h"
#include "schedule/place.h"
#include "schedule/told.h"
#include "schedule/words.h"

namespace cox::schedule {
namespace {

// What a job has of what is missing: on the nodes that would do and have no room, and of licences.
struct Holding {
  std::vector<NodeAt> nodes;
  HeldPart held;
  std::vector<LicenceCount> licences;
};

std::int64_t count_in(const Counts& counts, std::int32_t kind) {
  const auto count = std::ranges::find(counts, kind, &Count::kind);
  return count == counts.end() ? 0 : count->count;
}

std::map<JobId, Holding> holdings(const Told& told, const Need& need) {
  std::map<JobId, Holding> found;
  for (const NodeAt at : nodes_in_question(need)) {
    if (has_room(need, told.pass.unclaimed(), at)) continue;
    const Missing missing = missing_on(told, need, at);
    for (const Holder& holder : holders_on(told, at)) {
      const HeldPart held = held_of(told, need, missing, holder);
      if (held.is_nothing()) continue;
      found[holder.job].nodes.push_back(at);
      found[holder.job].held.add(held);
    }
  }
  const Counted& counted = told.pass.nodes().counted();
  for (const std::int32_t kind : missing_licences(told, need))
    for (const LicenceHolder& holder : told.licence_holders)
      if (const std::int64_t count = count_in(*holder.licences, kind); count > 0)
        found[holder.job].licences.push_back(counted.licence_of({kind, count}));
  return found;
}

std::string holding_text(const Told& told, const Need& need, const Holding& holding) {
  std::vector<std::string> parts;
  if (!holding.nodes.empty())
    parts.push_back(held_text(told, need, holding.held) + " on " +
                    nodes_text(told.pass.nodes(), holding.nodes));
  if (!holding.licences.empty()) parts.push_back("licences " + format_licences(holding.licences));
  return joined(parts, " and ");
}

std::string spared_text(const Told& told, const RunningJob& job, const Spared& sparing) {
  const Settings& settings = told.pass.settings();
  const std::string left = duration_text(sparing.until - told.pass.now());
  if (sparing.why == Sparing::HasJustBegun)
    return "it gives way in " + left + " at the earliest: it has run for " +
           duration_text(told.pass.now() - job.began) + " of at least " +
           duration_text(sparing.until - job.began);
  return "it was preempted " + count_of(settings.preempt_budget, "time") + " within " +
         duration_text(settings.preempt_budget_window) + ", as often as may be; it gives way in " +
         left + " at the earliest";
}

std::string why_it_stays(const Told& told, const PendingJob& waiting, const Running& running) {
  const RunningJob& job = running.job;
  if (told.pass.is_stopping(running)) return "it is stopping already";
  if (job.suspended) return "it is suspended, and keeps all but its CPUs until it has ended";
  if (!waiting.may_preempt) return "none may be preempted for this job";
  if (job.tier == waiting.tier)
    return "it has the same tier " + std::to_string(job.tier) + "; only lower tiers give way";
  if (job.tier > waiting.tier)
    return "it has the higher tier " + std::to_string(job.tier) + " and does not give way";
  if (!job.preemptable) return "it may not be preempted";
  if (const auto sparing = spared(told.pass.settings(), job, told.pass.now()))
    return spared_text(told, job, *sparing);
  if (job.suspends) return "it would stand still and leave its CPUs alone, which is not enough";
  return "it could be preempted, but with all that could be there is no room for the whole gang "
         "beside what is kept for others";
}

std::string holder_line(const Told& told, const Verdict& verdict, JobId id,
                        const Holding& holding) {
  const std::string text =
      job_text(id, told.user_of) + " holds " + holding_text(told, *verdict.need, holding);
  const auto running = told.pass.running().find(id);
  if (running == told.pass.running().end()) return text + "; it starts now";
  return text + until_text(told, running->second) + "; " +
         why_it_stays(told, verdict.job, running->second);
}

}  // namespace

const std::vector<Holder>& holders_on(const Told& told, NodeAt at) {
  return told.holders[static_cast<std::size_t>(at)];
}

const std::vector<NodeAt>& nodes_in_question(const Need& need) {
  return std::cmp_equal(need.required.size(), need.nodes) ? need.required : need.usable;
}

bool has_room(const Need& need, const Room& room, NodeAt at) {
  return tasks_that_fit(need, room, at) >= std::max<std::int64_t>(need.tasks / need.nodes, 1);
}

std::int64_t nodes_with_room(const Need& need, const Room& room) {
  return std::ranges::count_if(nodes_in_question(need),
                               [&](NodeAt at) { return has_room(need, room, at); });
}

std::string until_text(const Told& told, const Running& running) {
  if (running.job.time_left)
    return ", with " + duration_text(*running.job.time_left) + " of its time limit left";
  if (!running.job.ends_by) return ", without a time limit";
  return ", for " + duration_text(*running.job.ends_by - told.pass.now()) + " at most";
}

std::string licence_text(const Told& told, const Need& need) {
  const auto missing = missing_licences(told, need);
  if (missing.empty()) return "";
  const std::int32_t kind = missing.front();
  const Counted& counted = told.pass.nodes().counted();
  const std::int64_t all = counted.idle_licences()[static_cast<std::size_t>(kind)];
  std::int64_t free = all;
  std::vector<std::string> by;
  for (const LicenceHolder& holder : told.licence_holders) {
    const std::int64_t count = count_in(*holder.licences, kind);
    if (count == 0) continue;
    free -= count;
    if (by.size() < holders_shown_max)
      by.push_back(job_text(holder.job, told.user_of) + " has " + std::to_string(count));
    else if (by.size() == holders_shown_max)
      by.push_back("...");
  }
  return "licence " + counted.licence_of({kind, 0}).name + ": " +
         std::to_string(std::max<std::int64_t>(free, 0)) + " of " + std::to_string(all) +
         (free == 1 ? " is" : " are") + " free, " + joined(by, ", ");
}

std::vector<std::string> holder_lines(const Told& told, const Verdict& verdict) {
  const auto found = holdings(told, *verdict.need);
  std::vector<std::string> lines;
  for (const auto& [id, holding] : found) {
    if (lines.size() == told_lines_max) {
      lines.push_back("and " + count_of(std::ssize(found) - std::ssize(lines), "job") + " more");
      break;
    }
    lines.push_back(holder_line(told, verdict, id, holding));
  }
  return lines;
}

}  // namespace cox::schedule
