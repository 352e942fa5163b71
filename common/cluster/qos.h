// A tier of jobs, the quality of service that --qos names: a row of cox.qos, the controller's
// memory of it, and what clients are shown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.h"
#include "common/resources/tres.h"

namespace cox {

// What preemption does to a job; Slurm's PreemptMode.
enum class PreemptMode : std::uint8_t {
  Checkpoint,  // asked to save within its grace, then stopped; it resumes from its newest
               // checkpoint
  Requeue,     // stopped without being asked to save, and requeued
  Cancel,      // stopped likewise, and it ends PREEMPTED
  Off,         // never preempted
  Suspend,     // stands still where it is: its CPUs alone are free until it goes on
};
std::string_view name(PreemptMode m);  // "checkpoint", as the SQL enum
std::optional<PreemptMode> preempt_mode_from(std::string_view word);

// How much its jobs may have, by Slurm's names. A job that no room would help is refused; the
// others wait. Nothing, and an empty list: no limit.
struct QosLimits {
  TresList grp_tres;  // all its jobs together, while they run
  std::optional<std::int64_t> grp_jobs;
  std::optional<std::int64_t> grp_submit_jobs;  // that wait or run
  TresList max_tres_per_user;                   // those of one user, likewise
  std::optional<std::int64_t> max_jobs_per_user;
  std::optional<std::int64_t> max_submit_jobs_per_user;
  TresList max_tres_per_job;
  TresList min_tres_per_job;
  std::optional<std::int64_t> max_wall_s;
  TresList grp_tres_mins;                  // used lately by all its jobs, in minutes of each
  std::optional<std::int64_t> grp_wall_s;  // of their time used lately
  TresList kept_tres;                      // ours: so much is left free by jobs of lower tiers

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.grp_tres, self.grp_jobs, self.grp_submit_jobs, self.max_tres_per_user,
          self.max_jobs_per_user, self.max_submit_jobs_per_user, self.max_tres_per_job,
          self.min_tres_per_job, self.max_wall_s, self.grp_tres_mins, self.grp_wall_s,
          self.kept_tres);
  }
  bool operator==(const QosLimits&) const = default;
};

// What the jobs of a tier used that are over, as it was then.
struct QosUsage {
  std::string qos;
  std::vector<TresUsage> usage;
  Wall at{};

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.qos, self.usage, self.at);
  }
  bool operator==(const QosUsage&) const = default;
};

struct Qos {
  std::string name;
  std::int32_t tier = 0;  // higher may preempt lower
  PreemptMode preempt_mode = PreemptMode::Checkpoint;
  // To save in, before SIGTERM. Where nobody is asked to save, from SIGTERM to SIGKILL; 0: as
  // kill_wait says.
  std::int64_t grace_ms = 60'000;
  std::optional<std::int64_t> preempt_weight;         // none: the tier and one
  std::optional<std::int64_t> preempt_exempt_time_s;  // none: as preempt_exempt_time says
  QosLimits limits{};

  // Whether its jobs are asked to save before they are stopped, by whomever.
  bool asks_to_save() const {
    return grace_ms > 0 &&
           (preempt_mode == PreemptMode::Checkpoint || preempt_mode == PreemptMode::Off ||
            preempt_mode == PreemptMode::Suspend);
  }
  std::int64_t weight() const { return preempt_weight.value_or(1 + std::max(tier, 0)); }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.tier, self.preempt_mode, self.grace_ms, self.preempt_weight,
          self.preempt_exempt_time_s, self.limits);
  }
  bool operator==(const Qos&) const = default;
};

}  // namespace cox
