// Hours of the week, in UTC: nights, weekends. The configuration gives them names ([hours]);
// partitions and quotas are open while they are. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"

namespace cox {

inline constexpr std::int32_t week_minutes = 7 * 24 * 60;

struct WeekHours {
  struct Span {  // minutes since Monday, 00:00
    std::int32_t begin = 0;
    std::int32_t end = 0;  // beyond it
    bool operator==(const Span&) const = default;
  };
  std::vector<Span> open;  // in order, apart from each other; not one that is the whole week
  bool operator==(const WeekHours&) const = default;
};

// "Mon-Fri 18:00-08:00, Sat-Sun": days, and hours of them that may go on into the next day; days
// alone are whole ones, hours alone are those of every day. Refused: what is no such text, what is
// never open, what is always.
Result<WeekHours> parse_week_hours(std::string_view text);
// In the same form.
std::string format_week_hours(const WeekHours& hours);

bool are_open(const WeekHours& hours, Wall at);
// When they next open or close, later than that moment.
Wall next_turn(const WeekHours& hours, Wall after);

}  // namespace cox
