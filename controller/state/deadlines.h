// The deadlines of live attempts, on the controller's boot clock. They are not stored: they are
// computed from the stored state and from the time at which the controller loaded or changed it.
// Part of Cluster; only Cluster changes them. Pure.
#pragma once

#include <map>
#include <optional>

#include "common/cluster/config.h"
#include "controller/job/job_entry.h"

namespace cox {

struct Deadlines {
  // In CONFIGURING: all nodes must be ready by then; in SUSPENDED: all must have stopped the job.
  Boot prepare{};
  // When the attempt's run would have begun if it had never been suspended; none: it has not begun.
  std::optional<Boot> ran_from;
  // Whether `ran_from` is proven: the run began under this controller, or a worker has reported its
  // run time since. Otherwise it follows from the wall clock, which may have jumped.
  bool is_proven = false;
  std::optional<Boot>
      limit;  // in RUNNING: when the time limit is reached; it follows from ran_from
  std::optional<Boot> grace;  // in SIGNALING: when SIGTERM is sent
  // In COMPLETING: until then, a fault of a node may be reported as the cause of the end.
  Boot settle{};
};

class LiveDeadlines {
 public:
  // REQUIRES: the configuration outlives this object.
  explicit LiveDeadlines(const ControllerConfig& config) : config_(config) {}

  const Deadlines& of(JobId id) const;  // all fields are empty if the job has no live attempt

  // Called by Cluster after the job's entry has changed. Do nothing if the job has no live attempt.
  void begin(const JobEntry& entry, Now now);
  void move(const JobEntry& entry, JobState state_left, Now now);
  void respecify(const JobEntry& entry);
  // Gives the job the whole prepare_timeout again. Does nothing if the job has no live attempt.
  void restart_preparing(JobId id, Boot now);
  // Takes how long the job's attempt has run, as a worker reports it. Returns whether that may have
  // changed a deadline. Does nothing if the job has no live attempt.
  bool take_run_time(const JobEntry& entry, Milliseconds ran, Boot now);
  void clear() { all_.clear(); }

 private:
  Deadlines made_of(const JobEntry& entry, Now now) const;
  void run_from(const JobEntry& entry, Boot ran_from, bool is_proven);

  const ControllerConfig& config_;
  std::map<JobId, Deadlines> all_;
};

}  // namespace cox
