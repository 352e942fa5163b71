#include "common/io/descriptor_limit.h"

#include <sys/resource.h>

namespace cox {
namespace {

// A process has one limit, so this is one a process; 0: not raised.
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
