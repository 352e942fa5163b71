// Shows the advance reservations in a table, and everything about one of them. Pure.
#pragma once

#include <string>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

std::string show_reservations(const ReservationList& list, const Screen& screen);
std::string show_reservation(const ReservationView& view, const Screen& screen);

}  // namespace cox
