// Moments as text. Inside sentences that are kept and shown later they are UTC, as
// "2026-11-21T10:30:00Z"; clients show them in the time of their users. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.h"

namespace cox {

// "2026-11-21", `between`, "10:30:00"; the second that it is in.
std::string calendar_text(Wall moment, const char* between);

// Returns the second that the moment is in, as Slurm shows it. Clocks are read one after the other,
// so a whole second may come out a few milliseconds early: it still counts as that second.
Wall shown_second(Wall moment);

// Returns the text of shown_second(), in UTC.
std::string moment_text(Wall moment);
std::optional<Wall> parse_moment(std::string_view text);

inline constexpr std::size_t moment_bytes = 20;

}  // namespace cox
