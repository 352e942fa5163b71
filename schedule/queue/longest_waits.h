// The longest wait that jobs of each standing had lately. From it follows after which wait a job
// goes first in its tier (max_age_of() in order.h). So a cluster on which jobs wait for minutes
// prevents starvation within minutes, and one on which they wait for weeks still prefers short jobs
// for days.
//
// A wait counts in full when the job starts, and then less and less: after `memory` times its own
// length it is forgotten. So it is enough to keep the time at which the last of them is forgotten.
// A controller that begins to lead knows only the waits of jobs that run or ended a moment ago.
// Part of Engine.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/base/fields.h"
#include "common/base/time.h"
#include "common/cluster/scheduling_settings.h"

namespace cox::schedule {

// The partition tier and the tier of a job.
using Standing = std::pair<std::int32_t, std::int32_t>;

// The largest PriorityWeights::wait_memory. With more, the times of LongestWaits would overflow.
inline constexpr std::int64_t wait_memory_max = 1'000;

class LongestWaits {
 public:
  // `memory`: PriorityWeights::wait_memory, from 1 to wait_memory_max.
  explicit LongestWaits(std::int64_t memory = PriorityWeights{}.wait_memory) : memory_(memory) {}

  // Records that a job of this standing started after this wait. To record the same again changes
  // nothing, nor does the order of the calls.
  void learn(Standing standing, Wall started, Milliseconds waited);

  // Returns the longest wait as it counts now; 0: none is remembered.
  Milliseconds of(Standing standing, Wall now) const;

  // What is kept of one standing, in the form in which it is saved and restored.
  struct Kept {
    std::int32_t partition_tier = 0;
    std::int32_t tier = 0;
    Wall forgotten;  // when the last of the waits is forgotten

    COX_FIELDS(partition_tier, tier, forgotten);
  };
  std::vector<Kept> all() const;
  void restore(const std::vector<Kept>& kept);

 private:
  std::int64_t memory_;
  std::map<Standing, Wall> forgotten_;
};

}  // namespace cox::schedule
