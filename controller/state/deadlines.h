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
  std::optional<Boot> limit;  // in RUNNING: when the time limit is reached
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
  void respecify(const JobEntry& entry, Now now);
  // Gives the job the whole prepare_timeout again. Does nothing if the job has no live attempt.
  void restart_preparing(JobId id, Boot now);
  // Sets when the time limit is reached. Returns false if the job has no live attempt.
  bool set_limit_end(JobId id, Boot limit);
  void clear() { all_.clear(); }

 private:
  Deadlines made_of(const JobEntry& entry, Now now) const;

  const ControllerConfig& config_;
  std::map<JobId, Deadlines> all_;
};

}  // namespace cox
