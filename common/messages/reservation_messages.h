// The requests of clients about advance reservations, and the replies. client_messages.h has all
// other messages of clients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/cluster/advance_reservation.h"

namespace cox {

enum class ReservationVerb : std::uint8_t { Create, Update, Delete };

struct ActOnReservation {
  static constexpr int tag = 76;
  ReservationVerb verb = ReservationVerb::Create;
  std::string name;
  std::vector<std::string> settings;  // "Nodes=n[1-2]" (advance_reservation.h)
  COX_FIELDS(verb, name, settings);
};

struct ListReservations {
  static constexpr int tag = 77;
  COX_FIELDS();
};

struct ReservationView {
  AdvanceReservation reservation;
  bool active = false;         // whether its present occurrence has begun
  std::vector<JobId> running;  // running jobs of the reservation
  std::vector<JobId> waiting;  // pending jobs that name the reservation
  COX_FIELDS(reservation, active, running, waiting);
};

struct ReservationList {
  static constexpr int tag = 97;
  std::vector<ReservationView> reservations;  // by name
  COX_FIELDS(reservations);
};

}  // namespace cox
