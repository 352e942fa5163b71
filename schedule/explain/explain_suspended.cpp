// Explains why a suspended job is not resumed: which of its CPUs are in use, and by which jobs.
#include <algorithm>

#include "common/base/moment_text.h"
#include "schedule/explain/explain.h"
#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"

namespace cox::schedule {
namespace {

// Returns the jobs that hold CPUs on a node. Suspended jobs hold none.
std::vector<std::string> holders_of_cpus(const Pass& pass, NodeAt at, const TitleOf& title_of) {
  std::vector<std::string> holders;
  for (const auto& [id, running] : pass.facts().running())
    for (const NodePart& share : *running.held()) {
      if (share.node != at || share.cpus == 0) continue;
      if (holders.size() == holders_shown_max) {
        holders.emplace_back("...");
        return holders;
      }
      holders.push_back(job_text(id, title_of) + " (" + count_of(share.cpus, "CPU") + ")");
    }
  return holders;
}

std::vector<std::string> lines_of(const Pass& pass, const Running& running,
                                  const TitleOf& title_of) {
  std::vector<std::string> lines;
  for (const NodePart& share : *running.cpus) {
    const std::int64_t free = std::max<std::int64_t>(pass.rooms().unclaimed()[share.node].cpus, 0);
    if (free >= share.cpus) continue;
    if (lines.size() == shown_lines_max) {
      lines.emplace_back("and more nodes");
      break;
    }
    const auto holders = holders_of_cpus(pass, share.node, title_of);
    lines.push_back("node " + pass.facts().nodes()[share.node].node->name + ": " +
                    std::to_string(free) + " of its " + count_of(share.cpus, "CPU") + " free" +
                    (holders.empty() ? "" : "; held by " + joined(holders, ", ")));
  }
  return lines;
}

std::int64_t nodes_short_of_cpus(const Pass& pass, const Running& running) {
  return std::ranges::count_if(*running.cpus, [&](const NodePart& share) {
    return pass.rooms().unclaimed()[share.node].cpus < share.cpus;
  });
}

std::string detail_of(const Pass& pass, Now now, const SuspendedWait& waits,
                      const Running& running) {
  std::string text = "suspended on " + nodes_text(pass.facts().nodes(), *running.shares);
  if (!running.job.resumable) return text + "; some of its nodes do not respond";
  if (waits.others_first) return text + "; its CPUs are free, but reserved for jobs before it";
  text +=
      " until its CPUs are free again on " + count_of(nodes_short_of_cpus(pass, running), "node");
  if (waits.expected)
    text +=
        ", expected at " + moment_text(now.wall + (*waits.expected - now.boot)) + " by time limits";
  return text;
}

WaitReason reason_of(const SuspendedWait& waits, const Running& running) {
  if (!running.job.resumable) return WaitReason::ReqNodeNotAvail;
  return waits.others_first ? WaitReason::Priority : WaitReason::Resources;
}

}  // namespace

void explain_suspended(const Pass& pass, Now now, const ExplainDepth& explain_depth,
                       std::vector<PendingExplanation>& waiting) {
  std::size_t shown = 0;
  for (const SuspendedWait& waits : pass.suspended_jobs()) {
    const Running& running = pass.facts().running().at(waits.job);
    PendingExplanation& one = waiting.emplace_back();
    one.job = waits.job;
    one.reason = reason_of(waits, running);
    one.detail = detail_of(pass, now, waits, running);
    if (running.job.resumable) one.expected_start = waits.expected;
    one.complete = shown++ < explain_depth.jobs_in_full || explain_depth.also == waits.job;
    if (one.complete) one.lines = lines_of(pass, running, explain_depth.title_of);
    for (const NodePart& share : *running.shares)
      one.nodes.push_back(pass.facts().nodes()[share.node].node->name);
  }
}

}  // namespace cox::schedule
