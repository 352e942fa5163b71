// The request option --switches=COUNT@TIME: a job that wants its nodes on at most COUNT leaf
// switches, but waits for that no longer than TIME.
#pragma once

#include <optional>

#include "schedule/model/request.h"
#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

// Returns the time until which the job waits for few leaf switches. Empty if it does not wait for
// them, or waits without end.
std::optional<Wall> patience_ends(const PendingJob& job);

// Returns the request that holds once the job has waited long enough: the same, on any number of
// switches.
Shared<Request> on_any_switches(const Request& request);

}  // namespace cox::schedule
