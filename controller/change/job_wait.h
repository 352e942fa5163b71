// The stored pending reason of a job (cox.job_wait), and the accuracy of expected starts
// (cox.start_estimate). The texts follow from the state and are overwritten. The first estimate is
// kept until the job starts, so a new leader loads these rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/messages/client_messages.h"

namespace cox {

struct JobWait {
  JobId job;
  std::string reason;  // Slurm's code
  // An explanation in one line, with numbers; empty: no pass has explained the job in full.
  std::string detail;
  std::vector<std::string> lines;  // the full explanation
  Wall expected_start{};           // Wall{}: not known
  Wall first_evaluated{};          // when a scheduling pass first found that the job waits
  Wall last_evaluated{};           // when the row of cox.job_wait was last written
  Wall first_estimate{};
  Wall first_estimate_made{};
  double priority = 0;  // the job's priority among the jobs of its tier, without the part for age
  double priority_of_age = 0;  // the most that the job's age can add to its priority
  // Seconds of waiting after which age adds priority_of_age; before, proportionally less.
  std::int64_t age_full_s = 0;

  COX_FIELDS(job, reason, detail, lines, expected_start, first_evaluated, last_evaluated,
             first_estimate, first_estimate_made, priority, priority_of_age, age_full_s);
  bool operator==(const JobWait&) const = default;
};

// Returns whether the row says that the job's dependency can never be met. Such a row stays true
// and is never recomputed, since the job that it names may have left memory. null: no row is
// stored.
bool is_never_satisfied(const JobWait* row);

// The first expected start of a job, and its actual start.
struct StartEstimate {
  JobId job;
  AttemptNumber attempt;
  Wall estimated{};
  Wall actual{};
  Wall made{};

  bool operator==(const StartEstimate&) const = default;
};

// The accuracy of expected starts is computed from so many of the newest estimates.
inline constexpr std::size_t estimates_kept_max = 1'000;

EstimateView accuracy_of(const std::vector<StartEstimate>& estimates);

}  // namespace cox
