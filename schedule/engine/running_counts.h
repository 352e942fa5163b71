// Counts of running jobs of several kinds, so that a pass need not search for a kind that has no
// jobs. Part of the Engine. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "schedule/engine/running.h"

namespace cox::schedule {

class RunningCounts {
 public:
  // jobs being stopped or suspended: their room or CPUs will soon be free
  std::size_t stopping() const { return stopping_; }
  std::size_t suspended() const { return suspended_; }
  std::size_t movable() const { return movable_; }
  std::size_t elastic() const { return elastic_; }
  // Returns whether any job up to this tier may be preempted.
  bool any_preemptable(std::int64_t tier_max) const;

  // For the Engine: add() counts a running job, remove() no longer counts it.
  void add(const Running& running) { count(running, 1); }
  void remove(const Running& running) { count(running, -1); }

 private:
  void count(const Running& running, int change);

  std::size_t stopping_ = 0;
  std::size_t suspended_ = 0;
  std::size_t movable_ = 0;
  std::size_t elastic_ = 0;
  std::map<std::int32_t, std::int64_t> preemptable_by_tier_;
};

}  // namespace cox::schedule
