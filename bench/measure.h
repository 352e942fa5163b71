// How the load program measures and tells: monotonic nanoseconds, quantiles, and one line
// "name value unit" a figure, which bench.py reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cox::bench {

std::int64_t now_ns();  // CLOCK_MONOTONIC, as stamp.c reads it

inline double seconds_since(std::int64_t began_ns) {
  return static_cast<double>(now_ns() - began_ns) / 1e9;
}

// 0 ≤ q ≤ 1; nearest rank. REQUIRES: not empty.
double quantile(std::vector<double> values, double q);

void report(const std::string& name, double value, const std::string& unit);
// name_p50, name_p99 and name_n.
void report_quantiles(const std::string& name, const std::vector<double>& values,
                      const std::string& unit);

// A fault of the set-up: told on standard error, and the program ends with 1.
[[noreturn]] void give_up(const std::string& why);

}  // namespace cox::bench
