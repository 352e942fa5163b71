// Parses signals as users write them. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/result.h"
#include "common/job/job.h"

namespace cox {

// Parses a signal, such as "USR1", "sigusr1" or a number from 1 to 64. Returns its number.
Result<std::int32_t> parse_signal(std::string_view text);

// Parses the value of Slurm's --signal: "[B:]SIG[@seconds]".
Result<SignalRequest> parse_signal_request(std::string_view text);

}  // namespace cox
