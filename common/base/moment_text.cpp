#include "common/base/moment_text.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace cox {

using std::chrono::days;
using std::chrono::seconds;

std::string calendar_text(Wall moment, const char* between) {
  const auto whole =
      std::chrono::floor<seconds>(std::chrono::sys_time<Milliseconds>{moment.time_since_epoch()});
  const auto day = std::chrono::floor<days>(whole);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{whole - day};
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u%s%02d:%02d:%02d",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), between, static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

Wall shown_second(Wall moment) {
  constexpr Milliseconds between_clocks{5};
  return Wall{std::chrono::floor<seconds>(moment.time_since_epoch() + between_clocks)};
}

std::string moment_text(Wall moment) {
  return calendar_text(shown_second(moment), "T") + "Z";
}

std::optional<Wall> parse_moment(std::string_view text) {
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  static_assert(form.size() == moment_bytes);
  if (text.size() != form.size()) return std::nullopt;
  std::array<int, 6> numbers{};
  std::size_t number = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '0') {
      if (text[i] != form[i]) return std::nullopt;
      ++number;
    } else {
      if (text[i] < '0' || text[i] > '9') return std::nullopt;
      numbers[number] = 10 * numbers[number] + (text[i] - '0');
    }
  }
  const auto [year, month, day, hours, minutes, rest] = numbers;
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok() || hours > 23 || minutes > 59 || rest > 59) return std::nullopt;
  const auto since = std::chrono::sys_days{date}.time_since_epoch() + std::chrono::hours{hours} +
                     std::chrono::minutes{minutes} + seconds{rest};
  return Wall{since};
}

}  // namespace cox
