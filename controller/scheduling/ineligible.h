// Explains why a pending job is not in the queue: it is held, has unmet dependencies, a begin time
// or closed partitions, or a failover of the database stops all starts. Pure. Used to show pending
// reasons.
#pragma once

#include <optional>
#include <string>

#include "common/job/job.h"
#include "controller/state/cluster.h"

namespace cox {

struct Ineligible {
  WaitReason reason = WaitReason::None;
  std::string detail;           // one line
  std::string advice;           // what the user can do about it; may be empty
  std::optional<Wall> until{};  // when the job becomes eligible, if that is known
};

// Returns why a job with this expected start cannot end by its deadline; "" if it can.
std::string too_late_text(const JobSpec& spec, Wall expected);

// Returns why no job starts after a failover, without the subject: "may have lost its newest
// changes ...: no job starts until ..."; "" if jobs may start.
std::string failover_wait_text(const Cluster& cluster, Now now);

// Returns the detail and the advice in one line.
std::string ineligible_text(const Ineligible& why);

// Returns the pending reason of a job whose dependencies can never be met
// (DependencyNeverSatisfied). `detail` explains these dependencies.
Ineligible never_satisfied(const Job& job, std::string detail);

// Returns why the job is not in the queue; nullopt if it is, since it waits only for room, or if it
// is not pending.
std::optional<Ineligible> why_ineligible(const Cluster& cluster, const Job& job, Now now);

}  // namespace cox
