// For whom preemption has freed which nodes, and whether that one then started there: a kill whose
// preemptor started elsewhere, or not at all, was useless.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulate/run/engine.h"

namespace cox::simulate {

class FreedRoom {
 public:
  void freed_for(JobAt preemptor, const Holdings& freed);
  // How many of the preemptions for this job were useless, now that it starts here.
  std::int64_t started(JobAt job, const Holdings& here);
  // How many there are whose preemptor has not started.
  std::int64_t never_used() const;

 private:
  using NodesFreed = std::vector<std::int32_t>;
  std::unordered_map<JobAt, std::vector<NodesFreed>> freed_;
};

}  // namespace cox::simulate
