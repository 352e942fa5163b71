// Tracks until when jobs with --switches=COUNT@TIME wait for at most COUNT leaf switches; after
// TIME any number will do. Part of Engine.
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
  void forget(JobId id);

  // Returns the jobs whose TIME has ended by now, and forgets them.
  std::vector<JobId> remove_expired(Wall now);

  // Returns when the TIME of a job ends next; empty: never.
  std::optional<Wall> next() const {
    return waiting_.empty() ? std::nullopt : std::optional(waiting_.begin()->first);
  }

 private:
  std::set<std::pair<Wall, JobId>> waiting_;
  std::map<JobId, Wall> ends_;  // the end of each job's TIME, as in `waiting_`
};

}  // namespace cox::schedule
