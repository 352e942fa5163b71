#include "client/slurm/list/sinfo.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "client/show/show_reservations.h"
#include "client/show/show_words.h"
#include "client/slurm/list/sinfo_rows.h"
#include "client/slurm/list/slurm_json.h"
#include "client/slurm/list/squeue_request.h"
#include "client/slurm/text/row_order.h"
#include "client/text/time_style.h"

namespace cox {
namespace {

template <class Body>
const Body* find(const std::vector<Answer>& answers) {
  for (const Answer& answer : answers)
    if (const auto* body = std::get_if<Body>(&answer)) return body;
  return nullptr;
}

// Widens the columns of partitions and nodes to the longest name. Called only for Slurm's default
// formats.
void widen(FieldLayout& layout, const NodeList& list) {
  std::size_t longest_partition = 0;
  std::size_t longest_node = 0;
  for (const auto& each : list.partitions)
    longest_partition = std::max(longest_partition, each.name.size() + (each.is_default ? 1 : 0));
  for (const auto& each : list.nodes) longest_node = std::max(longest_node, each.node.name.size());
  for (FieldPlace& place : layout.places) {
    if (place.field < 0 || place.width == 0) continue;
    const std::string_view name = sinfo_fields()[static_cast<std::size_t>(place.field)].name;
    const std::size_t longest = name == "Partition"  ? longest_partition
                                : name == "NodeList" ? longest_node
                                                     : 0;
    place.width = std::max(place.width, static_cast<std::int64_t>(longest));
  }
}

// Returns -S, or the default order, as letters for read_order(). "#P", which sorts partitions in
// the order of coxswain.toml, becomes '#'.
std::string order_of(const SinfoRequest& request) {
  std::string order = request.sort;
  if (order.empty() && request.by_node) order = "N";
  if (order.empty()) order = request.summarize ? "#P" : "#P,-t";
  for (std::size_t at = order.find("#P"); at != std::string::npos; at = order.find("#P"))
    order.erase(at + 1, 1);
  return order;
}

Shown show_rows(const SinfoRequest& request, const NodeList& list, const FieldView& view) {
  FieldLayout layout = lay_out(request.format, request.by_names, sinfo_fields());
  if (request.widens) widen(layout, list);
  Shown shown;
  for (const std::string& unknown : layout.unknown)
    shown.err += (request.by_names ? "sinfo: error: Invalid job format specification: "
                                   : "Invalid node format specification: ") +
                 printable(unknown) + "\n";
  const bool dated = request.every_s > 0 || request.verbose > 0 || request.long_list;
  if (dated && !request.no_header) shown.out += date_line(view.screen);
  if (!request.no_header) shown.out += head_line(layout, sinfo_fields());
  std::string unsorted;
  const auto orders = read_order(order_of(request), sinfo_fields(), unsorted);
  if (!unsorted.empty()) {
    const Shown wrong = slurm_error("sinfo", "Invalid sort specification: " + unsorted);
    return {shown.out, shown.err + wrong.err, wrong.exit_code};
  }
  auto rows = sinfo_rows(request, list, layout, view);
  sort_rows(rows, orders);
  for (const SinfoRow& row : rows) add_line(shown.out, layout, sinfo_fields(), row, view);
  return shown;
}

std::string length_text(Wall begin, Wall end) {
  const std::int64_t seconds = (to_ms(end) - to_ms(begin)) / 1000;
  constexpr std::int64_t day_s = 24 * 3600;
  std::array<char, 64> text{};
  const auto part = [&](std::int64_t unit, std::int64_t of) {
    return static_cast<int>(seconds / unit % of);
  };
  std::snprintf(text.data(), text.size(), "%02d:%02d:%02d", part(3600, 24), part(60, 60),
                part(1, 60));
  return (seconds >= day_s ? std::to_string(seconds / day_s) + "-" : "") + text.data();
}

std::string to_right(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

Shown show_reservations(const SinfoRequest& request, const ReservationList& list,
                        const FieldView& view) {
  if (list.reservations.empty()) return {"No reservations in the system\n", "", exit_ok};
  std::size_t width = 9;
  for (const auto& each : list.reservations) width = std::max(width, each.reservation.name.size());
  Shown shown;
  const auto line = [&](std::string name, const std::string& state, const std::string& start,
                        const std::string& end, const std::string& span, const std::string& nodes) {
    name.resize(std::max(width, name.size()), ' ');
    shown.out += name + "  " + to_right(state, 8) + "  " + to_right(start, 19) + "  " +
                 to_right(end, 19) + "  " + to_right(span, 11) + "  " + nodes + "\n";
  };
  if (request.long_list) shown.out += date_line(view.screen);
  if (!request.no_header)
    line("RESV_NAME", "STATE", "START_TIME", "END_TIME", "DURATION", "NODELIST");
  for (const auto& each : list.reservations) {
    const AdvanceReservation& r = each.reservation;
    line(printable(r.name), each.active ? "ACTIVE" : "INACTIVE",
         styled_moment(r.begin, request.time_style, view.screen),
         styled_moment(r.end, request.time_style, view.screen), length_text(r.begin, r.end),
         node_list_text(r.nodes));
  }
  return shown;
}

Shown show(const SinfoRequest& request, const std::vector<Answer>& answers, FieldView view) {
  if (const auto* cluster = find<ClusterView>(answers)) view.cluster = cluster->name;
  if (auto wrong = refuse_other_clusters("sinfo", request.clusters, view.cluster)) return *wrong;
  view.time_style = request.time_style;
  std::string before = request.verbose > 0 ? asked_text(request) : "";
  if (!request.clusters.empty() && !request.no_header)
    before += "CLUSTER: " + printable(view.cluster) + "\n";
  Shown shown{"", "slurm_load_node error: Unexpected message\n", exit_refused};
  const auto* reservations = find<ReservationList>(answers);
  const auto* list = find<NodeList>(answers);
  if (reservations != nullptr)
    shown = show_reservations(request, *reservations, view);
  else if (list != nullptr && request.json)
    return {slurm_json_of_nodes(request, *list, view), "", exit_ok};
  else if (list != nullptr)
    shown = show_rows(request, *list, view);
  shown.out = before + shown.out;
  return shown;
}

}  // namespace

ReadListing read_sinfo(const std::vector<std::string>& words, const Surroundings& around) {
  auto read = read_sinfo_request(words, around);
  if (auto* wrong = std::get_if<Shown>(&read)) return *wrong;
  const auto request = std::make_shared<SinfoRequest>(std::get<SinfoRequest>(std::move(read)));
  Listing listing;
  listing.every_s = request->every_s;
  listing.config = request->config;
  listing.unreachable =
      "slurm_load_partitions: Unable to contact slurm controller (connect failure)";
  if (request->reservations)
    listing.questions.push_back(ListReservations{});
  else
    listing.questions.push_back(ListNodes{});
  const bool by_name = lower_case(request->format).find("cluster") != std::string::npos;
  if (!request->clusters.empty() || request->json || by_name)
    listing.questions.push_back(ShowCluster{});
  listing.show = [request](std::vector<Answer>& answers, const FieldView& view) {
    return show(*request, answers, view);
  };
  return listing;
}

}  // namespace cox
