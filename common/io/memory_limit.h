// A bound on the memory a process takes for its data (RLIMIT_DATA): what asks for more fails, and
// the process ends if it cannot do without. Children inherit it: for programs that start no jobs
// alone.
#pragma once

#include <cstdint>

namespace cox {

void limit_memory(std::int64_t megabytes);  // 0: not at all

}  // namespace cox
