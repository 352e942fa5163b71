// What keeps a waiting job out of line, whatever room there is: a person, jobs it depends on,
// its time to begin, or a failover of the database. Pure; for those who tell why jobs wait.
#pragma once

#include <optional>
#include <string>

#include "common/job/job.h"
#include "controller/state/cluster.h"

namespace cox {

struct Ineligible {
  WaitReason reason = WaitReason::None;
  std::string detail;           // one line
  std::string advice;           // what to do about it; may be empty
  std::optional<Wall> until{};  // known in advance
};

// Of one that is expected to start then: empty, or that it cannot end by its deadline.
std::string too_late_text(const JobSpec& spec, Wall expected);

// All of it, in one line.
std::string told_text(const Ineligible& why);

// Of one that can never start, for this reason: `detail` says it of what it depends on.
Ineligible in_vain(const Job& job, std::string detail);

// Nothing: it waits for room, or does not wait.
std::optional<Ineligible> why_ineligible(const Cluster& cluster, const Job& job, Now now);

}  // namespace cox
