// How long a unit test waits for something before it fails. The deadline is a bound against hanging
// and costs nothing if it is met, so no test has a shorter one. COX_PATIENCE, a factor, makes it
// longer on a slow or busy machine, as for the system tests (tests/system/patience.py).
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <thread>

namespace cox {

inline std::chrono::milliseconds patience() {
  const char* text = std::getenv("COX_PATIENCE");
  const double factor = text == nullptr ? 1.0 : std::atof(text);
  return std::chrono::milliseconds(static_cast<std::int64_t>(60'000 * factor));
}

// Waits until the condition holds. Returns false if it does not hold before the deadline.
inline bool wait_for(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + patience();
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace cox
