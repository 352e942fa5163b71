// TaskEnds: collects how the tasks of a step ended, for srun's messages about failed tasks and for
// its exit code. Tasks of one node that failed in the same way share a line. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/messages/stream_messages.h"

namespace cox {

class TaskEnds {
 public:
  // Failures on a node are reported this long after its first one, so that they share a line.
  static constexpr Milliseconds report_delay{1'000};

  void add(std::int32_t node, const TaskEnded& ended, Boot now);
  void count(const TaskEnded& ended);  // uses the exit code, but reports no failure
  void at_least(int exit_code);        // raises exit_code(), for a failure outside the tasks

  // These two return lines about failed tasks, without "srun: error: ", and forget these failures.
  // due(): of nodes whose first failure is `report_delay` ago. report_node(): of one node, without
  // a wait.
  std::vector<std::string> due(const std::vector<std::string>& node_names, Boot now);
  std::vector<std::string> report_node(std::int32_t node, const std::string& name);
  std::optional<Boot> wakeup() const;

  // Returns the highest exit code so far. A task that a signal ended counts as 128 + the signal.
  int exit_code() const { return exit_code_; }

 private:
  struct NodeFailures {
    // ranks of tasks that never ran, by the reason
    std::map<std::string, std::vector<std::int32_t>> notes;
    // ranks of failed tasks, by how they ended
    std::map<std::string, std::vector<std::int32_t>> ranks;
    Boot since{};
  };
  // failures not yet reported, by number of the node
  std::map<std::int32_t, NodeFailures> unreported_;
  int exit_code_ = 0;
};

bool ended_badly(const TaskEnded& ended);

// Formats ranks as ranges, such as "0-3,7". The ranks may be in any order.
std::string rank_list(std::vector<std::int32_t> ranks);
std::string task_list(const std::vector<std::int32_t>& ranks);  // "task 3", "tasks 0-2"

}  // namespace cox
