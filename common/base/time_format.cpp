#include "common/base/time_format.h"

#include <algorithm>
#include <cstddef>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::int64_t minute_s = 60;
constexpr std::int64_t hour_s = 60 * minute_s;
constexpr std::int64_t day_s = 24 * hour_s;

bool is_unlimited(std::string_view text) {
  const std::string low = lower_case(text);
  return low == "unlimited" || low == "infinite" || low == "-1";
}

std::int64_t seconds_of_unit(std::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "m" || unit == "min") return minute_s;
  if (unit == "h") return hour_s;
  return unit == "d" ? day_s : 0;
}

// Returns the seconds of a time that is written with units ("90min", "1h30m"); 0 for other texts.
std::int64_t seconds_with_units(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  std::int64_t sum = 0;
  while (!text.empty()) {
    const std::size_t unit_at = std::min(text.find_first_not_of(digits), text.size());
    const std::size_t end = std::min(text.find_first_of(digits, unit_at), text.size());
    const auto number = parse_count(text.substr(0, unit_at), 0, limits::time_limit_s_max);
    const std::int64_t unit = seconds_of_unit(text.substr(unit_at, end - unit_at));
    if (!number || unit == 0 || sum > limits::time_limit_s_max) return 0;
    sum += *number * unit;
    text.remove_prefix(end);
  }
  return sum <= limits::time_limit_s_max ? sum : 0;
}

Refusal no_time(std::string_view text) {
  const std::int64_t meant = seconds_with_units(lower_case(text));
  return {quoted(text) + " is not a time",
          (meant > 0 ? "did you mean " + format_time_limit(meant) + "? Else " : std::string()) +
              "write minutes, minutes:seconds, hours:minutes:seconds, days-hours, "
              "days-hours:minutes, days-hours:minutes:seconds or UNLIMITED"};
}

// Adds up the parts of a time limit, in seconds. A part above `most`, or one that is no number,
// makes the sum invalid.
struct Sum {
  std::int64_t seconds = 0;
  bool valid = true;

  void add(std::string_view digits, std::int64_t unit_s, std::int64_t most) {
    const Result<std::int64_t> number = parse_count(digits, 0, most);
    if (number)
      seconds += *number * unit_s;
    else
      valid = false;
  }
};

}  // namespace

Result<std::int64_t> parse_time_limit(std::string_view text) {
  if (is_unlimited(text)) return std::int64_t{0};
  // Bounds each part, so that the sum cannot overflow. The longest time limit is checked at the
  // end.
  constexpr std::int64_t any = std::int64_t{1} << 40;
  constexpr std::int64_t below_60 = 59;
  Sum sum;
  const std::size_t dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  if (has_days) sum.add(text.substr(0, dash), day_s, any);
  const auto parts = split(has_days ? text.substr(dash + 1) : text, ':');
  if (parts.size() > 3) return no_time(text);
  if (has_days || parts.size() == 3) {
    sum.add(parts[0], hour_s, any);
    if (parts.size() > 1) sum.add(parts[1], minute_s, below_60);
    if (parts.size() > 2) sum.add(parts[2], 1, below_60);
  } else {
    sum.add(parts[0], minute_s, any);
    if (parts.size() > 1) sum.add(parts[1], 1, below_60);
  }
  if (!sum.valid) return no_time(text);
  if (sum.seconds > limits::time_limit_s_max)
    return Refusal{quoted(text) + " is longer than " + format_time_limit(limits::time_limit_s_max) +
                       ", the longest time limit",
                   "ask for less, or for UNLIMITED"};
  return sum.seconds;
}

std::string format_time_limit(std::int64_t seconds) {
  if (seconds == 0) return "UNLIMITED";
  const auto two_digits = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  std::string text;
  if (seconds >= day_s) text = std::to_string(seconds / day_s) + "-";
  return text + two_digits(seconds % day_s / hour_s) + ":" +
         two_digits(seconds % hour_s / minute_s) + ":" + two_digits(seconds % minute_s);
}

}  // namespace cox
