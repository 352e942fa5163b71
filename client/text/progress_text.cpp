#include "client/text/progress_text.h"

#include <array>
#include <cstdio>

#include "client/text/moments.h"

namespace cox {
namespace {

// Formats the rate in training steps per second. Below 1000/s it has at most three significant
// digits: "0.0123/s", "3.4/s", "1250/s".
std::string rate_text(double per_second) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), per_second >= 1000 ? "%.0f/s" : "%.3g/s", per_second);
  return text.data();
}

std::string pace_text(const Progress& progress, Wall now, bool is_live) {
  std::string text;
  if (const auto rate = steps_per_second(progress)) text += ", " + rate_text(*rate);
  if (!is_live) return text;
  if (const auto left = time_left_ms(progress, now)) text += ", " + duration_text(*left) + " left";
  return text;
}

}  // namespace

std::string brief_progress_text(const Progress& progress, Wall now, bool is_live) {
  if (progress.at == Wall{}) return "";
  const auto part = per_cent(progress);
  const std::string done =
      part ? std::to_string(*part) + " %" : "step " + std::to_string(progress.step);
  return done + pace_text(progress, now, is_live);
}

std::string progress_text(const Progress& progress, Wall now, bool is_live) {
  if (progress.at == Wall{}) return "";
  std::string text = "step " + std::to_string(progress.step);
  if (const auto part = per_cent(progress))
    text += " of " + std::to_string(progress.total) + ", " + std::to_string(*part) + " %";
  text += pace_text(progress, now, is_live);
  std::string between = "; ";
  for (const ProgressMetric& metric : progress.metrics) {
    text += between + metric.name + "=" + metric.value;
    between = ", ";
  }
  return text;
}

}  // namespace cox
