// Fuzz target for time limits. Checks that they are within their limit, and that the formatted time
// is parsed back to the same time.
#include "common/base/limits.h"
#include "common/base/time_format.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(time_limit) {
  const auto seconds = parse_time_limit(input);
  if (!seconds) return fuzz::check_refusal(seconds.refusal());
  CHECK(*seconds >= 0 && *seconds <= limits::time_limit_s_max);
  const auto again = parse_time_limit(format_time_limit(*seconds));
  CHECK(again && *again == *seconds);
}

}  // namespace cox
