// How a step's tasks ended, as srun tells it: those of a node that ended alike in one line, and the
// exit code that all of them come to. Pure.
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
  // Tasks that end within this are told of together.
  static constexpr Milliseconds together{1'000};

  void add(std::int32_t node, const TaskEnded& ended, Boot now);
  void count(const TaskEnded& ended);  // counts the exit code, prints nothing
  void at_least(int exit_code);        // for a failure outside the tasks

  // Lines for whoever waits, without "srun: error: ": those that are due, or all of one node's.
  std::vector<std::string> due(const std::vector<std::string>& node_names, Boot now);
  std::vector<std::string> of_node(std::int32_t node, const std::string& name);
  std::optional<Boot> wakeup() const;

  // The highest exit code; a task that a signal ended counts as 128 and its number.
  int exit_code() const { return exit_code_; }

 private:
  struct Told {
    std::map<std::string, std::vector<std::int32_t>> notes;  // by why they never ran
    std::map<std::string, std::vector<std::int32_t>> ranks;  // by what became of them
    Boot since{};
  };
  std::map<std::int32_t, Told> untold_;  // by node
  int exit_code_ = 0;
};

bool ended_badly(const TaskEnded& ended);

// "0-3,7"; of ranks in any order.
std::string rank_list(std::vector<std::int32_t> ranks);
std::string task_list(const std::vector<std::int32_t>& ranks);  // "task 3", "tasks 0-2"

}  // namespace cox
