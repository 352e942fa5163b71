// Advance reservations: who may have which nodes when. What the engine is told of them, what a
// submission that names one is asked, and which nodes a new one gets. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/advance_reservation.h"
#include "common/client_messages.h"
#include "common/result.h"
#include "controller/cluster.h"
#include "schedule/plan.h"

namespace cox {

// A job without a time limit starts in a reservation that lasts at least so long yet.
inline constexpr Milliseconds in_reservation_min{60'000};

// As the engine has them: on its clock, as far ahead as is planned.
std::vector<schedule::AdvanceReservation> world_reservations(const Cluster& cluster, Now now);

// What it asks for, in each of the magnetic reservations that it may use first; else as it was.
Shared<schedule::Request> drawn_in(const Cluster& cluster, Shared<schedule::Request> request,
                                   const JobSpec& spec);

// Of a submission that names one: there is one, it may use it, and it could ever run in it.
Failure check_reservation(const Cluster& cluster, const JobSpec& spec, Now now);

// The nodes of one that is made or changed: those named, or the best of those that will do. Refused
// where others have reserved them or jobs run into it.
Result<std::vector<std::string>> nodes_to_reserve(const Cluster& cluster,
                                                  const AdvanceReservation& reservation, Now now);
Failure check_reserved_nodes(const Cluster& cluster, const AdvanceReservation& reservation,
                             Now now);

// What reservations of others have to do with a job that is submitted; empty: nothing.
std::string note_on_reservations(const Cluster& cluster, const JobSpec& spec, Now now);

ReservationList reservations_of(const Cluster& cluster, Now now);

// By node, those that are on.
std::map<std::string, std::vector<const AdvanceReservation*>> reserved_now(const Cluster& cluster,
                                                                           Now now);

}  // namespace cox
