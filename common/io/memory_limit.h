// A bound on the memory that this process takes for its data (RLIMIT_DATA). When C++ code meets it,
// the program logs that and ends, so that systemd starts it again.
#pragma once

#include <cstdint>

namespace cox {

// The process may take this much more than it has now. Called once, at the start. 0: no limit.
void limit_memory(std::int64_t megabytes);

// Lifts the limit as long as it lives, so that a child which is spawned meanwhile does not inherit
// it: jobs and their supervisors have limits of their own.
class MemoryLimitLifted {
 public:
  MemoryLimitLifted();
  MemoryLimitLifted(const MemoryLimitLifted&) = delete;
  ~MemoryLimitLifted();
};

}  // namespace cox
