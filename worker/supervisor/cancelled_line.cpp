#include "worker/supervisor/cancelled_line.h"

#include "common/base/check.h"

namespace cox {

namespace {

// Returns Slurm's text for the reason of a stop. Slurm has none for a migrated job, so it gets that
// of a requeue.
std::string_view due_to(StopWhy why) {
  switch (why) {
    case StopWhy::Preempt: return " DUE TO PREEMPTION";
    case StopWhy::Drain:
    case StopWhy::Migrate:
    case StopWhy::Requeue: return " DUE TO JOB REQUEUE";
    case StopWhy::LeaseEnded:
    case StopWhy::NodeLost:
    case StopWhy::LaunchUndone: return " DUE TO NODE FAILURE";
    case StopWhy::TimeLimit:
    case StopWhy::Deadline: return " DUE TO TIME LIMIT";
    case StopWhy::None:
    case StopWhy::JobEnded:
    case StopWhy::RankFailed:
    case StopWhy::OutOfMemory:
    case StopWhy::Cancel: break;
  }
  return "";
}

}  // namespace

bool is_shown_as_cancelled(StopWhy why) {
  return why != StopWhy::None && why != StopWhy::JobEnded;
}

std::string cancelled_line(const LaunchSpec& launch, StopWhy why, const std::string& moment) {
  CHECK(launch.node_index >= 0 &&
        static_cast<std::size_t>(launch.node_index) < launch.nodes.size());
  const NodeGrant& grant = launch.nodes[static_cast<std::size_t>(launch.node_index)].grant;
  return "slurmstepd: error: *** JOB " + std::to_string(launch.key.job.value) + " ON " +
         grant.node + " CANCELLED AT " + moment + std::string(due_to(why)) + " ***\n";
}

}  // namespace cox
