// --switches=COUNT@TIME: a job that wants its nodes on few leaf switches, but only for some time.
#pragma once

#include <optional>

#include "schedule/model/request.h"
#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

// Returns until when the job waits for few leaf switches. Nothing: it does not, or without end.
std::optional<Wall> patience_ends(const PendingJob& job);

// Returns what the job asks for once it has waited long enough: nodes on any number of switches.
Shared<Request> on_any_switches(const Request& request);

}  // namespace cox::schedule
