// Elastic gangs: they take any number of nodes within a range (--nodes=4-16), with the same number
// of tasks on each. They wait until the smallest size fits and start with the largest that fits.
// They change size after a save: a victim continues on fewer nodes, and spare room lets a job
// continue on more.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"
#include "schedule/place/matcher.h"
#include "schedule/queue/limit_use.h"

namespace cox::schedule {

// Returns the allowed sizes above the smallest, ascending; none for a gang that is not elastic.
std::vector<std::int64_t> larger_sizes(const ResolvedRequest& need);

// Returns a place in `room` on the most nodes that the limits allow, for a running elastic gang.
// `least`: its need at the smallest size. Empty: not even that fits.
std::optional<GangParts> largest_home(const ResolvedRequest& least, const Matcher& matcher,
                                      const Nodes& nodes, const LimitUse& limits,
                                      const RunningJob& job, const Room& room);

}  // namespace cox::schedule
