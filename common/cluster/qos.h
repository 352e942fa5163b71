// A quality of service, named by --qos: a row of cox.qos, the controller's copy in memory, and a
// reply to clients.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/time.h"
#include "common/resources/tres.h"

namespace cox {

// What preemption does to a job; Slurm's PreemptMode.
enum class PreemptMode : std::uint8_t {
  // The job saves within its grace, stops, and later resumes from its newest checkpoint.
  Checkpoint,
  Requeue,  // the job stops without a request to save, and is requeued
  Cancel,   // the job stops without a request to save, and ends in state PREEMPTED
  Off,      // is never preempted
  // The job is suspended: its CPUs become free until it is resumed, but not its memory and GPUs.
  Suspend,
};
std::string_view name(PreemptMode m);  // "checkpoint", as in the SQL enum
std::optional<PreemptMode> preempt_mode_from(std::string_view word);

// Limits of the jobs of a QOS, with Slurm's names. A job that alone exceeds a limit is refused; any
// other job waits until the limit allows it. Nothing, or an empty list: no limit.
struct QosLimits {
  TresList grp_tres;  // resources of all running jobs of the QOS
  std::optional<std::int64_t> grp_jobs;
  std::optional<std::int64_t> grp_submit_jobs;  // pending and running jobs
  TresList max_tres_per_user;                   // resources of one user's running jobs
  std::optional<std::int64_t> max_jobs_per_user;
  std::optional<std::int64_t> max_submit_jobs_per_user;
  TresList max_tres_per_job;
  TresList min_tres_per_job;
  std::optional<std::int64_t> max_wall_s;
  TresList grp_tres_mins;  // decayed usage of all its jobs, in minutes of each resource
  std::optional<std::int64_t> grp_wall_s;  // decayed usage of wall time
  TresList kept_tres;                      // not in Slurm: what jobs of lower tiers must leave free

  COX_FIELDS(grp_tres, grp_jobs, grp_submit_jobs, max_tres_per_user, max_jobs_per_user,
             max_submit_jobs_per_user, max_tres_per_job, min_tres_per_job, max_wall_s,
             grp_tres_mins, grp_wall_s, kept_tres);
  bool operator==(const QosLimits&) const = default;
};

// The decayed usage of the QOS's ended jobs, as of the time `at`.
struct QosUsage {
  std::string qos;
  std::vector<TresUsage> usage;
  Wall at{};

  COX_FIELDS(qos, usage, at);
  bool operator==(const QosUsage&) const = default;
};

struct Qos {
  std::string name;
  std::int32_t tier = 0;  // jobs of a higher tier may preempt those of a lower one
  PreemptMode preempt_mode = PreemptMode::Checkpoint;
  // Time to save before SIGTERM. For jobs that are not asked to save: time from SIGTERM to
  // SIGKILL; 0: kill_wait.
  std::int64_t grace_ms = 60'000;
  std::optional<std::int64_t> preempt_weight;  // weight of its jobs' lost work; none: tier + 1
  std::optional<std::int64_t> preempt_exempt_time_s;  // none: the setting of this name applies
  QosLimits limits{};

  // Returns whether its jobs are asked to save before they are stopped, whatever the reason.
  bool requests_save() const {
    return grace_ms > 0 &&
           (preempt_mode == PreemptMode::Checkpoint || preempt_mode == PreemptMode::Off ||
            preempt_mode == PreemptMode::Suspend);
  }
  std::int64_t weight() const { return preempt_weight.value_or(1 + std::max(tier, 0)); }

  COX_FIELDS(name, tier, preempt_mode, grace_ms, preempt_weight, preempt_exempt_time_s, limits);
  bool operator==(const Qos&) const = default;
};

}  // namespace cox
