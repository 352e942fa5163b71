// A tier of jobs, the quality of service that --qos names: a row of cox.qos, the controller's
// memory of it, and what clients are shown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

struct Qos {
  std::string name;
  std::int32_t tier = 0;  // higher may preempt lower
  PreemptMode preempt_mode = PreemptMode::Checkpoint;
  // To save in, before SIGTERM. Where nobody is asked to save, from SIGTERM to SIGKILL; 0: as
  // kill_wait says.
  std::int64_t grace_ms = 60'000;
  std::optional<std::int64_t> preempt_weight;         // none: the tier and one
  std::optional<std::int64_t> preempt_exempt_time_s;  // none: as preempt_exempt_time says

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
          self.preempt_exempt_time_s);
  }
  bool operator==(const Qos&) const = default;
};

}  // namespace cox
