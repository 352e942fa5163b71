// Reads the system's clocks and its source of random numbers. No other file does so.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/time.h"

namespace cox {

// Returns CLOCK_BOOTTIME and CLOCK_REALTIME. A test sets the latter ahead by COX_CLOCK_AHEAD_S
// seconds in the environment, so that it need not wait for the next minute of a crontab.
Now read_clock();
std::string boot_id();  // /proc/sys/kernel/random/boot_id
std::string random_hex(int bytes);
std::uint64_t random_seed();

}  // namespace cox
