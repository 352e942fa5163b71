// Advance reservations: who may have which nodes when. What the engine is told of them, what a
// submission that names one is asked, and which nodes a new one gets. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/cluster/advance_reservation.h"
#include "common/messages/client_messages.h"
#include "controller/state/cluster.h"
#include "schedule/model/request.h"
#include "schedule/model/scheduler_input.h"

namespace cox {

// A job without a time limit starts in a reservation that lasts at least so long yet.
inline constexpr Milliseconds in_reservation_min{60'000};

// As the engine has them: on its clock, as far ahead as is planned.
std::vector<schedule::AdvanceReservation> scheduler_reservations(const Cluster& cluster, Now now);

// What it asks for, in each of the magnetic reservations that it may use first; else as it was.
Shared<schedule::Request> drawn_in(const Cluster& cluster, Shared<schedule::Request> request,
                                   const JobSpec& spec);

// Of a submission that names one: there is one, it may use it, and it could ever run in it.
Failure check_reservation(const Cluster& cluster, const JobSpec& spec, Now now);

// Of one that is made or changed: those that it names, and did not name before, are there, as far
// as that is known. Users are known where some are in accounts.
Failure check_whom(const Cluster& cluster, const AdvanceReservation& before,
                   const AdvanceReservation& reservation);

// Whether the job, which runs, is in the one of this name, there as it is: it asked for it, or was
// drawn in.
bool is_in_reservation(const Cluster& cluster, const JobEntry& entry, const std::string& name,
                       Now now);

// Returns whether a job of the reservation runs on the node.
bool has_jobs_of(const Cluster& cluster, const std::string& node, const std::string& reservation,
                 Now now);

// The nodes of one that is made or changed: those named, or the best of those that will do. Refused
// where others have reserved them or jobs run into it.
Result<std::vector<std::string>> nodes_to_reserve(const Cluster& cluster,
                                                  const AdvanceReservation& reservation, Now now);
Failure check_reserved_nodes(const Cluster& cluster, const AdvanceReservation& reservation,
                             Now now);

// Which reservations of others keep a job that was submitted from starting now, a line each; empty:
// none does.
std::string note_on_reservations(const Cluster& cluster, JobId id, Now now);

ReservationList reservations_of(const Cluster& cluster, Now now);

// By node, those that are on.
std::map<std::string, std::vector<const AdvanceReservation*>> reserved_now(const Cluster& cluster,
                                                                           Now now);

}  // namespace cox
