// What the tasks of a step have started that has left their process groups: daemons.
#pragma once

#include <cstdint>
#include <string>

namespace cox {

class StepLeftovers {
 public:
  // Looks whether there may be any: before the groups are ended, for who loses its parent then is
  // not listed at once. `folder`: the supervisor's.
  StepLeftovers(const std::string& folder, std::int32_t step);
  void kill_all() const;

 private:
  std::string attempt_mark_;
  std::string step_mark_;
  bool may_be_any_ = false;
};

}  // namespace cox
