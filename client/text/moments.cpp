#include "client/text/moments.h"

#include <array>
#include <chrono>
#include <cstdio>

#include "common/base/moment_text.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::int64_t minute_s = 60;
constexpr std::int64_t hour_s = 60 * minute_s;
constexpr std::int64_t day_s = 24 * hour_s;

std::string two_units(std::int64_t large, const char* large_name, std::int64_t small,
                      const char* small_name) {
  std::string out = std::to_string(large) + " " + large_name;
  if (small > 0) out += " " + std::to_string(small) + " " + small_name;
  return out;
}

// Formats a span of time in one unit, such as "2 h", for "2 h ago".
std::string coarse_text(std::int64_t seconds) {
  if (seconds < minute_s) return std::to_string(seconds) + " s";
  if (seconds < hour_s) return std::to_string(seconds / minute_s) + " min";
  if (seconds < 2 * day_s) return std::to_string(seconds / hour_s) + " h";
  return std::to_string(seconds / day_s) + " days";
}

// Formats the span until a future time. A span of an hour or more has two units: "2 h 10 min".
std::string ahead_text(std::int64_t seconds) {
  return seconds < hour_s ? coarse_text(seconds) : duration_text(seconds * 1000);
}

// Returns the time that a clock in UTC shows when a local clock shows the moment.
Wall local_second(Wall t, const Screen& screen) {
  return wall_from_ms(local_seconds(screen.zone, shown_second(t)) * 1000);
}

}  // namespace

std::string duration_text(std::int64_t ms) {
  if (ms < 0) ms = 0;
  const std::int64_t s = ms / 1000;
  if (s < minute_s) return std::to_string(s) + " s";
  if (s < hour_s) return two_units(s / minute_s, "min", s % minute_s, "s");
  if (s < day_s) return two_units(s / hour_s, "h", s % hour_s / minute_s, "min");
  return two_units(s / day_s, s < 2 * day_s ? "day" : "days", s % day_s / hour_s, "h");
}

std::string ago_text(Wall t, const Screen& screen) {
  if (t == Wall{}) return "-";
  const std::int64_t ms = to_ms(screen.now) - to_ms(t);
  const std::int64_t seconds = (ms + (ms < 0 ? -500 : 500)) / 1000;
  if (seconds < 0) return "in " + ahead_text(-seconds);
  if (seconds == 0) return "now";
  return coarse_text(seconds) + " ago";
}

std::string absolute_text(Wall t, const Screen& screen) {
  if (t == Wall{}) return "-";
  return calendar_text(local_second(t, screen), " ");
}

std::string localised_text(const std::string& text, const Screen& screen) {
  std::string text_with_moments;
  for (std::string_view left = text; !left.empty();) {
    if (const auto moment = parse_moment(left.substr(0, moment_bytes))) {
      text_with_moments += absolute_text(*moment, screen) + " (" + ago_text(*moment, screen) + ")";
      left.remove_prefix(moment_bytes);
    } else {
      text_with_moments += left.front();
      left.remove_prefix(1);
    }
  }
  return printable(text_with_moments);
}

std::string slurm_moment_text(Wall t, const Screen& screen) {
  return calendar_text(local_second(t, screen), "T");
}

std::string slurm_clock_text(std::int64_t seconds) {
  if (seconds < 0) seconds = 0;
  std::array<char, 64> text{};
  const auto days = static_cast<long long>(seconds / day_s);
  const int hours = static_cast<int>(seconds % day_s / hour_s);
  const int minutes = static_cast<int>(seconds % hour_s / minute_s);
  const int rest = static_cast<int>(seconds % minute_s);
  if (days > 0)
    std::snprintf(text.data(), text.size(), "%lld-%02d:%02d:%02d", days, hours, minutes, rest);
  else if (hours > 0)
    std::snprintf(text.data(), text.size(), "%d:%02d:%02d", hours, minutes, rest);
  else
    std::snprintf(text.data(), text.size(), "%d:%02d", minutes, rest);
  return text.data();
}

std::string iso_text(Wall t) {
  const std::int64_t ms = to_ms(t);
  std::array<char, 16> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ",
                static_cast<int>(((ms % 1000) + 1000) % 1000));
  return calendar_text(t, "T") + fraction.data();
}

}  // namespace cox
