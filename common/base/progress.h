// The progress that a job reports of itself with `cox progress`, called by one of its ranks. The
// supervisor keeps the newest report and passes it on at most every limits::progress_every_ms. It
// is stored with the attempt and shown by `cox queue` and `cox show job`. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/result.h"
#include "common/base/time.h"

namespace cox {

struct ProgressMetric {
  std::string name;   // "loss"
  std::string value;  // a number, as the job wrote it

  COX_FIELDS(name, value);
  bool operator==(const ProgressMetric&) const = default;
};

struct Progress {
  std::int64_t step = 0;   // the newest training step that is complete
  std::int64_t total = 0;  // steps of the whole training; 0: not reported
  std::vector<ProgressMetric> metrics;
  Wall at{};  // when it was reported; Wall{}: no report yet
  // Training step and time of the first report of this attempt, from which steps_per_second()
  // counts. If the step goes down, both start again with that report.
  std::int64_t first_step = 0;
  Wall first_at{};

  COX_FIELDS(step, total, metrics, at, first_step, first_at);
  bool operator==(const Progress&) const = default;
};

// Parses "loss=0.25". Refuses a text that is not NAME=NUMBER.
Result<ProgressMetric> parse_metric(std::string_view text);

// Refuses a training step out of range, too many metrics, or an invalid metric.
Failure check_progress(const Progress& progress);

// Returns the report `next` with first_step and first_at of the report before it, `known`. If the
// step is lower than the known one, both start again with `next`.
Progress followed_by(const Progress& known, Progress next);

// Returns the training steps per second since the first report; nothing until two different steps
// were reported.
std::optional<double> steps_per_second(const Progress& progress);

// Returns the estimated run time in ms from this training step to the last one, at the rate so far.
// Returns nothing without a rate or a total.
std::optional<std::int64_t> run_time_from_ms(const Progress& progress, std::int64_t step);

// Returns the estimated time left in ms at the rate so far, counted from `now`. Returns nothing
// without a rate or a total.
std::optional<std::int64_t> time_left_ms(const Progress& progress, Wall now);

// Returns the completed part of the training in whole per cent, rounded down; nothing without a
// total.
std::optional<std::int64_t> per_cent(const Progress& progress);

}  // namespace cox
