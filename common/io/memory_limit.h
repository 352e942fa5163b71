// A limit of the memory for this process's data (RLIMIT_DATA). If an allocation of C++ fails
// because of it, the program logs that and ends, and systemd starts it again.
#pragma once

#include <cstdint>

namespace cox {

// Sets the limit to the memory that the process uses now plus `megabytes`; 0: no limit. Call it
// once, at the start.
void limit_memory(std::int64_t megabytes);

// Lifts the limit while this object exists, so that a child that is started meanwhile does not
// inherit it. Jobs and their supervisors have limits of their own.
class MemoryLimitLifted {
 public:
  MemoryLimitLifted();
  MemoryLimitLifted(const MemoryLimitLifted&) = delete;
  ~MemoryLimitLifted();
};

}  // namespace cox
