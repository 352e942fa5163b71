// Limits that jobs count against, and the quotas of accounts. The scheduler has only the number of
// a limit; its owner maps that to an association or a QOS (explain_depth.h).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "common/base/fields.h"
#include "common/resources/tres.h"

namespace cox::schedule {

// The most that all jobs that count against this limit may hold together.
struct Limit {
  std::int32_t id = 0;
  TresCount most;
  // For a limit of resource time (such as GrpTRESMins): the run time, in seconds, by which the
  // amount of the job is multiplied. 0 for other limits.
  std::int64_t seconds = 0;

  // Returns whether the limit reserves room for other jobs. Then `most.count` is negative, and this
  // job must leave that much free. It does not bind a preemptor, which gets the room of its
  // victims.
  bool is_of_room() const { return most.count < 0; }
  COX_FIELDS(id, most, seconds);
  bool operator==(const Limit&) const = default;
};
using Limits = std::vector<Limit>;  // each id once

inline constexpr std::int64_t limit_none = std::numeric_limits<std::int64_t>::max() / 4;

// The quota of one account for one resource. The jobs of the account, and of those below it, count
// against the limit with the number `limit`.
struct Quota {
  std::int32_t limit = 0;
  std::int32_t parent = -1;    // position of the parent account in the list of quotas; -1: the root
  TresCount what;              // the resource, without a count; the same for all accounts of a tree
  std::int64_t guarantee = 0;  // amount that is always available to the account
  std::int64_t deserved = 0;   // amount that is available to the account while its jobs ask for it
  std::int64_t most = limit_none;
  std::int64_t shares = 1;  // weight in dividing what exceeds all deserved quotas
  COX_FIELDS(limit, parent, what, guarantee, deserved, most, shares);
  bool operator==(const Quota&) const = default;
};

}  // namespace cox::schedule
