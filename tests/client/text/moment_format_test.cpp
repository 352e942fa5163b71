#include "client/text/moment_format.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "client/text/moments.h"
#include "common/base/moment_text.h"
#include "tests/common/refusal.h"

namespace cox {
namespace {

// 2023-11-14 23:13:20, a Tuesday evening, in a zone one hour ahead of UTC.
const LocalTime here{wall_from_ms(1'700'000'000'000), {3600, {}}};

std::string read(const std::string& text) {
  const auto moment = parse_local_moment(text, here);
  if (!moment) return moment.refusal().fact;
  return slurm_moment_text(*moment, Screen{false, here.now, here.zone});
}

TEST(Moments, AreParsedAsInSlurm) {
  for (const auto& [text, moment] : std::vector<std::pair<std::string, std::string>>{
           {"now", "2023-11-14T23:13:20"},
           {"now+90", "2023-11-14T23:14:50"},
           {"now+90minutes", "2023-11-15T00:43:20"},
           {"now+1hour", "2023-11-15T00:13:20"},
           {"now+2h", "2023-11-15T01:13:20"},
           {"now+3days", "2023-11-17T23:13:20"},
           {"now+1week", "2023-11-21T23:13:20"},
           {"now-1h", "2023-11-14T22:13:20"},
           {"now + 1 hour", "2023-11-15T00:13:20"},
           {"now +2days", "2023-11-16T23:13:20"},
           {"now+ 90", "2023-11-14T23:14:50"},
           {"NOW+1 Week", "2023-11-21T23:13:20"},
           {"2023-12-24T18:00", "2023-12-24T18:00:00"},
           {"2023-12-24T18:00:59", "2023-12-24T18:00:59"},
           {"2023-12-24", "2023-12-24T00:00:00"},
           {"2023-12-24 18:00", "2023-12-24T18:00:00"},
           {"12/24/23", "2023-12-24T00:00:00"},
           {"12/24/23-18:00", "2023-12-24T18:00:00"},
           {"2023-12-24-18:00", "2023-12-24T18:00:00"},
           {"1970-01-01-00:00:01", "1970-01-01T00:00:01"},
           {"1127-10:00", "2023-11-27T10:00:00"},
           {"12.24.23-18:00", "2023-12-24T18:00:00"},
           {"12/24", "2023-12-24T00:00:00"},
           {"01/02", "2024-01-02T00:00:00"},
           {"1224", "2023-12-24T00:00:00"},
           {"122423", "2023-12-24T00:00:00"},
           {"12.24.23", "2023-12-24T00:00:00"},
           {"today", "2023-11-14T00:00:00"},
           {"tomorrow", "2023-11-15T00:00:00"},
           {"tomorrow 7:30", "2023-11-15T07:30:00"},
           {"tomorrow noon", "2023-11-15T12:00:00"},
           {"noon-tomorrow", "2023-11-15T12:00:00"},
           {"tomorrow-7:30", "2023-11-15T07:30:00"},
           {"fika tomorrow", "2023-11-15T15:00:00"},
           {"today midnight", "2023-11-14T00:00:00"},
       })
    EXPECT_EQ(read(text), moment) << text;
}

TEST(Moments, ATimeOfDayMeansItsNextOccurrence) {
  for (const auto& [text, moment] : std::vector<std::pair<std::string, std::string>>{
           {"23:30", "2023-11-14T23:30:00"},
           {"23:13:20", "2023-11-15T23:13:20"},
           {"16:00", "2023-11-15T16:00:00"},
           {"11:30PM", "2023-11-14T23:30:00"},
           {"11:30 pm", "2023-11-14T23:30:00"},
           {"12:05am", "2023-11-15T00:05:00"},
           {"12:05pm", "2023-11-15T12:05:00"},
           {"midnight", "2023-11-15T00:00:00"},
           {"noon", "2023-11-15T12:00:00"},
           {"Teatime", "2023-11-15T16:00:00"},
           {"fika", "2023-11-15T15:00:00"},
           {"Elevenses", "2023-11-15T11:00:00"},
       })
    EXPECT_EQ(read(text), moment) << text;
}

TEST(Moments, InvalidTimesAreRefused) {
  RefusalTable table;
  for (const char* text : {"",
                           " ",
                           "soon",
                           "02/29",
                           "now+",
                           "now+1fortnight",
                           "now+99999999999999999999",
                           "now+1h 16:00",
                           "now 1h",
                           "now+1h+5",
                           "now + 1 hour noon",
                           "now + + 1",
                           "nowish",
                           "today+2days",
                           "25:00",
                           "16:60",
                           "16",
                           "13:00pm",
                           "0:30am",
                           "16:00 17:00",
                           "today tomorrow",
                           "2023-13-01",
                           "2023-02-30",
                           "2023-12-24T",
                           "2023-12-24T25:00",
                           "12/24/2x",
                           "99999",
                           "16:00xm",
                           "pm",
                           "-1"})
    table.emplace_back(text, "is not a valid time");
  expect_refusals(table, [](const std::string& text) { return parse_local_moment(text, here); });
}

// Berlin: clocks go from 02:00 to 03:00 on 28 March 2027, and from 03:00 to 02:00 on 31 October.
TEST(Moments, EachHasTheOffsetOfItsOwnDay) {
  constexpr std::int64_t hour = 3600;
  const auto at = [](const char* utc) { return to_ms(*parse_moment(utc)) / 1000; };
  const TimeZone berlin{
      hour, {{at("2027-03-28T01:00:00Z"), 2 * hour}, {at("2027-10-31T01:00:00Z"), hour}}};
  const auto in_winter = [&](const char* text, const char* now = "2026-12-01T12:00:00Z") {
    return moment_text(*parse_local_moment(text, {*parse_moment(now), berlin}));
  };
  EXPECT_EQ(in_winter("2027-07-15T08:00"), "2027-07-15T06:00:00Z");
  EXPECT_EQ(in_winter("2027-12-15T08:00"), "2027-12-15T07:00:00Z");
  EXPECT_EQ(in_winter("2027-03-28T02:30"), "2027-03-28T01:00:00Z") << "clocks never show it";
  EXPECT_EQ(in_winter("2027-10-31T02:30"), "2027-10-31T00:30:00Z") << "the first of two";
  EXPECT_EQ(in_winter("tomorrow", "2027-03-27T23:30:00Z"), "2027-03-28T22:00:00Z")
      << "the day has 23 hours";
  EXPECT_EQ(in_winter("00:10", "2027-10-31T00:30:00Z"), "2027-10-31T23:10:00Z")
      << "the day has 25 hours";
  const Screen screen{false, *parse_moment("2026-12-01T12:00:00Z"), berlin};
  EXPECT_EQ(slurm_moment_text(*parse_moment("2027-07-15T06:00:00Z"), screen),
            "2027-07-15T08:00:00");
  EXPECT_EQ(absolute_text(*parse_moment("2027-12-15T07:00:00Z"), screen), "2027-12-15 08:00:00");
}

TEST(Moments, InReportsATimeOfDayMeansItsLatestOccurrence) {
  for (const auto& [text, moment] : std::vector<std::pair<std::string, std::string>>{
           {"16:00", "2023-11-14T16:00:00"},
           {"23:59", "2023-11-14T23:59:00"},
           {"midnight", "2023-11-14T00:00:00"},
           {"11/14", "2023-11-14T00:00:00"},
           {"11/15", "2022-11-15T00:00:00"},
           {"now-2days", "2023-11-12T23:13:20"},
           {"1700000000", "2023-11-14T23:13:20"},
           {"uts60", "1970-01-01T01:01:00"},
       }) {
    const auto read = parse_past_moment(text, here);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(slurm_moment_text(*read, Screen{false, here.now, here.zone}), moment) << text;
  }
  EXPECT_FALSE(parse_past_moment("uts", here));
  EXPECT_FALSE(parse_past_moment("garbage", here));
}

}  // namespace
}  // namespace cox
