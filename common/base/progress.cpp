#include "common/base/progress.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

bool is_metric_name(std::string_view text) {
  constexpr std::string_view also = "_-./";
  const auto fits = [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           also.find(c) != also.npos;
  };
  return !text.empty() && text.size() <= limits::metric_name_bytes_max &&
         std::ranges::all_of(text, fits);
}

// Accepts "nan" and "inf" too, because a training that diverges reports them.
bool is_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && text.size() <= limits::metric_value_bytes_max && error == std::errc{} &&
         end == text.data() + text.size();
}

}  // namespace

Result<ProgressMetric> parse_metric(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = equals < text.size() ? text.substr(equals + 1) : "";
  if (!is_metric_name(name))
    return Refusal{quoted(text) + " does not begin with the name of a metric",
                   "write NAME=NUMBER; a name has letters, digits and _-./, at most " +
                       std::to_string(limits::metric_name_bytes_max)};
  if (!is_number(value))
    return Refusal{quoted(value) + " is not a number", "write NAME=NUMBER, as loss=0.25"};
  return ProgressMetric{std::string(name), std::string(value)};
}

Failure check_progress(const Progress& progress) {
  if (progress.step < 0 || progress.step > limits::training_step_max || progress.total < 0 ||
      progress.total > limits::training_step_max)
    return Refusal{"a step is a number from 0 to " + std::to_string(limits::training_step_max),
                   "give another --step or --total"};
  if (progress.total > 0 && progress.step > progress.total)
    return Refusal{"step " + std::to_string(progress.step) + " is above the total of " +
                       std::to_string(progress.total),
                   "give a larger --total, or none if it is not known"};
  if (progress.metrics.size() > limits::progress_metrics_max)
    return Refusal{std::to_string(progress.metrics.size()) + " metrics; the limit is " +
                       std::to_string(limits::progress_metrics_max),
                   "report fewer"};
  for (const ProgressMetric& metric : progress.metrics) {
    if (auto read = parse_metric(metric.name + "=" + metric.value); !read) return read.refusal();
    if (std::ranges::count(progress.metrics, metric.name, &ProgressMetric::name) > 1)
      return Refusal{"the metric " + quoted(metric.name) + " is named twice",
                     "give each metric one value"};
  }
  return std::nullopt;
}

Progress followed_by(const Progress& known, Progress next) {
  const bool continues = known.first_at != Wall{} && next.step >= known.step;
  next.first_step = continues ? known.first_step : next.step;
  next.first_at = continues ? known.first_at : next.at;
  return next;
}

std::optional<double> steps_per_second(const Progress& progress) {
  const std::int64_t steps = progress.step - progress.first_step;
  const std::int64_t ms = (progress.at - progress.first_at).count();
  if (steps <= 0 || ms <= 0) return std::nullopt;
  return 1000.0 * static_cast<double>(steps) / static_cast<double>(ms);
}

std::optional<std::int64_t> run_time_from_ms(const Progress& progress, std::int64_t step) {
  const auto rate = steps_per_second(progress);
  if (!rate || progress.total == 0) return std::nullopt;
  constexpr double longest_ms = 1e15;
  const double left = static_cast<double>(std::max<std::int64_t>(progress.total - step, 0));
  return std::llround(std::min(1000.0 * left / *rate, longest_ms));
}

std::optional<std::int64_t> time_left_ms(const Progress& progress, Wall now) {
  const auto left_ms = run_time_from_ms(progress, progress.step);
  if (!left_ms) return std::nullopt;
  return std::max<std::int64_t>(0, *left_ms - (now - progress.at).count());
}

std::optional<std::int64_t> per_cent(const Progress& progress) {
  if (progress.total == 0) return std::nullopt;
  const double part = static_cast<double>(progress.step) / static_cast<double>(progress.total);
  return static_cast<std::int64_t>(std::min(100.0, std::floor(100.0 * part)));
}

}  // namespace cox
