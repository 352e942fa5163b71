// Time limits: within the limit, and what is written of one is read as the same.
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
