// Screen: what formatted output depends on (colours, width, time). The client makes one from the
// terminal and the clock; functions that format output take it as a parameter and return text.
// Shown: what a command prints.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/time.h"
#include "common/base/time_zone.h"

namespace cox {

struct Screen {
  bool colour = false;  // stdout is a terminal, and NO_COLOR is not set
  Wall now{};
  TimeZone zone;          // the user's
  std::size_t width = 0;  // columns of the terminal; 0: unknown, or stdout is no terminal
};

// Exit codes of every cox command.
inline constexpr int exit_ok = 0;
inline constexpr int exit_refused = 1;      // the command was refused or failed
inline constexpr int exit_usage = 2;        // the command line is wrong
inline constexpr int exit_unreachable = 3;  // no controller answers

// The result of a command: its texts for stdout and stderr, and its exit code.
struct Shown {
  std::string out;
  std::string err;
  int exit_code = exit_ok;
};

}  // namespace cox
