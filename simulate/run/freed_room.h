// The nodes that preemptions freed, by preemptor. A preemption is useless if its preemptor starts
// on none of these nodes, or never.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulate/run/engine.h"

namespace cox::simulate {

class FreedRoom {
 public:
  void freed_for(JobAt preemptor, const Holdings& freed);
  // Records that the preemptor `job` starts on the nodes `here`. Returns how many of the
  // preemptions for it freed none of these nodes.
  std::int64_t started(JobAt job, const Holdings& here);
  // Returns the number of preemptions whose preemptor has not started.
  std::int64_t never_used() const;

 private:
  using NodesFreed = std::vector<std::int32_t>;
  std::unordered_map<JobAt, std::vector<NodesFreed>> freed_;
};

}  // namespace cox::simulate
