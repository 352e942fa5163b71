// Formats times by the value of SLURM_TIME_FORMAT: "standard", "relative", or a format of strftime.
// Pure: now and the time zone are parameters.
#pragma once

#include <string>

#include "client/text/screen.h"

namespace cox {

std::string styled_moment(Wall t, const std::string& style, const Screen& screen);

std::string date_line(const Screen& screen);  // the current time: "Sun Nov 22 12:32:03 2026\n"

}  // namespace cox
