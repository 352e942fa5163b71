// Limits that jobs count against, and the quotas of accounts. The scheduler knows a limit by its
// number; the owner of the scheduler knows which association or QOS has set it (explain_depth.h).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "common/resources/tres.h"

namespace cox::schedule {

// The most that all jobs that count against this limit may hold together.
struct Limit {
  std::int32_t id = 0;
  TresCount most;
  std::int64_t seconds = 0;  // of a limit of resource time: the time that the job counts

  // A negative limit is about room that is kept free for others: this job must leave that much
  // free. It does not bind a preemptor, whose room comes from its victims.
  bool is_of_room() const { return most.count < 0; }
  bool operator==(const Limit&) const = default;
};
using Limits = std::vector<Limit>;  // each id once

inline constexpr std::int64_t limit_none = std::numeric_limits<std::int64_t>::max() / 4;

// What one account is to have of one resource. Its jobs count against `limit` (quota.h).
struct Quota {
  std::int32_t limit = 0;
  std::int32_t parent = -1;    // position of the parent account; -1: this is the root
  TresCount what;              // the resource, without a count; the same in a whole tree
  std::int64_t guarantee = 0;  // always the account's own
  std::int64_t deserved = 0;   // the account's own while its jobs ask for it
  std::int64_t most = limit_none;
  std::int64_t shares = 1;  // its shares of what no account deserves
  bool operator==(const Quota&) const = default;
};

}  // namespace cox::schedule
