// Reads the system's clocks and its source of random numbers. No other file does so.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/time.h"

namespace cox {

Now read_clock();       // CLOCK_BOOTTIME and CLOCK_REALTIME
std::string boot_id();  // /proc/sys/kernel/random/boot_id
std::string random_hex(int bytes);
std::uint64_t random_seed();

}  // namespace cox
