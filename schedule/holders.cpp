#include <algorithm>
#include <bit>
#include <map>

#include "schedule/place.h"
#include "schedule/told.h"
#include "schedule/words.h"

namespace cox::schedule {
namespace {

// What a job has on the nodes that would do and have no room.
struct Holding {
  std::vector<NodeAt> nodes;
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
};

std::map<JobId, Holding> holdings(const Told& told, const Need& need) {
  std::map<JobId, Holding> found;
  for (const NodeAt at : need.usable) {
    if (has_room(need, told.pass.unclaimed(), at)) continue;
    const GpuBits kind = told.pass.nodes()[at].devices_of(need.request->gpu_types);
    for (const Holder& holder : holders_on(told, at)) {
      Holding& holding = found[holder.job];
      holding.nodes.push_back(at);
      holding.cpus += holder.share.cpus;
      holding.gpus += std::popcount(holder.share.gpus & kind);
    }
  }
  return found;
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
  return "it could be preempted, but not enough others with it to make room for the whole gang";
}

std::string holder_line(const Told& told, const Verdict& verdict, JobId id,
                        const Holding& holding) {
  const bool gpus = verdict.need->gpus > 0;
  std::string text = "job " + std::to_string(id.value) + " holds " +
                     (gpus ? count_of(holding.gpus, gpu_noun(*verdict.need->request))
                           : count_of(holding.cpus, "CPU")) +
                     " on " + nodes_text(told.pass.nodes(), holding.nodes);
  const auto running = told.pass.running().find(id);
  if (running == told.pass.running().end()) return text + "; it starts now";
  return text + until_text(told, running->second) + "; " +
         why_it_stays(told, verdict.job, running->second);
}

}  // namespace

const std::vector<Holder>& holders_on(const Told& told, NodeAt at) {
  return told.holders[static_cast<std::size_t>(at)];
}

bool has_room(const Need& need, const Room& room, NodeAt at) {
  return tasks_that_fit(need, room, at) >= std::max<std::int64_t>(need.tasks / need.nodes, 1);
}

std::int64_t nodes_with_room(const Need& need, const Room& room) {
  return std::ranges::count_if(need.usable, [&](NodeAt at) { return has_room(need, room, at); });
}

std::string until_text(const Told& told, const Running& running) {
  if (!running.job.ends_by) return ", without a time limit";
  return ", for " + duration_text(*running.job.ends_by - told.pass.now()) + " at most";
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
