// A running job in the engine, and the times until which it is exempt from preemption. Pure.
#pragma once

#include <optional>

#include "schedule/model/room.h"
#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

// A RunningJob in terms of node positions.
struct Running {
  RunningJob job;
  Shared<GangParts> shares;  // all that the job was granted, also while it is suspended
  // A queued job of the same tier may preempt this job if it has a higher priority. It is the
  // priority that the job would have if it were queued now; under `gittins` a higher one, so that
  // only much shorter jobs preempt it. Set only under orders that let a job preempt jobs of its own
  // tier.
  double priority = 0;
  // If a preemption would suspend the job: `cpus` are the CPUs of `shares`, `rest` is all but the
  // CPUs. Otherwise both are empty.
  Shared<GangParts> cpus{};
  Shared<GangParts> rest{};

  const Shared<GangParts>& held() const { return job.is_suspended ? rest : shares; }
  // Returns what becomes free when the job is preempted.
  const Shared<GangParts>& freed_by_preemption() const { return job.suspends ? cpus : shares; }
  bool frees_cpus_soon() const { return job.suspended && !job.is_suspended && !job.stopping; }
};

// Returns the begin of the job's last uninterrupted run: its start, or when it was last resumed.
Boot runs_since(const RunningJob& job);

// Returns the end of the job's exempt time: from then on it has run long enough to be preempted.
Boot exempt_until(const Settings& settings, const RunningJob& job);

// Returns the time until which the job is exempt because it was preempted preempt_budget times
// within preempt_budget_window. Empty if it was not.
std::optional<Boot> budget_spent_until(const Settings& settings, const RunningJob& job, Boot now);

}  // namespace cox::schedule
