// Formats times for people: "3 min ago", "1 h 5 min", "2026-11-21 01:02:03"; and in Slurm's clock
// form "1-02:03:04" for its columns. Pure: now and the time zone are parameters.
#pragma once

#include <cstdint>
#include <string>

#include "client/text/screen.h"
#include "common/base/time.h"

namespace cox {

std::string duration_text(std::int64_t ms);          // "12 s", "3 min 20 s", "1 h 5 min"
std::string ago_text(Wall t, const Screen& screen);  // "3 min ago", "in 12 s"; "-" for Wall{}
// "2026-11-21 01:02:03" local; "-" for Wall{}
std::string absolute_text(Wall t, const Screen& screen);
// Returns a text of the controller without control characters. Each UTC time in the text is
// replaced by the local time: "2026-11-21 01:02:03 (in 3 min)".
std::string localised_text(const std::string& text, const Screen& screen);
std::string slurm_moment_text(Wall t, const Screen& screen);  // "2026-11-21T01:02:03", local time
std::string slurm_clock_text(std::int64_t seconds);           // [D-]HH:MM:SS, or MM:SS
std::string iso_text(Wall t);                                 // UTC, with milliseconds

}  // namespace cox
