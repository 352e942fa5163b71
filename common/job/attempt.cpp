#include "common/job/attempt.h"

#include <algorithm>

#include "common/base/check.h"

namespace cox {

std::string_view name(NodePhase p) {
  switch (p) {
    case NodePhase::Preparing: return "preparing";
    case NodePhase::Ready: return "ready";
    case NodePhase::Running: return "running";
    case NodePhase::Stopping: return "stopping";
    case NodePhase::Gone: return "gone";
  }
  CHECK(false && "unknown NodePhase");
}

std::string_view name(RankPhase p) {
  switch (p) {
    case RankPhase::Waiting: return "waiting";
    case RankPhase::Running: return "running";
    case RankPhase::Exited: return "exited";
  }
  CHECK(false && "unknown RankPhase");
}

std::string_view name(StopWhy w) {
  switch (w) {
    case StopWhy::None: return "none";
    case StopWhy::JobEnded: return "jobended";
    case StopWhy::Preempt: return "preempt";
    case StopWhy::Drain: return "drain";
    case StopWhy::Migrate: return "migrate";
    case StopWhy::Requeue: return "requeue";
    case StopWhy::LeaseEnded: return "leaseended";
    case StopWhy::TimeLimit: return "timelimit";
    case StopWhy::NodeLost: return "nodelost";
    case StopWhy::LaunchUndone: return "launchundone";
    case StopWhy::RankFailed: return "rankfailed";
    case StopWhy::OutOfMemory: return "outofmemory";
    case StopWhy::Cancel: return "cancel";
    case StopWhy::Deadline: return "deadline";
  }
  CHECK(false && "unknown StopWhy");
}

bool asks_by_signal(const JobSpec& spec, StopWhy why) {
  const bool at_end = why == StopWhy::TimeLimit || why == StopWhy::Deadline;
  return spec.signal.number != 0 && (at_end || spec.checkpoint_signal == 0);
}

bool is_only_warned(const JobSpec& spec, StopWhy why) {
  const bool at_end = why == StopWhy::TimeLimit || why == StopWhy::Deadline;
  return at_end && spec.signal.number != 0 && !spec.requeue_on_timeout;
}

bool has_carried_out_suspension(const Attempt& a) {
  return std::ranges::all_of(a.nodes, [&](const AttemptNode& n) {
    return n.phase == NodePhase::Gone || n.suspension >= a.suspension.number;
  });
}

bool is_suspended(const Attempt& a) {
  return a.suspension.suspended && has_carried_out_suspension(a);
}

Milliseconds run_time(const Attempt& a, Wall now) {
  if (a.went == Wall{}) return Milliseconds{0};
  Wall until = a.ended == Wall{} ? now : a.ended;
  if (a.suspension.suspended) until = std::min(until, a.suspended_at.back());
  return std::max(Milliseconds{0}, until - a.went - Milliseconds{a.suspended_ms});
}

std::int32_t ranks_run_on(const JobSpec& spec, const NodeGrant& grant, std::int32_t node_index) {
  switch (spec.form) {
    case JobForm::Gang: return grant.ranks;
    case JobForm::Batch: return node_index == 0 ? 1 : 0;
    case JobForm::Allocation: return 0;
  }
  CHECK(false && "unknown JobForm");
}

}  // namespace cox
