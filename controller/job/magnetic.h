// MAGNETIC advance reservations: a job that may use one can run in it without naming it. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/cluster/advance_reservation.h"
#include "common/job/job.h"
#include "controller/limits/accounts.h"
#include "schedule/model/request.h"

namespace cox {

// Returns the job's account and all accounts above it. A reservation for an account is also for the
// accounts below it.
std::vector<std::string> accounts_above(const Accounts& accounts, const JobSpec& spec);

// Returns whether the job may run in the reservation without naming it: the reservation is MAGNETIC
// and the job may use it.
bool draws_in(const AdvanceReservation& reservation, const Accounts& accounts, const JobSpec& spec);

// Returns the request with alternatives to run in each MAGNETIC reservation that the job may use;
// these come before the alternatives outside of reservations. If the job names a reservation,
// returns the request unchanged.
Shared<schedule::Request> drawn_in(const std::map<std::string, AdvanceReservation>& reservations,
                                   const Accounts& accounts, Shared<schedule::Request> request,
                                   const JobSpec& spec);

}  // namespace cox
