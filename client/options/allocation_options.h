// The values of salloc's own options. client/step/allocation.h validates them.
#pragma once

#include <cstdint>

namespace cox {

struct AllocationOptions {
  // --immediate: seconds to wait for the allocation; 0: fail unless it is granted at once; -1: wait
  // without limit
  std::int64_t immediate_s = -1;
  bool no_shell = false;  // --no-shell: salloc exits and keeps the allocation for other commands
  bool bell = false;
  // --kill-command: number of the signal that salloc sends to its command if the allocation ends
  // first; 0: SIGHUP
  std::int32_t kill_signal = 0;
};

}  // namespace cox
