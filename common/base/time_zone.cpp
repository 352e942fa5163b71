#include "common/base/time_zone.h"

#include <algorithm>
#include <limits>

namespace cox {
namespace {

std::int64_t seconds_of(Wall moment) {
  return std::chrono::floor<std::chrono::seconds>(moment.time_since_epoch()).count();
}

}  // namespace

std::int64_t local_seconds(const TimeZone& zone, Wall moment) {
  const std::int64_t at = seconds_of(moment);
  std::int64_t offset = zone.offset_s;
  for (const TimeZone::Change& change : zone.changes)
    if (change.at_s <= at) offset = change.offset_s;
  return at + offset;
}

Wall moment_of_local(const TimeZone& zone, std::int64_t local_s) {
  std::int64_t from = std::numeric_limits<std::int64_t>::min();
  std::int64_t offset = zone.offset_s;
  for (const TimeZone::Change& change : zone.changes) {
    const std::int64_t at = std::max(from, local_s - offset);
    if (at < change.at_s) return wall_from_ms(at * 1000);
    from = change.at_s;
    offset = change.offset_s;
  }
  return wall_from_ms(std::max(from, local_s - offset) * 1000);
}

}  // namespace cox
