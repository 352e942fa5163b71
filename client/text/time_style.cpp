#include "client/text/time_style.h"

#include <array>
#include <ctime>

#include "client/text/moments.h"
#include "common/base/moment_text.h"

namespace cox {
namespace {

constexpr std::int64_t day_s = 24 * 3600;

std::int64_t seconds_of(Wall t) {
  return to_ms(shown_second(t)) / 1000;
}

std::int64_t local_of(Wall t, const Screen& screen) {
  return local_seconds(screen.zone, shown_second(t));
}

// Returns the strftime format that SLURM_TIME_FORMAT=relative means for a time `days_ahead` days
// from today (negative: past).
const char* relative_style(std::int64_t days_ahead) {
  if (days_ahead == 0) return "%H:%M:%S";
  if (days_ahead == -1) return "Ystday %H:%M";
  if (days_ahead == 1) return "Tomorr %H:%M";
  if (days_ahead < -365 || days_ahead > 365) return "%-d %b %Y";
  if (days_ahead < -1 || days_ahead > 6) return "%-d %b %H:%M";
  return "%a %H:%M";
}

std::string formatted(std::int64_t local_s, const std::string& format) {
  const std::time_t local = local_s;
  std::tm parts{};
  ::gmtime_r(&local, &parts);
  std::array<char, 256> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format.c_str(), &parts)};
}

}  // namespace

std::string styled_moment(Wall t, const std::string& style, const Screen& screen) {
  if (style.empty() || style == "standard") return slurm_moment_text(t, screen);
  // strftime("%s") would take the UTC fields for local time
  if (style == "%s") return std::to_string(seconds_of(t));
  const std::int64_t local_s = local_of(t, screen);
  const std::int64_t today = local_of(screen.now, screen) / day_s;
  return formatted(local_s, style == "relative" ? relative_style(local_s / day_s - today) : style);
}

std::string date_line(const Screen& screen) {
  return formatted(local_of(screen.now, screen), "%a %b %e %H:%M:%S %Y\n");
}

}  // namespace cox
