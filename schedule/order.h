// Who is next: higher tier first, then who has been eligible longer, then the smaller id. Held jobs
// are not in it: they are not waiting for room and no one waits behind them.
#pragma once

#include <vector>

#include "schedule/plan.h"

namespace cox::schedule {

std::vector<const PendingJob*> order(const std::vector<PendingJob>& pending);

}  // namespace cox::schedule
