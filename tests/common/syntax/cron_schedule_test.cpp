#include "common/syntax/cron_schedule.h"

#include <gtest/gtest.h>

#include <random>

#include "common/base/moment_text.h"
#include "tests/common/refusal.h"

namespace cox {
namespace {

CronSchedule schedule(const std::string& text) {
  const auto parsed = parse_cron_schedule(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.refusal().fact;
  return parsed ? *parsed : CronSchedule{};
}

constexpr std::int64_t hour_s = 3600;
// Berlin's clocks changed or will change on these dates at 01:00 UTC: 2026-03-29, 2026-10-25, and
// likewise in 2027.
const TimeZone berlin{hour_s,
                      {{1'774'746'000, 2 * hour_s},
                       {1'792'890'000, hour_s},
                       {1'806'195'600, 2 * hour_s},
                       {1'824'944'400, hour_s}}};

// Returns the first time after `after` that matches the cron fields. Both times are written in UTC;
// the fields mean local time of the zone.
std::string next(const std::string& fields, const std::string& after,
                 const TimeZone& zone = TimeZone{}) {
  const auto at = next_cron_time(schedule(fields), zone, *parse_moment(after + ":00Z"));
  return at ? moment_text(*at).substr(0, 16) : "never";
}

TEST(CronSchedule, is_written_with_lists_and_ranges) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"* * * * *", "* * * * *"},
      {"*/20 * * * *", "0,20,40 * * * *"},
      {"1-5,30 8-17/2 * * wed", "1-5,30 8,10,12,14,16 * * 3"},
      {"0 9-17/2 * * *", "0 10,12,14,16 * * *"},
      {"0 0 */10 * *", "0 0 1,11,21,31 * *"},
      {"0 0 1 jan *", "0 0 1 1 *"},
      {"0 0 1 DEC Sun", "0 0 1 12 0"},
      {"0 0 * * 7", "0 0 * * 0"},
      {"0 0 * * 5-7", "0 0 * * 0,5-6"},
      {"59 23 31 12 6", "59 23 31 12 6"},
      {"0-59 0-23 1-31 1-12 0-6", "0-59 0-23 1-31 1-12 0-6"},
      {"5,5,4 0 29 2 *", "4-5 0 29 2 *"},
      {" 0\t5  * * *", "0 5 * * *"},
  };
  for (const auto& [text, written] : table) {
    const auto line = parse_cron_line(text + " run");
    ASSERT_TRUE(line.ok()) << text << ": " << line.refusal().fact;
    EXPECT_EQ(format_cron_schedule(line->schedule), written) << text;
    EXPECT_EQ(schedule(written), line->schedule) << text;
    EXPECT_EQ(line->command, "run") << text;
  }
}

TEST(CronSchedule, a_word_such_as_daily_equals_its_fields) {
  for (const auto& [word, fields] :
       std::vector<std::pair<std::string, std::string>>{{"@yearly", "0 0 1 1 *"},
                                                        {"@annually", "0 0 1 1 *"},
                                                        {"@monthly", "0 0 1 * *"},
                                                        {"@weekly", "0 0 * * 0"},
                                                        {"@daily", "0 0 * * *"},
                                                        {"@midnight", "0 0 * * *"},
                                                        {"@Hourly", "0 * * * *"},
                                                        {"@elevenses", "0 11 * * *"},
                                                        {"@fika", "0 15 * * *"},
                                                        {"@teatime", "0 16 * * *"}}) {
    const auto line = parse_cron_line("  " + word + "\t a  b ");
    ASSERT_TRUE(line.ok()) << word;
    EXPECT_EQ(line->schedule, schedule(fields)) << word;
    EXPECT_EQ(line->request, word);
    EXPECT_EQ(line->command, "a  b ");
  }
}

TEST(CronSchedule, an_invalid_schedule_is_refused) {
  expect_refusals({{"", "this line has no minute"},
                   {"0 5 * *", "this line has no day of the week"},
                   {"0 5 * * *", "this line has no command"},
                   {"60 * * * * x", "\"60\" is not a valid minute of a crontab"},
                   {"* 24 * * * x", "\"24\" is not a valid hour of a crontab"},
                   {"* * 0 * * x", "\"0\" is not a valid day of the month of a crontab"},
                   {"* * 32 * * x", "is not a valid day of the month"},
                   {"* * * 13 * x", "\"13\" is not a valid month of a crontab"},
                   {"* * * foo * x", "\"foo\" is not a valid month of a crontab"},
                   {"* * * january * x", "is not a valid month"},
                   {"* * * * 8 x", "\"8\" is not a valid day of the week of a crontab"},
                   {"* * * * mon,tue x", "\"mon,tue\" is not a valid day of the week"},
                   {"5-2 * * * * x", "\"5-2\" is not a valid minute"},
                   {"1, * * * * x", "is not a valid minute"},
                   {"-5 * * * * x", "is not a valid minute"},
                   {"** * * * * x", "is not a valid minute"},
                   {"*/0 * * * * x", "\"*/0\": bad step value of the minute"},
                   {"*/60 * * * * x", "bad step value"},
                   {"*/ * * * * x", "bad step value"},
                   {"1/2 * * * * x", "\"1/2\" matches no minute"},
                   {"0 0 30 2 * x", "no month of this line has such a day"},
                   {"0 0 31 4,6,9,11 * x", "no month of this line has such a day"},
                   {"@reboot x", "\"@reboot\" is not a known time"},
                   {"@ x", "\"@\" is not a known time"},
                   {"@daily", "this line has no command"}},
                  parse_cron_line);
  expect_refusals({{"* * * * * *", "has more than five fields"}}, parse_cron_schedule);
}

TEST(CronSchedule, a_step_of_one_changes_nothing) {
  const auto stepped = parse_cron_schedule("*/1 0 */1 * 1");
  const auto plain = parse_cron_schedule("* 0 * * 1");
  ASSERT_TRUE(stepped && plain);
  EXPECT_EQ(stepped->minute.values, plain->minute.values);
  EXPECT_EQ(stepped->day.values, plain->day.values);
  EXPECT_TRUE(stepped->day.any) << "otherwise every day would match, not only Mondays";
}

TEST(CronSchedule, next_time_is_later_than_now) {
  EXPECT_EQ(next("* * * * *", "2026-11-26T10:00"), "2026-11-26T10:01");
  EXPECT_EQ(next("0 5 * * *", "2026-11-26T05:00"), "2026-11-27T05:00");
  EXPECT_EQ(next("0 5 * * *", "2026-11-26T04:59"), "2026-11-26T05:00");
  EXPECT_EQ(next("*/20 * * * *", "2026-11-26T10:40"), "2026-11-26T11:00");
  EXPECT_EQ(next("30 8-17/4 * * *", "2026-11-26T16:30"), "2026-11-27T08:30");
  EXPECT_EQ(next("59 23 * * *", "2026-12-31T23:59"), "2027-01-01T23:59");
  EXPECT_EQ(next("0 0 * * 0", "2026-11-26T10:00"), "2026-11-29T00:00") << "the next Sunday";
  const auto late = wall_from_ms(to_ms(*parse_moment("2026-11-26T10:00:00Z")) + 59'999);
  EXPECT_EQ(next_cron_time(schedule("* * * * *"), {}, late), parse_moment("2026-11-26T10:01:00Z"));
}

TEST(CronSchedule, skips_months_without_the_day) {
  EXPECT_EQ(next("0 0 31 * *", "2026-04-01T00:00"), "2026-05-31T00:00");
  EXPECT_EQ(next("0 0 30 * *", "2026-01-30T12:00"), "2026-03-30T00:00");
  EXPECT_EQ(next("0 0 1 jan *", "2026-01-01T00:00"), "2027-01-01T00:00");
  EXPECT_EQ(next("0 0 29 2 *", "2026-01-01T00:00"), "2028-02-29T00:00");
  EXPECT_EQ(next("0 0 29 2 *", "2096-02-29T00:00"), "2104-02-29T00:00")
      << "2100 is not a leap year";
}

TEST(CronSchedule, matches_the_day_of_the_month_or_of_the_week_if_both_are_given) {
  EXPECT_EQ(next("0 0 13 * fri", "2026-11-01T00:00"), "2026-11-06T00:00");
  EXPECT_EQ(next("0 0 13 * mon", "2026-11-09T12:00"), "2026-11-13T00:00");
  EXPECT_EQ(next("0 0 * * mon", "2026-11-13T00:00"), "2026-11-16T00:00");
  EXPECT_EQ(next("0 0 */2 * mon", "2026-11-01T00:00"), "2026-11-02T00:00") << "*/2 is not *";
}

TEST(CronSchedule, next_time_is_in_the_local_time_zone) {
  EXPECT_EQ(next("0 5 * * *", "2026-11-26T03:59", berlin), "2026-11-26T04:00");
  EXPECT_EQ(next("0 5 * * *", "2026-07-01T00:00", berlin), "2026-07-01T03:00");
  EXPECT_EQ(next("0 0 1 1 *", "2026-11-26T00:00", berlin), "2026-12-31T23:00");
}

TEST(CronSchedule, runs_once_if_the_clock_skips_its_time) {
  EXPECT_EQ(next("30 2 * * *", "2026-03-28T02:00", berlin), "2026-03-29T01:00");
  EXPECT_EQ(next("30 2 * * *", "2026-03-29T01:00", berlin), "2026-03-30T00:30") << "it runs once";
  EXPECT_EQ(next("*/20 * * * *", "2026-03-29T00:40", berlin), "2026-03-29T01:00");
  EXPECT_EQ(next("*/20 * * * *", "2026-03-29T01:00", berlin), "2026-03-29T01:20");
}

TEST(CronSchedule, runs_once_if_the_clock_shows_the_time_twice) {
  EXPECT_EQ(next("30 2 * * *", "2026-10-24T23:00", berlin), "2026-10-25T00:30");
  EXPECT_EQ(next("30 2 * * *", "2026-10-25T00:30", berlin), "2026-10-26T01:30");
  EXPECT_EQ(next("*/20 * * * *", "2026-10-25T00:40", berlin), "2026-10-25T02:00");
  EXPECT_EQ(next("*/20 * * * *", "2026-10-25T01:10", berlin), "2026-10-25T02:00")
      << "not again at 02:10";
}

std::string random_field(std::mt19937_64& random, int least, int most) {
  const auto one = [&] { return least + static_cast<int>(random() % (most - least + 1)); };
  switch (random() % 5) {
    case 0: return "*";
    case 1: return "*/" + std::to_string(2 + random() % 3);
    case 2: return std::to_string(one());
    case 3: return std::to_string(one()) + "," + std::to_string(one());
    default: {
      const int first = one();
      return std::to_string(first) + "-" + std::to_string(std::min(most, first + 3));
    }
  }
}

bool matches(const CronSchedule& s, std::int64_t local) {
  using namespace std::chrono;
  const sys_days day = floor<days>(sys_seconds{seconds{local}});
  const year_month_day date{day};
  const std::int64_t in_day = local - duration_cast<seconds>(day.time_since_epoch()).count();
  const bool of_month = s.day.has(static_cast<unsigned>(date.day()));
  const bool of_week = s.weekday.has(weekday{day}.c_encoding());
  const bool is_day = s.day.any || s.weekday.any ? of_month && of_week : of_month || of_week;
  return is_day && s.month.has(static_cast<unsigned>(date.month())) && s.hour.has(in_day / 3600) &&
         s.minute.has(in_day % 3600 / 60);
}

// Compares next() with a search minute by minute: its result matches and is later than the start,
// and no minute between them matches, unless the clock showed that local time before.
TEST(CronSchedule, next_time_is_the_first_that_matches) {
  std::mt19937_64 random(4711);
  for (int round = 0; round < 300; ++round) {
    const std::string text = random_field(random, 0, 59) + " " + random_field(random, 0, 23) + " " +
                             random_field(random, 1, 28) + " * " + random_field(random, 0, 6);
    SCOPED_TRACE(text);
    const CronSchedule s = schedule(text);
    // Half of the rounds begin near each of the two clock changes of 2026.
    const std::int64_t change = round % 2 == 0 ? 1'774'746'000 : 1'792'890'000;
    const std::int64_t after =
        change - 4 * hour_s + static_cast<std::int64_t>(random() % (8 * hour_s));
    const auto found = next_cron_time(s, berlin, wall_from_ms(after * 1000));
    ASSERT_TRUE(found.has_value());
    const std::int64_t at = to_ms(*found) / 1000;
    EXPECT_EQ(at % 60, 0);
    EXPECT_GT(at, after);
    const auto local = [&](std::int64_t t) {
      return local_seconds(berlin, wall_from_ms(t * 1000));
    };
    bool is_due = false;  // a matching local time occurs now, or was just skipped
    for (std::int64_t l = local(at - 60) + 60; l <= local(at); l += 60) is_due |= matches(s, l);
    EXPECT_TRUE(is_due);
    std::int64_t shown = local(after);  // the latest local time that the clock has shown
    shown = std::max(shown, after >= change && round % 2 == 1 ? change + 2 * hour_s - 60 : shown);
    for (std::int64_t t = after / 60 * 60 + 60; t < std::min(at, after + 3 * 24 * hour_s);
         t += 60) {
      if (local(t) <= shown) continue;
      for (std::int64_t l = shown / 60 * 60 + 60; l <= local(t); l += 60)
        EXPECT_FALSE(matches(s, l)) << t;
      shown = local(t);
    }
  }
}

}  // namespace
}  // namespace cox
