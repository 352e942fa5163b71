#include "common/syntax/week_hours.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::int32_t day_minutes = 24 * 60;
constexpr std::int32_t days = 7;
constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t week_ms = week_minutes * minute_ms;
constexpr std::array<std::string_view, days> day_names{"Mon", "Tue", "Wed", "Thu",
                                                       "Fri", "Sat", "Sun"};
constexpr std::string_view hint = "write them like \"Mon-Fri 18:00-08:00, Sat-Sun\", in UTC";

// Days that follow each other, and the span of minutes of each day that is open: one part of
// "Mon-Fri 18:00-08:00, Sat-Sun".
struct Part {
  std::int32_t first_day = 0;
  std::int32_t last_day = days - 1;  // if below first_day, the days go on past Sunday
  std::int32_t begin = 0;
  std::int32_t end = day_minutes;  // minute of the day; if not above `begin`, it is on the next day
  bool operator==(const Part&) const = default;
};

std::optional<std::int32_t> parse_day(std::string_view text) {
  for (std::int32_t day = 0; day < days; ++day)
    if (day_names[static_cast<std::size_t>(day)] == text) return day;
  return std::nullopt;
}

// Parses a time of day, "08:30", into minutes, at most `most`. The end of hours may be "24:00".
std::optional<std::int32_t> parse_clock(std::string_view text, std::int32_t most) {
  const auto digit = [&](std::size_t at) { return text[at] - '0'; };
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  for (const std::size_t at : {0u, 1u, 3u, 4u})
    if (digit(at) < 0 || digit(at) > 9) return std::nullopt;
  const std::int32_t hours = digit(0) * 10 + digit(1);
  const std::int32_t minutes = digit(3) * 10 + digit(4);
  const std::int32_t all = hours * 60 + minutes;
  if (minutes >= 60 || all > most) return std::nullopt;
  return all;
}

// Returns both sides of a range such as "Mon-Fri"; a text without a dash is both sides.
std::pair<std::string_view, std::string_view> sides(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return {text, text};
  return {text.substr(0, dash), text.substr(dash + 1)};
}

bool read_days(std::string_view text, Part& part) {
  const auto [first, last] = sides(text);
  const auto from = parse_day(first);
  const auto to = parse_day(last);
  if (!from || !to) return false;
  part.first_day = *from;
  part.last_day = *to;
  return true;
}

bool read_hours(std::string_view text, Part& part) {
  if (text.find('-') == std::string_view::npos) return false;
  const auto [begin, end] = sides(text);
  const auto from = parse_clock(begin, day_minutes - 1);
  const auto to = parse_clock(end, day_minutes);
  if (!from || !to) return false;
  part.begin = *from;
  part.end = *to;
  return true;
}

Result<Part> parse_part(std::string_view text) {
  std::vector<std::string_view> words = split(text, ' ');
  std::erase(words, "");
  Part part;
  const Refusal unreadable{quoted(text) + " is not a valid list of hours of the week",
                           std::string(hint)};
  if (words.empty() || words.size() > 2) return unreadable;
  const bool has_days = words.size() == 2 || !read_hours(words[0], part);
  if (has_days && !read_days(words[0], part)) return unreadable;
  if (words.size() == 2 && !read_hours(words[1], part)) return unreadable;
  if (part.begin == part.end)
    return Refusal{quoted(text) + " ends when it begins", "leave out the hours for whole days"};
  return part;
}

using Week = std::vector<bool>;  // by minute

void open(Week& week, const Part& part) {
  const std::int32_t day_count = (part.last_day - part.first_day + days) % days + 1;
  const std::int32_t length = part.end - part.begin + (part.end > part.begin ? 0 : day_minutes);
  for (std::int32_t day = 0; day < day_count; ++day)
    for (std::int32_t minute = 0; minute < length; ++minute) {
      const std::int32_t at = (part.first_day + day) * day_minutes + part.begin + minute;
      week[static_cast<std::size_t>(at % week_minutes)] = true;
    }
}

std::vector<WeekHours::Span> spans_of(const Week& week) {
  std::vector<WeekHours::Span> spans;
  for (std::int32_t at = 0; at < week_minutes; ++at) {
    if (!week[static_cast<std::size_t>(at)]) continue;
    if (spans.empty() || spans.back().end != at) spans.push_back({at, at});
    ++spans.back().end;
  }
  return spans;
}

// If one span ends with the week and another begins with it, joins them to one span that ends after
// the week.
std::vector<WeekHours::Span> joined(std::vector<WeekHours::Span> spans) {
  if (spans.size() < 2 || spans.front().begin > 0 || spans.back().end < week_minutes) return spans;
  spans.back().end += spans.front().end;
  spans.erase(spans.begin());
  return spans;
}

// Appends a span as parts, each of at most a day: a longer span is split at midnight.
void cut(WeekHours::Span span, std::vector<Part>& parts) {
  while (span.begin < span.end) {
    const std::int32_t day = span.begin / day_minutes % days;
    const std::int32_t begin = span.begin % day_minutes;
    const std::int32_t left = span.end - span.begin;
    const std::int32_t length = left < day_minutes ? left : day_minutes - begin;
    const std::int32_t end = begin + length;
    parts.push_back({day, day, begin, end > day_minutes ? end - day_minutes : end});
    span.begin += length;
  }
}

// Joins parts of consecutive days that have the same hours: Mon 18:00-08:00 and Tue 18:00-08:00
// become Mon-Tue.
std::vector<Part> grouped(std::vector<Part> parts) {
  std::vector<Part> groups;
  std::ranges::stable_sort(parts, {}, &Part::first_day);
  for (const Part& part : parts) {
    const auto before = std::ranges::find_if(groups, [&](const Part& group) {
      return group.begin == part.begin && group.end == part.end &&
             group.last_day + 1 == part.first_day;
    });
    if (before == groups.end()) {
      groups.push_back(part);
    } else {
      before->last_day = part.first_day;
    }
  }
  return groups;
}

std::string clock_text(std::int32_t minutes) {
  const auto two = [](std::int32_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return two(minutes / 60) + ":" + two(minutes % 60);
}

std::string text_of(const Part& part) {
  const auto name_of = [](std::int32_t day) {
    return std::string(day_names[static_cast<std::size_t>(day)]);
  };
  const bool each_day = part.first_day == 0 && part.last_day == days - 1;
  const bool whole = part.begin == 0 && part.end == day_minutes;
  std::string text = name_of(part.first_day);
  if (part.last_day != part.first_day) text += "-" + name_of(part.last_day);
  if (whole) return text;
  return (each_day ? "" : text + " ") + clock_text(part.begin) + "-" + clock_text(part.end);
}

// Returns the milliseconds since the last Monday, 00:00 UTC.
std::int64_t ms_of_week(Wall at) {
  // 1970-01-01 was a Thursday.
  constexpr std::int64_t first_monday = -3ll * day_minutes * minute_ms;
  const std::int64_t since = (to_ms(at) - first_monday) % week_ms;
  return since < 0 ? since + week_ms : since;
}

}  // namespace

Result<WeekHours> parse_week_hours(std::string_view text) {
  if (text.size() > limits::wish_bytes_max)
    return Refusal{"it has " + std::to_string(text.size()) + " bytes; the limit is " +
                       std::to_string(limits::wish_bytes_max),
                   "make it shorter"};
  Week week(week_minutes, false);
  for (const std::string_view each : split(text, ',')) {
    const auto part = parse_part(each);
    if (!part) return part.refusal();
    open(week, *part);
  }
  WeekHours hours{spans_of(week)};
  if (hours.open.size() != 1 || hours.open.front() != WeekHours::Span{0, week_minutes})
    return hours;
  return Refusal{quoted(text) + " is the whole week", "leave the hours out if it is always open"};
}

std::string format_week_hours(const WeekHours& hours) {
  std::vector<Part> parts;
  for (const WeekHours::Span& span : joined(hours.open)) cut(span, parts);
  std::string text;
  for (const Part& part : grouped(std::move(parts)))
    text += (text.empty() ? "" : ", ") + text_of(part);
  return text;
}

bool are_open(const WeekHours& hours, Wall at) {
  const std::int64_t minute = ms_of_week(at) / minute_ms;
  return std::ranges::any_of(hours.open, [&](const WeekHours::Span& span) {
    return span.begin <= minute && minute < span.end;
  });
}

Wall next_turn(const WeekHours& hours, Wall after) {
  CHECK(!hours.open.empty());
  const std::int64_t now_ms = ms_of_week(after);
  std::int64_t next_ms = 2 * week_ms;
  for (const WeekHours::Span& span : joined(hours.open))
    for (const std::int32_t turn : {span.begin, span.end}) {
      const std::int64_t turn_ms = turn % week_minutes * minute_ms;
      next_ms = std::min(next_ms, turn_ms > now_ms ? turn_ms : turn_ms + week_ms);
    }
  return after + Milliseconds{next_ms - now_ms};
}

}  // namespace cox
