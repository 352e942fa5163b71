// What clients ask of advance reservations and are answered; client_messages.h has the rest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/cluster/advance_reservation.h"

namespace cox {

enum class ReservationVerb : std::uint8_t { Create, Update, Delete };

struct ActOnReservation {
  static constexpr int tag = 76;
  ReservationVerb verb = ReservationVerb::Create;
  std::string name;
  std::vector<std::string> settings;  // "Nodes=n[1-2]" (advance_reservation.h)
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.verb, self.name, self.settings);
  }
};

struct ListReservations {
  static constexpr int tag = 77;
  template <class Self, class Visit>
  static void fields(Self&, Visit&& visit) {
    visit();
  }
};

struct ReservationView {
  AdvanceReservation reservation;
  bool active = false;         // it is on
  std::vector<JobId> running;  // jobs in it, or drawn into it
  std::vector<JobId> waiting;  // that asked for it by name
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.reservation, self.active, self.running, self.waiting);
  }
};

struct ReservationList {
  static constexpr int tag = 97;
  std::vector<ReservationView> reservations;  // by name
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.reservations);
  }
};

}  // namespace cox
