// How far a job has come, in its own words: what `cox progress`, called by one of its ranks, said
// last. Said by a rank, kept by its supervisor (the newest, told on at most every
// limits::progress_every_ms), stored with the attempt, shown by `cox queue` and `cox show job`.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"

namespace cox {

struct ProgressMetric {
  std::string name;   // "loss"
  std::string value;  // a number, as it was written

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.value);
  }
  bool operator==(const ProgressMetric&) const = default;
};

struct Progress {
  std::int64_t step = 0;   // the newest that is done
  std::int64_t total = 0;  // of so many; 0: not said
  std::vector<ProgressMetric> metrics;
  Wall at{};  // when it was said; Wall{}: nothing was said yet
  // What this attempt said first: the rate counts from there.
  std::int64_t first_step = 0;
  Wall first_at{};

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.step, self.total, self.metrics, self.at, self.first_step, self.first_at);
  }
  bool operator==(const Progress&) const = default;
};

// "loss=0.25"; a refusal when it is no NAME=NUMBER.
Result<ProgressMetric> parse_metric(std::string_view text);

// Why it may not be stored: a number out of range, too many metrics, a metric that is none.
Failure check_progress(const Progress& progress);

// `next` follows what was known: the first step and its time stay, unless the steps begin again.
Progress followed_by(const Progress& known, Progress next);

// Nothing before two different steps are known.
std::optional<double> steps_per_second(const Progress& progress);

// In ms, at the rate so far and by now; nothing without a rate or a total.
std::optional<std::int64_t> time_left_ms(const Progress& progress, Wall now);

// Whole per cent, rounded down; nothing without a total.
std::optional<std::int64_t> per_cent(const Progress& progress);

}  // namespace cox
