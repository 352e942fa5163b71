#include "common/io/local_zone.h"

#include <time.h>

#include "common/base/check.h"

namespace cox {
namespace {

constexpr std::int64_t day_s = 24 * 3600;
constexpr std::int64_t year_s = 366 * day_s;
// No zone has changed its offset twice within two weeks. Each step costs some 0.4 µs.
constexpr std::int64_t step_s = 14 * day_s;

std::int64_t offset_at(std::int64_t at_s) {
  const time_t at = at_s;
  tm local{};
  CHECK(::localtime_r(&at, &local) != nullptr);
  return local.tm_gmtoff;
}

// Returns the first second after `from` whose offset from UTC differs from that at `from`, by
// bisection. REQUIRES: the offset at `to` differs, and it changes only once between them.
std::int64_t first_changed(std::int64_t from, std::int64_t to) {
  const std::int64_t offset = offset_at(from);
  while (to - from > 1) {
    const std::int64_t middle = from + (to - from) / 2;
    (offset_at(middle) == offset ? from : to) = middle;
  }
  return to;
}

}  // namespace

TimeZone read_local_zone(Wall now, ZoneYears years) {
  ::tzset();
  const std::int64_t now_s = to_ms(now) / 1000;
  std::int64_t at = now_s - years.behind * year_s;
  const std::int64_t end = now_s + years.ahead * year_s;
  TimeZone zone{offset_at(at), {}};
  std::int64_t offset = zone.offset_s;
  for (; at < end; at += step_s) {
    if (offset_at(at + step_s) == offset) continue;
    const std::int64_t change = first_changed(at, at + step_s);
    offset = offset_at(at + step_s);
    zone.changes.push_back({change, offset});
  }
  return zone;
}

}  // namespace cox
