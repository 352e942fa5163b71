#include "worker/attempt_lines.h"

#include <algorithm>

#include "common/base/log_line.h"

namespace cox {
namespace {

std::string number(const char* key, std::int64_t value) {
  return std::string(" ") + key + "=" + std::to_string(value);
}

// Returns name() with blanks between its words.
std::string stop_text(StopWhy why) {
  switch (why) {
    case StopWhy::JobEnded: return "job ended";
    case StopWhy::LeaseEnded: return "lease ended";
    case StopWhy::TimeLimit: return "time limit";
    case StopWhy::NodeLost: return "node lost";
    case StopWhy::LaunchUndone: return "launch undone";
    case StopWhy::RankFailed: return "rank failed";
    case StopWhy::OutOfMemory: return "out of memory";
    default: return std::string(name(why));
  }
}

// Returns the exit of the first rank that failed, as text for the log line; exit code 0 if all
// ranks succeeded; otherwise "".
std::string exit_of(const std::vector<RankStatus>& ranks) {
  const auto failed = std::ranges::find_if(ranks, [](const RankStatus& rank) {
    return rank.phase == RankPhase::Exited && (rank.exit_code != 0 || rank.exit_signal != 0);
  });
  if (failed != ranks.end()) {
    return (failed->exit_signal != 0 ? number("exit_signal", failed->exit_signal)
                                     : number("exit_code", failed->exit_code)) +
           number("rank", failed->rank);
  }
  const bool all_exited = std::ranges::all_of(
      ranks, [](const RankStatus& rank) { return rank.phase == RankPhase::Exited; });
  return ranks.empty() || !all_exited ? "" : number("exit_code", 0);
}

}  // namespace

std::string start_line(const LaunchSpec& launch) {
  std::string line = about(launch.key) + "starts user=" + quoted_value(launch.spec.user_name) +
                     " name=" + quoted_value(launch.spec.name);
  if (launch.array_job != JobId{})
    line += number("array_job", launch.array_job.value) + number("array_task", launch.array_task);
  const auto own = static_cast<std::size_t>(launch.node_index);
  if (own >= launch.nodes.size()) return line;
  const NodeGrant& grant = launch.nodes[own].grant;
  line += number("cpus", grant.cpus);
  if (!grant.gpus.empty()) line += number("gpus", std::ssize(grant.gpus));
  return line;
}

std::string end_line(const AttemptStatus& status) {
  std::string line = about(status.key);
  if (!status.refused.empty())
    return line + "could not be prepared why=" + quoted_value(status.refused);
  line += "has ended" + number("ran_s", status.ran_ms / 1000) + exit_of(status.ranks);
  if (status.stop != StopWhy::None) line += " stopped=" + quoted_value(stop_text(status.stop));
  if (status.out_of_memory) line += " out_of_memory=true";
  if (!status.note.empty()) line += " note=" + quoted_value(status.note);
  return line;
}

}  // namespace cox
