// The bound for the start of a job whose time limit is exactly as long as its advance reservation.
#pragma once

#include "common/base/time.h"

namespace cox::schedule {

// A job that is exactly as long as its advance reservation cannot start in the reservation's first
// millisecond. It is accepted if it starts at most this late, and may overrun the end by as much.
inline constexpr Milliseconds late_begin_max{10'000};

}  // namespace cox::schedule
