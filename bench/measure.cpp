#include "bench/measure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace cox::bench {
namespace {

constexpr double standstill_s = 60;

}  // namespace

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

void report(const std::string& name, double value, const std::string& unit) {
  std::printf("%s %.6g %s\n", name.c_str(), value, unit.c_str());
  std::fflush(stdout);
}

void report_quantiles(const std::string& name, const std::vector<double>& values,
                      const std::string& unit) {
  report(name + "_p50", quantile(values, 0.5), unit);
  report(name + "_p99", quantile(values, 0.99), unit);
  report(name + "_n", static_cast<double>(values.size()), "measurements");
}

void give_up(const std::string& why) {
  std::fprintf(stderr, "cox-bench: %s\n", why.c_str());
  std::exit(1);
}

void Standstill::check(std::int64_t done) {
  if (std::exchange(done_, done) != done) moved_ns_ = now_ns();
  if (seconds_since(moved_ns_) > standstill_s)
    give_up("nothing has moved for 60 s while it waited for " + awaited_ + "; so far " +
            std::to_string(done_));
}

}  // namespace cox::bench
