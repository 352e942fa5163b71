#include "client/show/show_reservations.h"

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "client/text/table.h"
#include "common/cluster/reservation_flags.h"

namespace cox {
namespace {

constexpr std::size_t name_width_least = 12;
constexpr std::size_t list_width_least = 10;

std::string ids_text(const std::vector<JobId>& jobs) {
  std::string text;
  for (const JobId id : jobs) text += (text.empty() ? "" : ", ") + std::to_string(id.value);
  return text;
}

// Returns what the reservation requests, such as NodeCnt=2. It is shown beside the nodes that the
// controller has chosen for it.
std::string asked_text(const AdvanceReservation& r) {
  std::string text;
  const auto add = [&text](const char* what, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : " ") + std::string(what) + "=" + value;
  };
  add("Nodes", r.nodes_asked);
  add("NodeCnt", r.node_count == 0 ? "" : std::to_string(r.node_count));
  add("Features", r.features);
  add("TRES", r.tres);
  add("PartitionName", r.partition);
  return text;
}

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
  table.right(4).names(0, name_width_least);
  for (const std::size_t list_column : {5, 6, 7}) table.shrinks(list_column, list_width_least);
  table.leaves(4, 1).leaves(6, 2).leaves(1, 3).leaves(3, 4);
  for (const ReservationView& view : list.reservations) {
    const AdvanceReservation& r = view.reservation;
    table.row({r.name,
               {view.active ? "ACTIVE" : "INACTIVE", view.active ? Colour::Green : Colour::None},
               absolute_text(r.begin, screen),
               absolute_text(r.end, screen),
               std::to_string(r.nodes.size()),
               node_list_text(r.nodes),
               flags_text(r),
               access_text(r),
               jobs_text(view)});
  }
  return table.text(screen.colour, screen.width);
}

std::string show_reservation(const ReservationView& view, const Screen& screen) {
  const AdvanceReservation& r = view.reservation;
  const auto moment = [&](Wall at) {
    return absolute_text(at, screen) + " (" + ago_text(at, screen) + ")";
  };
  return named_lines({{"reservation", r.name},
                      {"state", view.active ? "ACTIVE" : "INACTIVE"},
                      {"begins", moment(r.begin)},
                      {"ends", moment(r.end)},
                      {"nodes", std::to_string(r.nodes.size()) + ": " + node_list_text(r.nodes)},
                      {"asked for", asked_text(r)},
                      {"for", access_text(r)},
                      {"flags", flags_text(r)},
                      {"jobs in it", ids_text(view.running)},
                      {"jobs that wait", ids_text(view.waiting)},
                      {"changed", moment(r.changed) + " by " + r.changed_by}},
                     screen.colour);
}

}  // namespace cox
