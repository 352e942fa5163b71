// Moments as SLURM_TIME_FORMAT has them: "standard", "relative", or as strftime takes them ("%s").
// Pure: now and the time zone are passed in.
#pragma once

#include <string>

#include "client/text/screen.h"

namespace cox {

std::string styled_moment(Wall t, const std::string& style, const Screen& screen);

std::string date_line(const Screen& screen);  // "Sun Nov 22 12:32:03 2026\n": now

}  // namespace cox
