// Fuzz target for points in time as people and programs write them. Checks that each is in the
// range in which later arithmetic cannot overflow, and that its shown form is parsed back to the
// same second.
#include "client/text/moment_format.h"
#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "tests/fuzz/target.h"

namespace cox {
namespace {

constexpr std::int64_t year_10000_ms = 253'402'300'800'000;

void check_moment(const Result<Wall>& moment) {
  if (!moment) return fuzz::check_refusal(moment.refusal());
  CHECK(std::abs(to_ms(*moment)) <= 100 * limits::moment_seconds_max * 1000);
  if (to_ms(*moment) < 0 || to_ms(*moment) >= year_10000_ms) return;
  CHECK(parse_moment(moment_text(*moment)) == shown_second(*moment));
}

}  // namespace

FUZZ_TARGET(moment) {
  const LocalTime here{wall_from_ms(1'790'000'000'500), {2 * 3600, {}}};
  check_moment(parse_local_moment(input, here));
  check_moment(parse_past_moment(input, here));
  if (const auto moment = parse_moment(input)) CHECK(moment_text(*moment) == input);
}

}  // namespace cox
