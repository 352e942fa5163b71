#include "client/slurm/records/record_text.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace cox {
namespace {

constexpr std::string_view units = " KMGTP";
constexpr double step_between_units = 1024;
constexpr std::int64_t day_s = 24 * 3600;

std::string format_local(const std::string& format, std::int64_t local_s, std::int64_t offset_s) {
  if (format.empty()) return "";
  const std::time_t at = local_s;
  std::tm broken{};
  ::gmtime_r(&at, &broken);
  broken.tm_gmtoff = offset_s;
  std::array<char, 256> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), format.c_str(), &broken);
  return {text.data(), length};
}

// Replaces %s in the format by `epoch_s`, the seconds since 1970. strftime would compute them from
// the local time as if it were in the machine's time zone.
std::string with_epoch(std::string_view format, std::int64_t epoch_s) {
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] == '%' && i + 1 < format.size()) {
      out += format[i + 1] == 's' ? std::to_string(epoch_s) : std::string(format.substr(i, 2));
      ++i;
    } else {
      out += format[i];
    }
  }
  return out;
}

// Returns the strftime format that SLURM_TIME_FORMAT=relative means for a time; it depends on how
// many days the time is from today.
std::string relative_format(std::int64_t local_s, std::int64_t now_s) {
  constexpr std::int64_t week = 7;
  const auto day_of = [](std::int64_t s) { return s >= 0 ? s / day_s : (s - day_s + 1) / day_s; };
  const std::int64_t days = day_of(local_s) - day_of(now_s);
  if (days == 0) return "%H:%M:%S";
  if (days == 1) return "Tomorr %H:%M";
  if (days == -1) return "Ystday %H:%M";
  if (days > 1 && days < week) return "%a %H:%M";
  const bool same_year = format_local("%Y", local_s, 0) == format_local("%Y", now_s, 0);
  return same_year ? "%-d %b %H:%M" : "%-d %b %Y";
}

}  // namespace

std::string amount_text(std::int64_t amount, char unit, const RecordLayout& layout) {
  if (amount == 0) return "0";
  std::size_t at = unit == 0 ? 0 : units.find(unit);
  auto number = static_cast<double>(amount);
  if (layout.unit != 0) {
    const std::size_t wanted = units.find(layout.unit);
    for (; at < wanted; ++at) number /= step_between_units;
    for (; at > wanted; --at) number *= step_between_units;
  } else if (layout.converts) {
    // Also with `exact`, a multiple of half the larger unit is converted: 2560M to 2.50G.
    const auto half = static_cast<std::int64_t>(step_between_units / 2);
    const auto goes_on = [&] {
      return number >= step_between_units && at + 1 < units.size() &&
             (!layout.exact || static_cast<std::int64_t>(number) % half == 0);
    };
    for (; goes_on(); ++at) number /= step_between_units;
  }
  std::array<char, 64> text{};
  const auto whole = static_cast<std::int64_t>(number);
  if (static_cast<double>(whole) == number)
    std::snprintf(text.data(), text.size(), "%lld", static_cast<long long>(whole));
  else
    std::snprintf(text.data(), text.size(), "%.2f", number);
  return text.data() + (at == 0 ? std::string() : std::string(1, units[at]));
}

std::string span_text(std::int64_t seconds) {
  if (seconds < 0) seconds = 0;
  std::array<char, 64> text{};
  const auto days = static_cast<long long>(seconds / day_s);
  const int hours = static_cast<int>(seconds % day_s / 3600);
  const int minutes = static_cast<int>(seconds % 3600 / 60);
  const int rest = static_cast<int>(seconds % 60);
  if (days > 0)
    std::snprintf(text.data(), text.size(), "%lld-%02d:%02d:%02d", days, hours, minutes, rest);
  else
    std::snprintf(text.data(), text.size(), "%02d:%02d:%02d", hours, minutes, rest);
  return text.data();
}

std::string cpu_text(std::int64_t milliseconds) {
  constexpr std::int64_t hour_ms = 3'600'000;
  const std::int64_t rest = milliseconds % 1000;
  if (rest == 0 || milliseconds >= hour_ms) return span_text(milliseconds / 1000);
  std::array<char, 64> text{};
  const std::int64_t seconds = milliseconds / 1000;
  std::snprintf(text.data(), text.size(), "%02d:%02d.%03d", static_cast<int>(seconds / 60),
                static_cast<int>(seconds % 60), static_cast<int>(rest));
  return text.data();
}

std::string moment_text_as(std::string_view format, Wall t, const LocalTime& here) {
  if (t == Wall{}) return "Unknown";
  const std::int64_t epoch_s =
      std::chrono::floor<std::chrono::seconds>(t.time_since_epoch()).count();
  const std::int64_t local_s = local_seconds(here.zone, t);
  const std::int64_t offset_s = local_s - epoch_s;
  if (format.empty() || format == "standard")
    return format_local("%Y-%m-%dT%H:%M:%S", local_s, offset_s);
  if (format == "relative")
    return format_local(relative_format(local_s, local_seconds(here.zone, here.now)), local_s,
                        offset_s);
  return format_local(with_epoch(format, epoch_s), local_s, offset_s);
}

}  // namespace cox
