#include "common/syntax/week_hours.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "common/base/moment_text.h"
#include "tests/common/refusal.h"

namespace cox {
namespace {

WeekHours hours(const std::string& text) {
  const auto parsed = parse_week_hours(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.refusal().fact;
  return parsed ? *parsed : WeekHours{};
}

// Returns a moment of November 2026 in UTC; 2026-11-23 is a Monday.
Wall at(const std::string& day_and_clock) {
  return *parse_moment("2026-11-" + day_and_clock + ":00Z");
}

TEST(WeekHours, are_parsed_and_formatted_in_short_form) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"Sat-Sun", "Sat-Sun"},
      {"Mon-Fri 18:00-08:00", "Mon-Fri 18:00-08:00"},
      {"Mon-Sun 18:00-08:00", "18:00-08:00"},
      {" 12:00-13:30 ", "12:00-13:30"},
      {"Mon-Fri 18:00-08:00, Sat-Sun", "Mon-Thu 18:00-08:00, Fri 18:00-24:00, Sat-Sun"},
      {"Sun 18:00-08:00,Mon 08:00-09:00", "Sun 18:00-09:00"},
      {"Sat-Mon", "Mon, Sat-Sun"},
      {"Wed", "Wed"},
      {"Mon 00:00-24:00,Tue 00:00-12:00", "Mon, Tue 00:00-12:00"},
      {"Mon 12:00-24:00,Tue 00:00-12:00", "Mon 12:00-24:00, Tue 00:00-12:00"},
      {"Mon,Wed 18:00-20:00", "Mon, Wed 18:00-20:00"},
  };
  for (const auto& [text, again] : table) {
    EXPECT_EQ(format_week_hours(hours(text)), again) << text;
    EXPECT_EQ(hours(again), hours(text)) << text;
  }
}

TEST(WeekHours, invalid_hours_are_refused) {
  expect_refusals({{"", "\"\" is not a valid list of hours of the week"},
                   {"nights", "\"nights\" is not a valid list of hours of the week"},
                   {"Mon-Fry", "\"Mon-Fry\" is not a valid list of hours of the week"},
                   {"Mon 18-8", "\"Mon 18-8\" is not a valid list of hours of the week"},
                   {"Mon 8:00-18:00", "is not a valid list of hours of the week"},
                   {"Mon 08:00", "\"Mon 08:00\" is not a valid list of hours of the week"},
                   {"Mon 24:00-08:00", "is not a valid list of hours of the week"},
                   {"Mon 08:00-24:01", "is not a valid list of hours of the week"},
                   {"Mon 08:60-09:00", "is not a valid list of hours of the week"},
                   {"Mon 08:00-09:00 UTC", "is not a valid list of hours of the week"},
                   {"Mon,", "\"\" is not a valid list of hours of the week"},
                   {"08:00-08:00", "\"08:00-08:00\" ends when it begins"},
                   {"Mon-Sun", "\"Mon-Sun\" is the whole week"},
                   {"08:00-20:00,20:00-08:00", "is the whole week"},
                   {std::string(5000, 'x'), "it has 5000 bytes; the limit is 4096"}},
                  parse_week_hours);
}

TEST(WeekHours, say_to_the_minute_whether_a_partition_is_open_and_when_that_changes) {
  const WeekHours nights = hours("Mon-Fri 18:00-08:00, Sat-Sun");
  EXPECT_FALSE(are_open(nights, at("23T17:59")));
  EXPECT_TRUE(are_open(nights, at("23T18:00")));
  EXPECT_TRUE(are_open(nights, at("24T07:59")));
  EXPECT_FALSE(are_open(nights, at("24T08:00")));
  EXPECT_TRUE(are_open(nights, at("29T12:00")));
  EXPECT_EQ(next_turn(nights, at("23T09:30")), at("23T18:00"));
  EXPECT_EQ(next_turn(nights, at("23T18:00")), at("24T08:00"));
  EXPECT_EQ(next_turn(nights, at("27T18:00")), at("30T00:00"));
  const WeekHours over_the_end = hours("Sun 18:00-08:00");
  EXPECT_EQ(next_turn(over_the_end, at("22T20:00")), at("23T08:00"));
  EXPECT_TRUE(are_open(over_the_end, Wall{Milliseconds{-3ll * 24 * 3'600'000}}));  // a Monday
}

// Returns hours of the week made of random spans.
WeekHours any_hours(std::mt19937& random) {
  std::set<std::int32_t> turns;
  const std::size_t count = 2 + 2 * (random() % 6);
  const std::int32_t grain = random() % 2 == 0 ? 1 : 360;
  while (turns.size() < count)
    turns.insert(static_cast<std::int32_t>(random() % (week_minutes / grain + 1)) * grain);
  WeekHours some;
  for (auto turn = turns.begin(); turn != turns.end(); ++turn) {
    const std::int32_t begin = *turn++;
    some.open.push_back({begin, *turn});
  }
  if (some.open.front() == WeekHours::Span{0, week_minutes}) return any_hours(random);
  return some;
}

TEST(WeekHours, random_hours_are_parsed_as_they_are_formatted) {
  std::mt19937 random(4711);
  for (int i = 0; i < 500; ++i) {
    const WeekHours some = any_hours(random);
    EXPECT_EQ(hours(format_week_hours(some)), some) << format_week_hours(some);
  }
}

TEST(WeekHours, next_turn_is_the_first_time_at_which_they_open_or_close) {
  std::mt19937 random(4712);
  for (int i = 0; i < 500; ++i) {
    const WeekHours some = any_hours(random);
    const Wall from = at("22T00:00") + Milliseconds{random() % (9ll * 24 * 3'600'000)};
    const Wall turn = next_turn(some, from);
    ASSERT_GT(turn, from);
    ASSERT_NE(are_open(some, from), are_open(some, turn)) << format_week_hours(some);
    for (Wall when = from; when < turn; when += Milliseconds{60'000})
      ASSERT_EQ(are_open(some, when), are_open(some, from)) << format_week_hours(some);
    ASSERT_EQ(are_open(some, turn - Milliseconds{1}), are_open(some, from));
  }
}

}  // namespace
}  // namespace cox
