// Formats amounts, spans and times as sacct, sstat and seff print them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "client/slurm/records/record_options.h"
#include "common/base/time.h"

namespace cox {

// Formats an amount in bytes or another unit; `unit` is that of `amount` ('K', 'M'; 0: 1). Converts
// to a larger unit if possible: 2048 of 'M' is "2G", 2560 is "2.50G", 2600 is "2600M". --units in
// the layout sets the unit instead.
std::string amount_text(std::int64_t amount, char unit, const RecordLayout& layout);

std::string span_text(std::int64_t seconds);      // [D-]HH:MM:SS
std::string cpu_text(std::int64_t milliseconds);  // [D-]HH:MM:SS; below an hour MM:SS.mmm

// Formats a time in the caller's time zone. `format` is the value of SLURM_TIME_FORMAT: standard
// (2026-11-22T12:30:00), relative, or a format of strftime. Returns "Unknown" for Wall{}.
std::string moment_text_as(std::string_view format, Wall t, const LocalTime& here);

}  // namespace cox
