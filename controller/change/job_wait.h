// Why a job waits, as the database shows it (cox.job_wait), and how good the starts were that jobs
// were told to expect (cox.start_estimate). The texts follow from the state and are overwritten;
// the first estimate is kept from when it was made until the job starts, so the rows are loaded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/messages/client_messages.h"

namespace cox {

struct JobWait {
  JobId job;
  std::string reason;              // Slurm's code
  std::string detail;              // one line with numbers; empty: nobody was told so much
  std::vector<std::string> lines;  // all of it
  Wall expected_start{};           // Wall{}: not known
  Wall first_judged{};
  Wall last_judged{};  // when the row was last written
  Wall first_estimate{};
  Wall first_estimate_made{};
  double priority = 0;          // inside its QOS, without what its age adds
  double priority_of_age = 0;   // what its age adds at most
  std::int64_t age_full_s = 0;  // after so many seconds of waiting; before, in proportion

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.job, self.reason, self.detail, self.lines, self.expected_start, self.first_judged,
          self.last_judged, self.first_estimate, self.first_estimate_made, self.priority,
          self.priority_of_age, self.age_full_s);
  }
  bool operator==(const JobWait&) const = default;
};

// It says why a job can never start, which stays true; what it waited for may be forgotten since.
bool is_told_in_vain(const JobWait* row);  // null: nothing is told

// The first start a job was told to expect, beside the true one.
struct StartEstimate {
  JobId job;
  AttemptNumber attempt;
  Wall estimated{};
  Wall actual{};
  Wall made{};

  bool operator==(const StartEstimate&) const = default;
};

// Of so many, the newest, how good they were is shown.
inline constexpr std::size_t estimates_kept_max = 1'000;

EstimateView accuracy_of(const std::vector<StartEstimate>& estimates);

}  // namespace cox
