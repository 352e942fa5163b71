// Tests the styles of SLURM_TIME_FORMAT.
#include "client/text/time_style.h"

#include <gtest/gtest.h>

#include "common/base/moment_text.h"

namespace cox {
namespace {

// Noon of a Sunday, in a zone one hour ahead of UTC.
Screen sunday_noon() {
  Screen screen;
  screen.now = *parse_moment("2026-11-22T11:00:00Z");
  screen.zone.offset_s = 3600;
  return screen;
}

std::string in_style(const char* moment, const std::string& style) {
  return styled_moment(*parse_moment(moment), style, sunday_noon());
}

TEST(TimeStyle, relative_shows_a_near_time_by_day_and_a_far_one_by_date) {
  for (const auto& [moment, text] : {std::pair{"2026-11-21T23:00:00Z", "00:00:00"},
                                     {"2026-11-22T22:59:59Z", "23:59:59"},
                                     {"2026-11-21T22:59:59Z", "Ystday 23:59"},
                                     {"2026-11-20T23:00:00Z", "Ystday 00:00"},
                                     {"2026-11-20T22:59:59Z", "20 Nov 23:59"},
                                     {"2026-11-22T23:00:00Z", "Tomorr 00:00"},
                                     {"2026-11-23T22:59:59Z", "Tomorr 23:59"},
                                     {"2026-11-23T23:00:00Z", "Tue 00:00"},
                                     {"2026-11-28T22:59:59Z", "Sat 23:59"},
                                     {"2026-11-28T23:00:00Z", "29 Nov 00:00"},
                                     {"2027-11-22T22:59:59Z", "22 Nov 23:59"},
                                     {"2027-11-22T23:00:00Z", "23 Nov 2027"},
                                     {"2025-11-21T23:00:00Z", "22 Nov 00:00"},
                                     {"2025-11-21T22:59:59Z", "21 Nov 2025"},
                                     {"2025-12-04T22:59:59Z", "4 Dec 23:59"}})
    EXPECT_EQ(in_style(moment, "relative"), text) << moment;
}

TEST(TimeStyle, others_follow_slurm_or_strftime) {
  const char* moment = "2026-12-31T23:30:15Z";
  EXPECT_EQ(in_style(moment, ""), "2027-01-01T00:30:15");
  EXPECT_EQ(in_style(moment, "standard"), "2027-01-01T00:30:15");
  EXPECT_EQ(in_style(moment, "%s"), "1798759815") << "seconds do not depend on the time zone";
  EXPECT_EQ(in_style(moment, "%d.%m.%Y %H Uhr"), "01.01.2027 00 Uhr");
  EXPECT_EQ(date_line(sunday_noon()), "Sun Nov 22 12:00:00 2026\n");
}

}  // namespace
}  // namespace cox
