// Times as PostgreSQL writes them: the text of a timestamptz. Used by this folder.
#pragma once

#include <string>
#include <string_view>

#include "common/base/time.h"

namespace cox {

// Clamps a time to the years 1 to 9999, which every reader of a timestamptz can show.
Wall kept_time(Wall t);
// Returns the time as timestamptz, clamped.
std::string timestamp_text(Wall t);
Wall wall_from_timestamp(std::string_view text);

}  // namespace cox
