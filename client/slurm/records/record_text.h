// Amounts, spans and moments as sacct, sstat and seff print them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "client/slurm/records/record_options.h"
#include "common/base/time.h"

namespace cox {

// An amount in the unit given (0: ones, 'K', 'M'), with the unit that it has then: 2048 of 'M' is
// "2G", 2560 is "2.50G", 2600 is "2600M". A layout may want another.
std::string amount_text(std::int64_t amount, char unit, const RecordLayout& layout);

std::string span_text(std::int64_t seconds);      // [D-]HH:MM:SS
std::string cpu_text(std::int64_t milliseconds);  // the same, or MM:SS.mmm below an hour

// Local, 2026-11-22T12:30:00, or as SLURM_TIME_FORMAT says: relative, or what strftime takes.
// Unknown is what has not come.
std::string moment_text_as(std::string_view format, Wall t, const LocalTime& here);

}  // namespace cox
