// How something is to be shown, decided once at the edge: by main, from the terminal and the clock.
// Everything that shows takes it as a parameter and returns text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/time.h"

namespace cox {

struct Screen {
  bool colour = false;  // a terminal, and NO_COLOR is not set
  Wall now{};
  std::int64_t utc_offset_s = 0;  // of the local time zone, now
  std::size_t width = 0;          // columns of the terminal; 0: none, or nobody knows
};

// Exit codes of every cox command.
inline constexpr int exit_ok = 0;
inline constexpr int exit_refused = 1;      // refused, or it failed
inline constexpr int exit_usage = 2;        // the command line is wrong
inline constexpr int exit_unreachable = 3;  // no controller answers

// What a command leaves behind: text for both streams, and its exit code.
struct Shown {
  std::string out;
  std::string err;
  int exit_code = exit_ok;
};

}  // namespace cox
