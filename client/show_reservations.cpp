#include "client/moments.h"
#include "client/show.h"

namespace cox {
namespace {

std::string jobs_text(const ReservationView& view) {
  if (view.running.empty() && view.waiting.empty()) return "";
  return std::to_string(view.running.size()) + " run, " + std::to_string(view.waiting.size()) +
         " wait";
}

}  // namespace

std::string show_reservations(const ReservationList& list, const Screen& screen) {
  if (list.reservations.empty())
    return "There are no reservations. An administrator makes one with `cox reserve create`.\n";
  Table table(
      {"RESERVATION", "STATE", "BEGINS", "ENDS", "NODES", "NODELIST", "FLAGS", "FOR", "JOBS"});
  table.right(4);
  for (const ReservationView& view : list.reservations) {
    const AdvanceReservation& r = view.reservation;
    table.row({r.name,
               {view.active ? "ACTIVE" : "INACTIVE", view.active ? Colour::Green : Colour::None},
               absolute_text(r.begin, screen),
               absolute_text(r.end, screen),
               std::to_string(r.nodes.size()),
               node_list_text(r.nodes),
               flags_text(r),
               whom_text(r),
               jobs_text(view)});
  }
  return table.text(screen.colour);
}

}  // namespace cox
