#include "common/io/descriptor_limit.h"

#include <sys/resource.h>

namespace cox {
namespace {

// The soft limit before raise_descriptor_limit(); 0: not raised. It is global, as the limit of a
// process is.
rlim_t soft_before = 0;

void set_soft(rlim_t soft) {
  rlimit now{};
  if (::getrlimit(RLIMIT_NOFILE, &now) != 0) return;
  now.rlim_cur = soft;
  ::setrlimit(RLIMIT_NOFILE, &now);
}

}  // namespace

void raise_descriptor_limit() {
  rlimit now{};
  if (::getrlimit(RLIMIT_NOFILE, &now) != 0) return;
  if (soft_before == 0) soft_before = now.rlim_cur;
  set_soft(now.rlim_max);
}

bool restore_descriptor_limit() {
  if (soft_before == 0) return false;
  set_soft(soft_before);
  return true;
}

}  // namespace cox
