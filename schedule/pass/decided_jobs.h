// The jobs that a pass has decided on so far. Between two parts of a pass the owner of the
// scheduler carries the decisions out. So a job that was pending when it was decided on may be
// running when the pass continues.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>

#include "schedule/pass/decision.h"
#include "schedule/pass/preempt.h"

namespace cox::schedule {

class DecidedJobs {
 public:
  void note(const Decision& decision) {
    const bool starts = decision.outcome == Outcome::Starts;
    const bool preempts = decision.outcome == Outcome::Preempts;
    if (starts || preempts) changed_.insert(decision.job.id);
    for (const Move& move : decision.moves) changed_.insert(move.job);
    // If the job stands for several array tasks, more of them may start. It counts as placed only
    // when its last task starts.
    const bool is_last = starts && decision.job.copies == 1;
    if (is_last || preempts || decision.outcome == Outcome::Promised) note_placed(decision.job.id);
  }
  void note_placed(JobId id) { placed_.insert(id); }
  void note_resumed(JobId id) { changed_.insert(id); }
  void note_victim(JobId id) { victims_.insert(id); }
  // Records that this array task was split off a job that stands for several: the decision to start
  // a task of that job is for this one only.
  void note_split(JobId id) {
    changed_.insert(id);
    placed_.insert(id);
  }

  // Returns whether the job starts, preempts, moves or is resumed by this pass.
  bool has_changed(JobId id) const { return changed_.contains(id); }
  // Returns whether the job already has a place, so that the pass skips it in the queue.
  bool is_placed(JobId id) const { return placed_.contains(id); }
  bool is_victim(JobId id) const { return victims_.contains(id); }
  std::size_t changed_count() const { return changed_.size(); }
  std::size_t victim_count() const { return victims_.size(); }
  // Returns whether the job runs by a decision of an earlier part of the pass, which has already
  // taken its room. REQUIRES: the job is running.
  bool has_started(JobId id) const { return has_changed(id) && !is_victim(id); }
  bool is_stopping(const Running& running) const {
    return running.job.stopping || is_victim(running.job.id);
  }

 private:
  std::set<JobId> changed_;
  std::set<JobId> placed_;
  std::set<JobId> victims_;
};

}  // namespace cox::schedule
