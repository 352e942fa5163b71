// Gangs that take any number of nodes within a range (--nodes=4-16), each with as many tasks. They
// wait for the fewest, start with the most that fit, and change when they have saved: a victim goes
// on with fewer, and where room is left over with more.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"
#include "schedule/place/matcher.h"
#include "schedule/queue/limit_use.h"

namespace cox::schedule {

// Above the fewest, ascending; none for a gang that is not elastic.
std::vector<std::int64_t> larger_sizes(const ResolvedRequest& need);

// The largest place that there is for a running one. `least`: the need of its fewest nodes.
std::optional<GangParts> largest_home(const ResolvedRequest& least, const Matcher& matcher,
                                      const Nodes& nodes, const LimitUse& limits,
                                      const RunningJob& job, const Room& room);

}  // namespace cox::schedule
