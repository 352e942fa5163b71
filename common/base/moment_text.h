// Moments as text. Sentences that are stored and shown later contain moments in UTC, as
// "2026-11-21T10:30:00Z". Clients show them in the local time of their users. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.h"

namespace cox {

// Returns "2026-11-21", then `between`, then "10:30:00". Rounds down to a whole second.
std::string calendar_text(Wall moment, const char* between);

// Returns the whole second of the moment, for show. The system's clocks are read one after the
// other, so a moment up to 5 ms before a whole second counts as that second.
Wall shown_second(Wall moment);

// Returns shown_second() as text in UTC: "2026-11-21T10:30:00Z".
std::string moment_text(Wall moment);
std::optional<Wall> parse_moment(std::string_view text);

inline constexpr std::size_t moment_bytes = 20;

}  // namespace cox
