#include "common/syntax/cron_schedule.h"

#include <algorithm>
#include <array>
#include <vector>

#include "common/base/count_format.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::int64_t minute_s = 60;
constexpr std::int64_t hour_s = 60 * minute_s;
constexpr std::int64_t day_s = 24 * hour_s;
// How many years are searched for a matching day: a 29 February follows another after at most 8
// years (1896, 1904).
constexpr int years_ahead = 9;

constexpr std::string_view how = "write MINUTE HOUR DAY MONTH WEEKDAY COMMAND, like 0 5 * * * prog";

struct FieldForm {
  std::string_view name;
  std::int64_t least;
  std::int64_t most;
  CronField CronSchedule::*field;
  // Names of three letters each, such as "janfeb"; the first stands for named_from.
  std::string_view names;
  std::int64_t named_from = 0;
};

constexpr std::array<FieldForm, 5> forms = {{
    {"minute", 0, 59, &CronSchedule::minute, "", 0},
    {"hour", 0, 23, &CronSchedule::hour, "", 0},
    {"day of the month", 1, 31, &CronSchedule::day, "", 0},
    {"month", 1, 12, &CronSchedule::month, "janfebmaraprmayjunjulaugsepoctnovdec", 1},
    {"day of the week", 0, 7, &CronSchedule::weekday, "sunmontuewedthufrisat", 0},
}};

struct Word {
  std::string_view name;
  std::string_view fields;
};
constexpr auto words = std::to_array<Word>({
    {"yearly", "0 0 1 1 *"},
    {"annually", "0 0 1 1 *"},
    {"monthly", "0 0 1 * *"},
    {"weekly", "0 0 * * 0"},
    {"daily", "0 0 * * *"},
    {"midnight", "0 0 * * *"},
    {"hourly", "0 * * * *"},
    {"elevenses", "0 11 * * *"},
    {"fika", "0 15 * * *"},
    {"teatime", "0 16 * * *"},
});

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Removes the first word and the blanks after it from `text`, and returns the word.
std::string_view take_word(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  while (end < text.size() && is_blank(text[end])) ++end;
  text.remove_prefix(end);
  return word;
}

std::string range_text(const FieldForm& form) {
  return std::to_string(form.least) + " to " + std::to_string(form.most);
}

Refusal bad_field(const FieldForm& form, std::string_view text) {
  return {quoted(text) + " is not a valid " + std::string(form.name) + " of a crontab",
          "write *, numbers from " + range_text(form) + ", ranges 2-5, lists 1,3-5, steps */2" +
              (form.names.empty() ? "" : ", or one name of three letters")};
}

std::uint64_t bits_from(std::int64_t least, std::int64_t most) {
  std::uint64_t bits = 0;
  for (std::int64_t value = least; value <= most; ++value) bits |= std::uint64_t{1} << value;
  return bits;
}

std::optional<std::int64_t> named_value(const FieldForm& form, std::string_view text) {
  const std::string word = lower_case(text);
  for (std::size_t at = 0; word.size() == 3 && at < form.names.size(); at += 3)
    if (form.names.substr(at, 3) == word) return form.named_from + static_cast<int>(at / 3);
  return std::nullopt;
}

// Parses "5" or "2-5".
std::optional<std::uint64_t> parse_range(const FieldForm& form, std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_count(text.substr(0, dash), form.least, form.most);
  const auto last = dash == std::string_view::npos
                        ? first
                        : parse_count(text.substr(dash + 1), form.least, form.most);
  if (!first || !last || *last < *first) return std::nullopt;
  return bits_from(*first, *last);
}

std::optional<std::uint64_t> parse_values(const FieldForm& form, std::string_view text) {
  if (text == "*") return bits_from(form.least, form.most);
  if (const auto value = named_value(form, text)) return bits_from(*value, *value);
  std::uint64_t bits = 0;
  for (const std::string_view part : split(text, ',')) {
    const auto range = parse_range(form, part);
    if (!range) return std::nullopt;
    bits |= *range;
  }
  return bits;
}

Result<CronField> parse_field(const FieldForm& form, std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto values = parse_values(form, text.substr(0, slash));
  if (!values) return bad_field(form, text);
  CronField field{*values, text == "*" || text == "*/1"};
  if (slash != std::string_view::npos) {
    const auto step = parse_count(text.substr(slash + 1), 1, form.most);
    if (!step)
      return Refusal{quoted(text) + ": bad step value of the " + std::string(form.name),
                     "write a step from 1 to " + std::to_string(form.most)};
    std::uint64_t steps = 0;
    for (std::int64_t value = form.least; value <= form.most; value += *step)
      steps |= std::uint64_t{1} << value;
    field.values &= steps;
  }
  if (form.field == &CronSchedule::weekday) {  // both 0 and 7 mean Sunday
    field.values |= field.values >> 7 & 1;
    field.values &= bits_from(0, 6);
  }
  if (field.values == 0)
    return Refusal{quoted(text) + " matches no " + std::string(form.name),
                   "steps count from " + std::to_string(form.least) + ", as in Slurm"};
  return field;
}

int days_in_month(int year, int month) {
  using namespace std::chrono;
  const year_month_day_last last{std::chrono::year{year} /
                                 std::chrono::month{static_cast<unsigned>(month)} /
                                 std::chrono::last};
  return static_cast<int>(static_cast<unsigned>(last.day()));
}

constexpr int leap_year = 2024;

bool has_a_day(const CronSchedule& schedule) {
  if (schedule.day.any || !schedule.weekday.any) return true;
  for (int month = 1; month <= 12; ++month)
    for (int day = 1; schedule.month.has(month) && day <= days_in_month(leap_year, month); ++day)
      if (schedule.day.has(day)) return true;
  return false;
}

Result<CronSchedule> parse_fields(std::string_view& text) {
  CronSchedule schedule;
  for (const FieldForm& form : forms) {
    const std::string_view word = take_word(text);
    if (word.empty())
      return Refusal{"this line has no " + std::string(form.name), std::string(how)};
    auto field = parse_field(form, word);
    if (!field) return field.refusal();
    schedule.*form.field = *field;
  }
  if (!has_a_day(schedule))
    return Refusal{"no month of this line has such a day", "name another day or month"};
  return schedule;
}

Result<CronSchedule> parse_named(std::string_view& text) {
  const std::string_view word = take_word(text);
  const auto at = std::ranges::find(words, lower_case(word.substr(1)), &Word::name);
  if (at == words.end())
    return Refusal{quoted(word) + " is not a known time",
                   "write @hourly, @daily, @weekly, @monthly, @yearly or five fields"};
  std::string_view fields = at->fields;
  return parse_fields(fields);
}

std::string field_text(const FieldForm& form, const CronField& field) {
  if (field.any) return "*";
  std::string text;
  for (std::int64_t value = 0; value <= form.most; ++value) {
    if (!field.has(value)) continue;
    std::int64_t last = value;
    while (last < form.most && field.has(last + 1)) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(value);
    if (last > value) text += "-" + std::to_string(last);
    value = last;
  }
  return text;
}

bool matches_day(const CronSchedule& schedule, std::chrono::year_month_day date,
                 std::chrono::sys_days day) {
  const std::chrono::weekday weekday{day};
  const bool of_month = schedule.day.has(static_cast<unsigned>(date.day()));
  const bool of_week = schedule.weekday.has(weekday.c_encoding());
  if (schedule.day.any || schedule.weekday.any) return of_month && of_week;
  return of_month || of_week;
}

// Returns the first matching time of day at or after `from`, in seconds since midnight; -1 if there
// is none.
std::int64_t next_in_day(const CronSchedule& schedule, std::int64_t from) {
  for (std::int64_t hour = from / hour_s; hour < 24; ++hour) {
    if (!schedule.hour.has(hour)) continue;
    const std::int64_t first = hour == from / hour_s ? from % hour_s / minute_s : 0;
    for (std::int64_t minute = first; minute < 60; ++minute)
      if (schedule.minute.has(minute)) return hour * hour_s + minute * minute_s;
  }
  return -1;
}

// Returns the first matching local time at or after `from`. Both are in seconds and whole minutes.
std::optional<std::int64_t> next_local(const CronSchedule& schedule, std::int64_t from) {
  using namespace std::chrono;
  sys_days day = floor<days>(sys_seconds{seconds{from}});
  std::int64_t in_day = from - duration_cast<seconds>(day.time_since_epoch()).count();
  const year end = year_month_day{day}.year() + years{years_ahead};
  for (;;) {
    const year_month_day date{day};
    if (date.year() > end) return std::nullopt;
    if (!schedule.month.has(static_cast<unsigned>(date.month()))) {
      day = sys_days{(date.year() / date.month() + months{1}) / 1};
    } else {
      const std::int64_t at = matches_day(schedule, date, day) ? next_in_day(schedule, in_day) : -1;
      if (at >= 0) return duration_cast<seconds>(day.time_since_epoch()).count() + at;
      day += days{1};
    }
    in_day = 0;
  }
}

}  // namespace

Result<CronCommand> parse_cron_line(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  std::string_view rest = line;
  auto schedule = line.starts_with('@') ? parse_named(rest) : parse_fields(rest);
  if (!schedule) return schedule.refusal();
  std::string_view request = line.substr(0, line.size() - rest.size());
  while (!request.empty() && is_blank(request.back())) request.remove_suffix(1);
  if (rest.empty()) return Refusal{"this line has no command", std::string(how)};
  return CronCommand{*schedule, std::string(request), std::string(rest)};
}

Result<CronSchedule> parse_cron_schedule(std::string_view text) {
  std::string_view rest = text;
  auto schedule = parse_fields(rest);
  if (schedule && !rest.empty())
    return Refusal{quoted(text) + " has more than five fields", std::string(how)};
  return schedule;
}

std::string format_cron_schedule(const CronSchedule& schedule) {
  std::string text;
  for (const FieldForm& form : forms)
    text += (text.empty() ? "" : " ") + field_text(form, schedule.*form.field);
  return text;
}

// A later local time is never an earlier moment, so the first local time whose moment is after
// `after` is the result.
std::optional<Wall> next_cron_time(const CronSchedule& schedule, const TimeZone& zone, Wall after) {
  const std::int64_t now = local_seconds(zone, after);
  std::int64_t from = now - (now % minute_s + minute_s) % minute_s + minute_s;
  for (;;) {
    const auto local = next_local(schedule, from);
    if (!local) return std::nullopt;
    const Wall moment = moment_of_local(zone, *local);
    if (moment > after) return moment;
    from = *local + minute_s;
  }
}

}  // namespace cox
