#include "common/base/time_format.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.h"

namespace cox {
namespace {

TEST(TimeFormat, AcceptsAllFormsOfSlurm) {
  const std::vector<std::pair<std::string, std::int64_t>> table = {
      {"5", 300},
      {"60:00", 3600},
      {"90:30", 5430},
      {"1:00:00", 3600},
      {"0:2:0", 120},
      {"48:00:00", 172800},
      {"1-0", 86400},
      {"1-12", 129600},
      {"2-03:04", 183840},
      {"1-2:3:4", 93784},
      {"0-48:00:00", 172800},
      {"UNLIMITED", 0},
      {"infinite", 0},
      {"-1", 0},
      {"0", 0},
      {"00:00:01", 1},
      {"366-0", limits::time_limit_s_max},
  };
  for (const auto& [text, seconds] : table) {
    const Result<std::int64_t> time = parse_time_limit(text);
    ASSERT_TRUE(time.ok()) << text << ": " << time.refusal().fact;
    EXPECT_EQ(*time, seconds) << text;
  }
}

TEST(TimeFormat, RefusesInvalidTimes) {
  for (const char* text :
       {"",          ":",    "-",       "1-",      "-5",         "1:",    ":30", "1:2:3:4",
        "1-2:3:4:5", "5:60", "1:60:00", "1:00:60", "1-99:99:99", "1h",    "1.5", " 5",
        "5 ",        "+5",   "1e3",     "0x10",    "1--2",       "1-2-3", "soon"}) {
    const Result<std::int64_t> time = parse_time_limit(text);
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_NE(time.refusal().fact.find("is not a time"), std::string::npos) << text;
  }
}

TEST(TimeFormat, ProposesTheTimeThatWasWrittenWithUnits) {
  const auto hint = [](const std::string& text) { return parse_time_limit(text).refusal().hint; };
  EXPECT_TRUE(hint("1h").starts_with("did you mean 01:00:00? Else write minutes, ")) << hint("1h");
  EXPECT_TRUE(hint("90min").starts_with("did you mean 01:30:00?"));
  EXPECT_TRUE(hint("1D2h30M").starts_with("did you mean 1-02:30:00?"));
  for (const char* text : {"1x", "h", "1h2", "0h", "99999999999999999999h", "366d1s", "1.5h"})
    EXPECT_TRUE(hint(text).starts_with("write minutes")) << hint(text);
}

TEST(TimeFormat, RefusesTooLongTimesAndNamesTheLimit) {
  for (const char* text : {"366-00:00:01", "999999999", "1000000-0"}) {
    const Result<std::int64_t> time = parse_time_limit(text);
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_NE(time.refusal().fact.find("366-00:00:00"), std::string::npos) << time.refusal().fact;
  }
  EXPECT_FALSE(parse_time_limit("99999999999999999999").ok());
  EXPECT_FALSE(parse_time_limit("9223372036854775807-0").ok());
}

TEST(TimeFormat, ParsesWhatItFormats) {
  EXPECT_EQ(format_time_limit(0), "UNLIMITED");
  EXPECT_EQ(format_time_limit(59), "00:00:59");
  EXPECT_EQ(format_time_limit(93784), "1-02:03:04");
  const std::uint32_t seed = 11;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 5000; ++round) {
    const std::int64_t bound = round % 2 ? 200'000 : limits::time_limit_s_max;
    const auto seconds = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    const Result<std::int64_t> time = parse_time_limit(format_time_limit(seconds));
    ASSERT_TRUE(time.ok()) << seconds;
    ASSERT_EQ(*time, seconds);
  }
}

}  // namespace
}  // namespace cox
