// Fuzz target for numbers. Checks that parsed numbers are within their bounds, and that formatted
// thousandths are parsed back to the same number.
#include <limits>

#include "common/base/count_format.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(count) {
  const auto whole = parse_count(input, 0, std::numeric_limits<std::int64_t>::max());
  if (!whole) fuzz::check_refusal(whole.refusal());
  if (whole) CHECK(parse_count(std::to_string(*whole), *whole, *whole).ok());
  constexpr std::int64_t most = 999'999'999'999'999;  // the largest value of a TRES limit
  const auto milli = parse_milli(input, 1, most);
  if (!milli) return fuzz::check_refusal(milli.refusal());
  CHECK(*milli >= 1 && *milli <= most);
  const auto again = parse_milli(format_milli(*milli), 1, most);
  CHECK(again && *again == *milli);
}

}  // namespace cox
