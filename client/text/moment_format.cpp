#include "client/text/moment_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

using std::chrono::days;
using std::chrono::seconds;
using std::chrono::sys_days;

constexpr std::int64_t hour_s = 3600;
constexpr std::int64_t noon_s = 12 * hour_s;
constexpr std::string_view moment_hint =
    "write it like 16:00, tomorrow, 2026-12-24T18:00 or now+2hours";

struct NamedTime {
  std::string_view word;
  std::int64_t second;  // of the day
};
constexpr auto named_times = std::to_array<NamedTime>({{"midnight", 0},
                                                       {"elevenses", 11 * hour_s},
                                                       {"noon", noon_s},
                                                       {"fika", 15 * hour_s},
                                                       {"teatime", 16 * hour_s}});

struct Unit {
  std::string_view word;
  std::int64_t length_s;
};
constexpr auto units = std::to_array<Unit>({{"seconds", 1},
                                            {"minutes", 60},
                                            {"hours", hour_s},
                                            {"days", 24 * hour_s},
                                            {"weeks", 7 * 24 * hour_s}});

Refusal unreadable(std::string_view text) {
  return {quoted(text) + " is not a valid time", std::string(moment_hint)};
}

// Parses a number of at most `digits_max` digits. Returns nothing for any other text.
std::optional<int> number(std::string_view text, std::size_t digits_max) {
  if (text.size() > digits_max) return std::nullopt;
  const auto value = parse_count(text, 0, 9'999);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<std::int64_t> unit_seconds(std::string_view word) {
  if (word.empty()) return 1;
  for (const Unit& unit : units)
    if (unit.word.starts_with(word)) return unit.length_s;
  return std::nullopt;
}

// Parses the text after "now", without its blanks: Slurm accepts "now + 2 hours".
std::optional<seconds> parse_distance(std::string_view text) {
  if (text.empty()) return seconds{0};
  if (text.front() != '+' && text.front() != '-') return std::nullopt;
  const bool back = text.front() == '-';
  text.remove_prefix(1);
  const auto digits = std::ranges::find_if_not(text, [](char c) { return c >= '0' && c <= '9'; });
  const auto length = static_cast<std::size_t>(digits - text.begin());
  const auto count = parse_count(text.substr(0, length), 0, limits::moment_seconds_max);
  const auto unit = unit_seconds(text.substr(length));
  if (!count || !unit || *count > limits::moment_seconds_max / *unit) return std::nullopt;
  return seconds{(back ? -*count : *count) * *unit};
}

// Parses "4:30" or "16:00:05" into seconds since midnight. `half` is "am", "pm" or empty.
std::optional<std::int64_t> parse_clock(std::string_view text, std::string_view half) {
  const auto parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  const auto hour = number(parts[0], 2);
  const auto minute = number(parts[1], 2);
  const auto second = parts.size() == 3 ? number(parts[2], 2) : 0;
  if (!hour || !minute || !second || *minute > 59 || *second > 59) return std::nullopt;
  const bool fits = half.empty() ? *hour < 24 : *hour >= 1 && *hour <= 12;
  if (!fits) return std::nullopt;
  const std::int64_t of_clock = *minute * 60 + *second;
  if (half.empty()) return *hour * hour_s + of_clock;
  return *hour % 12 * hour_s + of_clock + (half == "pm" ? noon_s : 0);
}

std::optional<std::int64_t> parse_time(std::string_view word, std::string_view half) {
  if (half.empty())
    for (const NamedTime& named : named_times)
      if (named.word == word) return named.second;
  return parse_clock(word, half);
}

std::optional<sys_days> day_of(std::optional<int> year, std::optional<int> month,
                               std::optional<int> day) {
  if (!year || !month || !day) return std::nullopt;
  const int whole = *year < 100 ? 2000 + *year : *year;
  const std::chrono::year_month_day date{std::chrono::year{whole},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return sys_days{date};
}

// Whether an incomplete time, such as a date without a year, means the next such time or the most
// recent one.
enum class Nearest { Future, Past };

std::optional<sys_days> day_without_year(std::string_view month, std::string_view day,
                                         sys_days today, Nearest nearest) {
  const int year = static_cast<int>(std::chrono::year_month_day{today}.year());
  const auto in_year = [&](int y) { return day_of(y, number(month, 2), number(day, 2)); };
  const auto this_year = in_year(year);
  if (this_year && nearest == Nearest::Future && *this_year < today) return in_year(year + 1);
  if (this_year && nearest == Nearest::Past && *this_year > today) return in_year(year - 1);
  return this_year;
}

std::optional<sys_days> parse_day(std::string_view word, sys_days today, Nearest nearest) {
  if (word == "today") return today;
  if (word == "tomorrow") return today + days{1};
  const bool digits = std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
  if (digits && word.size() == 4)
    return day_without_year(word.substr(0, 2), word.substr(2), today, nearest);
  if (digits && word.size() == 6)
    return day_of(number(word.substr(4), 2), number(word.substr(0, 2), 2),
                  number(word.substr(2, 2), 2));
  if (const auto parts = split(word, '-'); parts.size() == 3 && parts[0].size() == 4)
    return day_of(number(parts[0], 4), number(parts[1], 2), number(parts[2], 2));
  for (const char between : {'/', '.'}) {
    const auto parts = split(word, between);
    if (parts.size() == 2) return day_without_year(parts[0], parts[1], today, nearest);
    if (parts.size() == 3)
      return day_of(number(parts[2], 4), number(parts[0], 2), number(parts[1], 2));
  }
  return std::nullopt;
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

// Returns whether digits and a colon are at this place: 18:00.
bool clock_begins(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_not_of("0123456789", at);
  return end != std::string_view::npos && end > at && text[end] == ':';
}

// Returns the words of the text in lower case, with the day and the time as separate words. Users
// may write them as one: 2026-12-24T18:00, 1224-18:00, 2026-12-24-18:00, noon-tomorrow. The dash of
// "now-2hours" does not separate words.
std::vector<std::string> words_of(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
    const bool beside_word = (i > 0 && is_letter(text[i - 1]) && !plain.ends_with("now")) ||
                             (i + 1 < text.size() && is_letter(text[i + 1]));
    const bool after_digit = i > 0 && std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0;
    const bool before_clock = text.find(':', i) != std::string_view::npos;
    const bool divides =
        (after_digit && before_clock && (c == 't' || (c == '-' && clock_begins(text, i + 1)))) ||
        (c == '-' && beside_word);
    const bool begins_half = after_digit && (c == 'a' || c == 'p');  // "4:30pm"
    if (begins_half) plain += ' ';
    plain += divides ? ' ' : c;
  }
  std::vector<std::string> words;
  for (const std::string_view word : split(plain, ' '))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

struct DayAndTime {
  std::optional<sys_days> day;
  std::optional<std::int64_t> second;  // of the day
};

std::optional<DayAndTime> parse_words(const std::vector<std::string>& words, sys_days today,
                                      Nearest nearest) {
  DayAndTime read;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_half = i + 1 < words.size() && (words[i + 1] == "am" || words[i + 1] == "pm");
    const auto second = parse_time(words[i], has_half ? words[i + 1] : "");
    const auto day = second ? std::nullopt : parse_day(words[i], today, nearest);
    if (second ? read.second.has_value() : !day || read.day) return std::nullopt;
    if (second) read.second = second;
    if (day) read.day = day;
    if (second && has_half) ++i;
  }
  return read;
}

Result<Wall> parse_moment(std::string_view text, const LocalTime& here, Nearest nearest) {
  const auto words = words_of(text);
  if (words.empty()) return unreadable(text);
  const seconds now = std::chrono::floor<seconds>(here.now.time_since_epoch());
  if (words.front().starts_with("now")) {
    const auto distance = parse_distance(std::string_view(joined(words, "")).substr(3));
    if (!distance) return unreadable(text);
    return Wall{now + *distance};
  }
  const std::chrono::sys_seconds local{seconds{local_seconds(here.zone, here.now)}};
  const sys_days today = std::chrono::floor<days>(local);
  const auto read = parse_words(words, today, nearest);
  if (!read) return unreadable(text);
  const auto on = [&](sys_days day) {
    const seconds at = day.time_since_epoch() + seconds{read->second.value_or(0)};
    return moment_of_local(here.zone, at.count());
  };
  const Wall moment = on(read->day.value_or(today));
  const bool has_passed = moment <= Wall{now};
  return nearest == Nearest::Future && !read->day && has_passed ? on(today + days{1}) : moment;
}

}  // namespace

Result<Wall> parse_local_moment(std::string_view text, const LocalTime& here) {
  return parse_moment(text, here, Nearest::Future);
}

Result<Wall> parse_past_moment(std::string_view text, const LocalTime& here) {
  constexpr std::size_t epoch_digits_min = 9;  // a number of fewer digits is a date, such as 122426
  std::string_view digits = text;
  if (digits.starts_with("uts")) digits.remove_prefix(3);
  if (digits.size() >= epoch_digits_min || digits.size() < text.size())
    if (const auto since_epoch = parse_count(digits, 0, 100 * limits::moment_seconds_max))
      return Wall{seconds{*since_epoch}};
  return parse_moment(text, here, Nearest::Past);
}

}  // namespace cox
