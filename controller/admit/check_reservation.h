// Checks submissions against advance reservations. Used by admit.cpp and controller/operate. Pure.
#pragma once

#include <string>

#include "common/base/result.h"
#include "controller/feed/engine_feed.h"

namespace cox {

// Refuses a job that names a reservation that does not exist, that the job may not use, or in which
// it could never run.
Failure check_reservation(const Cluster& cluster, EngineFeed& feed, const ParsedSpec& spec,
                          Now now);

// Returns one line for each reservation of other users that keeps the submitted job from starting
// now; empty if there is none.
std::string note_on_reservations(const Cluster& cluster, EngineFeed& feed, JobId id, Now now);

}  // namespace cox
