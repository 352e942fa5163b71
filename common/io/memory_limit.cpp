#include "common/io/memory_limit.h"

#include <sys/resource.h>

#include <algorithm>

#include "common/check.h"

namespace cox {

void limit_memory(std::int64_t megabytes) {
  if (megabytes == 0) return;
  rlimit limit{};
  CHECK(::getrlimit(RLIMIT_DATA, &limit) == 0);
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(megabytes) << 20);
  CHECK(::setrlimit(RLIMIT_DATA, &limit) == 0);
}

}  // namespace cox
