// Finds and kills left-over processes of a step: processes of its tasks, such as daemons, that have
// left the tasks' process groups.
#pragma once

#include <cstdint>
#include <string>

namespace cox {

class StepLeftovers {
 public:
  // Checks whether the step may have left processes behind. Must run before the process groups are
  // killed, because it looks for children of the supervisor: a process that loses its parent then
  // appears there only later. `folder`: the supervisor's.
  StepLeftovers(const std::string& folder, std::int32_t step);
  void kill_all() const;

 private:
  std::string attempt_mark_;
  std::string step_mark_;
  bool may_be_any_ = false;
};

}  // namespace cox
