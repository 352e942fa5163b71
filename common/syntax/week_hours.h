// Opening hours of the week, in UTC, such as nights or weekends. The configuration names them
// ([hours]). A partition with hours starts jobs only while they are open. A limit with hours, such
// as cpu=8@nights, applies only while they are open. Pure.
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
  struct Span {  // in minutes since Monday, 00:00
    std::int32_t begin = 0;
    std::int32_t end = 0;  // not included
    bool operator==(const Span&) const = default;
  };
  std::vector<Span> open;  // ascending and not adjacent; never the whole week
  bool operator==(const WeekHours&) const = default;
};

// Parses a text like "Mon-Fri 18:00-08:00, Sat-Sun": days with their hours, which may extend into
// the next day. Days without hours are open all day; hours without days apply to every day. Refuses
// an invalid text, and hours that are never or always open.
Result<WeekHours> parse_week_hours(std::string_view text);
// Writes the form that parse_week_hours() reads.
std::string format_week_hours(const WeekHours& hours);

bool are_open(const WeekHours& hours, Wall at);
// Returns the next time after `after` at which the hours open or close.
Wall next_turn(const WeekHours& hours, Wall after);

}  // namespace cox
