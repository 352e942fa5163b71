// Advance reservations: which users may use which nodes when. How the engine gets them, which jobs
// run in a reservation, and which nodes a new one gets. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/cluster/advance_reservation.h"
#include "common/messages/client_messages.h"
#include "controller/state/cluster.h"
#include "schedule/model/scheduler_input.h"

namespace cox {

// Returns which users, accounts and QOS the reservation is for, in a short text: at most two names
// of each and the number of the others.
std::string users_in_short(AdvanceReservation reservation);

// Returns the reservations as the engine gets them: times on the boot clock, and only the next few
// occurrences. For nodes that became silent less than reserved_through_silence ago, adds a
// reservation that keeps new jobs away from them.
std::vector<schedule::AdvanceReservation> scheduler_reservations(const Cluster& cluster, Now now);

// Refuses a new or changed reservation that names users, accounts or QOS that do not exist. Names
// that `before`, the reservation until now, already has are accepted. Users are checked only if
// some user has an account.
Failure check_access(const Cluster& cluster, const AdvanceReservation& before,
                     const AdvanceReservation& reservation);

// Returns whether the job runs in the reservation: it names the reservation, or the reservation is
// MAGNETIC, the job may use it, and it is active on all nodes of the job.
bool is_in_reservation(const Cluster& cluster, const JobEntry& entry, const std::string& name,
                       Now now);

// Returns whether a job of the reservation runs on the node.
bool has_jobs_of(const Cluster& cluster, const std::string& node, const std::string& reservation,
                 Now now);

// Returns the nodes for a new or changed reservation: the named nodes, or the best that qualify.
// Refuses nodes that another reservation has, or on which jobs run into the reservation.
Result<std::vector<std::string>> nodes_to_reserve(const Cluster& cluster,
                                                  const AdvanceReservation& reservation, Now now);
Failure check_reserved_nodes(const Cluster& cluster, const AdvanceReservation& reservation,
                             Now now);

ReservationList reservations_of(const Cluster& cluster, Now now);

// Returns the reservations that are active now, by node.
std::map<std::string, std::vector<const AdvanceReservation*>> reserved_now(const Cluster& cluster,
                                                                           Now now);

}  // namespace cox
