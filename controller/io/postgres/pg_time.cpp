#include "controller/io/postgres/pg_time.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "common/base/check.h"

namespace cox {
namespace {

constexpr Wall day_of(int year) {
  using namespace std::chrono;
  return Wall{Milliseconds{sys_days{std::chrono::year{year} / January / 1}.time_since_epoch()}};
}
constexpr Wall first_kept = day_of(1);
constexpr Wall last_kept = day_of(10000) - Milliseconds{1};

}  // namespace

Wall kept_time(Wall t) {
  return std::clamp(t, first_kept, last_kept);
}

std::string timestamp_text(Wall t) {
  using namespace std::chrono;
  const sys_time<Milliseconds> at{kept_time(t).time_since_epoch()};
  const auto day = floor<days>(at);
  const year_month_day date{day};
  const hh_mm_ss<Milliseconds> time{at - day};
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d:%02d.%03d+00",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                static_cast<int>(time.subseconds().count()));
  return text;
}

// Parses "2026-11-23 12:34:56.789+00": the session's DateStyle is ISO and its TimeZone is UTC
// (session_settings.sql). Times outside the range of Wall, which only another program can have
// written, become the nearest one in range.
Wall wall_from_timestamp(std::string_view text) {
  using namespace std::chrono;
  if (text.ends_with("BC") || text.starts_with('-')) return first_kept;
  if (text.find('-') != 4) return last_kept;
  const auto number = [text](std::size_t from, std::size_t digits) {
    int value = 0;
    CHECK(from + digits <= text.size());
    const char* const end = text.data() + from + digits;
    const auto [to, error] = std::from_chars(text.data() + from, end, value);
    CHECK(error == std::errc{} && to == end);
    return value;
  };
  const sys_days date{year{number(0, 4)} / number(5, 2) / number(8, 2)};
  auto since = microseconds{date.time_since_epoch()} + hours{number(11, 2)} +
               minutes{number(14, 2)} + seconds{number(17, 2)};
  const std::size_t zone = text.size() - 3;
  CHECK(text.substr(zone) == "+00");
  if (zone > 20) {
    CHECK(text[19] == '.' && zone <= 26);
    auto fraction = number(20, zone - 20);
    for (std::size_t digits = zone - 20; digits < 6; ++digits) fraction *= 10;
    since += microseconds{fraction};
  }
  return Wall{round<Milliseconds>(since)};
}

}  // namespace cox
