// Moments as text. Inside sentences that are kept and shown later they are UTC, as
// "2026-11-21T10:30:00Z"; clients show them in the time of their users. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/time.h"

namespace cox {

// "2026-11-21", `between`, "10:30:00"; the second that it is in.
std::string calendar_text(Wall moment, const char* between);

// As moments are told everywhere: clocks are read one after the other, so that the same moment
// comes out a millisecond earlier or later each time.
Wall nearest_second(Wall moment);

// To the nearest second.
std::string moment_text(Wall moment);
std::optional<Wall> parse_moment(std::string_view text);

inline constexpr std::size_t moment_bytes = 20;

}  // namespace cox
