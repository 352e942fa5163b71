// Jobs that want their nodes on few switches, but not for ever (--switches=COUNT@TIME): who wants
// it no longer. Part of Engine.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

class Patience {
 public:
  void add(const PendingJob& job);

  // Those who have waited for long enough, as they stand in line; then how they stand from now on.
  struct Change {
    PendingJob before;
    PendingJob after;
  };
  std::vector<Change> lose(Wall now);

  // When the next of them does.
  std::optional<Wall> next() const {
    return waiting_.empty() ? std::nullopt : std::optional(waiting_.begin()->first);
  }

  // How the job that was added so stands in line by now; and for how many from then on.
  PendingJob set_copies(const PendingJob& job, std::int64_t copies);

  // The same; it is forgotten.
  PendingJob forget(const PendingJob& job);

 private:
  static std::optional<Wall> ends(const PendingJob& job);

  std::set<std::pair<Wall, JobId>> waiting_;
  std::map<JobId, PendingJob> jobs_;
};

}  // namespace cox::schedule
