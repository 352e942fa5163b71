// What salloc's own options ask; client/step/allocation.h settles it.
#pragma once

#include <cstdint>

namespace cox {

struct AllocationOptions {
  std::int64_t immediate_s = -1;  // give up after so long; 0: unless it is at once; -1: never
  bool no_shell = false;          // leave it to others, and end
  bool bell = false;
  std::int32_t kill_signal = 0;  // what its command gets when it is revoked; 0: SIGHUP
};

}  // namespace cox
