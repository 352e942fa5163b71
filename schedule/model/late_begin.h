// How late a job may begin that is as long as the advance reservation it is in.
#pragma once

#include "common/base/time.h"

namespace cox::schedule {

// Nobody starts it at the first millisecond; by so much it may then overrun the end.
inline constexpr Milliseconds late_begin_max{10'000};

}  // namespace cox::schedule
