// How long a unit test waits for something before it fails. The deadline is a bound against hanging
// and costs nothing if it is met, so no test has a shorter one. COX_PATIENCE, a factor, makes it
// longer on a slow or busy machine, as for the system tests (tests/system/patience.py).
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>

namespace cox {

inline std::chrono::milliseconds patience() {
  const char* text = std::getenv("COX_PATIENCE");
  const double factor = text == nullptr ? 1.0 : std::atof(text);
  return std::chrono::milliseconds(static_cast<std::int64_t>(60'000 * factor));
}

}  // namespace cox
