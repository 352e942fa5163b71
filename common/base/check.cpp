#include "common/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace cox {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "CHECK failed: %s at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace cox
