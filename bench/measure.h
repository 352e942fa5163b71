// How the load program measures and reports: monotonic nanoseconds, quantiles, and for each figure
// a line "name value unit", which bench.py reads.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cox::bench {

std::int64_t now_ns();  // CLOCK_MONOTONIC, like stamp.h

inline double seconds_since(std::int64_t began_ns) {
  return static_cast<double>(now_ns() - began_ns) / 1e9;
}

// Returns the quantile by nearest rank. REQUIRES: 0 ≤ q ≤ 1, and `values` is not empty.
double quantile(std::vector<double> values, double q);

void report(const std::string& name, double value, const std::string& unit);
// Reports name_p50, name_p99, and the number of values as name_n.
void report_quantiles(const std::string& name, const std::vector<double>& values,
                      const std::string& unit);

// Prints a fault of the set-up on standard error, and exits with 1.
[[noreturn]] void give_up(const std::string& why);

// Gives up if the work that a scenario waits for makes no progress for 60 s.
class Standstill {
 public:
  explicit Standstill(std::string awaited) : awaited_{std::move(awaited)} {}
  // To be called again and again, with the amount of work done so far.
  void check(std::int64_t done);

 private:
  std::string awaited_;  // such as "jobs that end"
  std::int64_t done_ = 0;
  std::int64_t moved_ns_ = now_ns();
};

}  // namespace cox::bench
