// Fuzz target for hours of the week. Checks that the formatted hours are parsed back to the same
// hours, and that they open or close within a week.
#include "common/syntax/week_hours.h"

#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(week_hours) {
  const auto hours = parse_week_hours(input);
  if (!hours) return fuzz::check_refusal(hours.refusal());
  std::int32_t end = -1;
  for (const auto& span : hours->open) {
    CHECK(end < span.begin && span.begin < span.end && span.end <= week_minutes);
    end = span.end;
  }
  const auto again = parse_week_hours(format_week_hours(*hours));
  CHECK(again && *again == *hours);
  const Wall now = wall_from_ms(1'790'000'000'500);
  const Wall turn = next_turn(*hours, now);
  CHECK(turn > now && turn <= now + std::chrono::minutes{week_minutes});
  CHECK(are_open(*hours, turn) != are_open(*hours, now));
}

}  // namespace cox
