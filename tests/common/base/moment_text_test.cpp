#include "common/base/moment_text.h"

#include <gtest/gtest.h>

namespace cox {

// Moments are computed from clocks that are read one after the other, so the same moment may come
// out a millisecond earlier or later. It is still shown as the same second.
TEST(MomentText, is_utc_and_names_the_right_second) {
  EXPECT_EQ(moment_text(wall_from_ms(1'795'262'400'000)), "2026-11-21T12:00:00Z");
  EXPECT_EQ(moment_text(wall_from_ms(1'795'262'400'001)), "2026-11-21T12:00:00Z");
  EXPECT_EQ(moment_text(wall_from_ms(1'795'262'399'999)), "2026-11-21T12:00:00Z");
  EXPECT_EQ(moment_text(wall_from_ms(1'795'262'400'693)), "2026-11-21T12:00:00Z");
  EXPECT_EQ(calendar_text(wall_from_ms(1'795'262'400'999), " "), "2026-11-21 12:00:00");
}

TEST(MomentText, is_parsed_to_the_same_moment) {
  const Wall moment = wall_from_ms(1'795'262'400'000);
  EXPECT_EQ(parse_moment(moment_text(moment)), moment);
  EXPECT_EQ(moment_text(moment).size(), moment_bytes);
  for (const char* text :
       {"", "2026-11-21T12:00:00", "2026-11-21 12:00:00Z", "2026-13-21T12:00:00Z",
        "2026-11-31T12:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T12:60:00Z",
        "2026-11-21T12:00:60Z", "2026-1a-21T12:00:00Z", "2026-11-21T12:00:00Z "})
    EXPECT_EQ(parse_moment(text), std::nullopt) << text;
}

}  // namespace cox
