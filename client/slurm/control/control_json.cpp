#include "client/slurm/control/control_json.h"

#include <algorithm>
#include <cctype>

#include "client/show/show_words.h"
#include "client/slurm/control/records.h"
#include "client/slurm/list/slurm_json.h"
#include "client/slurm/text/json_document.h"
#include "client/text/node_state.h"
#include "common/base/hostlist.h"
#include "common/cluster/reservation_flags.h"

namespace cox {
namespace {

using namespace slurm_json;

bool is_wanted(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::ranges::find(wanted, name) != wanted.end();
}

void add_sizes(Json& json, const NodeView& view) {
  const NodeResources& total = view.node.total;
  json["boards"] = 1;
  json["sockets"] = total.cpus;
  json["cores"] = 1;
  json["threads"] = 1;
  json["cpus"] = total.cpus;
  json["effective_cpus"] = total.cpus;
  json["alloc_cpus"] = view.cpus_used;
  json["alloc_idle_cpus"] = total.cpus - view.cpus_used;
  json["cpu_load"] = view.load ? view.load->cpu_load_percent : 0;
  json["real_memory"] = total.memory_mb;
  json["alloc_memory"] = view.memory_mb_used;
  json["free_mem"] = set_if(view.load.has_value(), view.load ? view.load->free_memory_mb : 0);
  json["temporary_disk"] = 0;
  json["weight"] = view.node.weight;
  json["gres"] = gres_text_of(total);
  json["tres"] =
      tres_counts_text({total.cpus, total.memory_mb, 0, total.cpus, std::ssize(total.gpus)});
  json["tres_used"] = tres_counts_text({view.cpus_used, view.memory_mb_used, 0, 0, view.gpus_used});
}

Json node_json(const NodeView& view, const std::string& cluster) {
  const Node& node = view.node;
  Json json;
  json["architecture"] = "";
  json["boot_time"] = unset();
  json["cluster_name"] = cluster;
  add_sizes(json, view);
  json["features"] = words(node.features);
  json["active_features"] = words(node.features);
  json["last_busy"] = moment(node.changed);
  json["mcs_label"] = "";
  json["name"] = node.name;
  json["address"] = node.address;
  json["hostname"] = node.name;
  json["state"] = words(names_of(node_state(view)));
  json["next_state_after_reboot"] = Json::array();
  json["operating_system"] = "Linux";
  json["owner"] = "";
  json["partitions"] = words(view.partitions);
  json["comment"] = "";
  json["reason"] = node.reason;
  json["reason_changed_at"] = node.reason.empty() ? unset() : moment(node.changed);
  json["reason_set_by_user"] = reason_user(node);
  json["reservation"] = joined(view.reservations, ",");
  json["slurmd_start_time"] = unset();
  json["version"] = node.version;
  return json;
}

// The nodes of a partition or reservation: their names, and the sums of their TRES.
struct Sum {
  std::vector<std::string> names;
  TresCounts counts;
};

Sum sum_of(const NodeList& list, auto has) {
  Sum sum;
  for (const NodeView& view : list.nodes) {
    if (!has(view)) continue;
    sum.names.push_back(view.node.name);
    sum.counts.cpus += view.node.total.cpus;
    sum.counts.memory_mb += view.node.total.memory_mb;
    sum.counts.gpus += std::ssize(view.node.total.gpus);
  }
  sum.counts.nodes = std::ssize(sum.names);
  sum.counts.billing = sum.counts.cpus;
  return sum;
}

Json full_partition_json(const PartitionView& p, const NodeList& list, const std::string& cluster) {
  const Sum sum = sum_of(list, [&](const NodeView& view) {
    return std::ranges::find(view.partitions, p.name) != view.partitions.end();
  });
  Json json = partition_json(p);
  json["nodes"] = {{"allowed_allocation", ""},
                   {"configured", compress_hostlist(sum.names)},
                   {"total", sum.counts.nodes}};
  json["alternate"] = "";
  json["tres"] = {{"billing_weights", p.tres_billing_weights},
                  {"configured", tres_counts_text(sum.counts)}};
  json["cluster"] = cluster;
  json["cpus"] = {{"task_binding", 0}, {"total", sum.counts.cpus}};
  json["defaults"]["partition_memory_per_cpu"] =
      set_if(p.memory_mb_per_cpu_default > 0, p.memory_mb_per_cpu_default);
  json["defaults"]["job"] = "";
  json["grace_time"] = 0;
  json["maximums"]["partition_memory_per_node"] =
      set_if(p.max_memory_mb_per_node > 0, p.max_memory_mb_per_node);
  return json;
}

Json reservation_json(const AdvanceReservation& r, const NodeList& list) {
  const Sum sum = sum_of(list, [&](const NodeView& view) {
    return std::ranges::find(r.nodes, view.node.name) != r.nodes.end();
  });
  // PURGE_COMP is listed without its idle time, which has the key "purge_completed".
  Json flags = Json::array();
  for (const ReservationFlag& flag : reservation_flags())
    if (flag.is_set(r)) flags.push_back(std::string(flag.shown));
  if (!r.nodes_asked.empty()) flags.push_back("SPEC_NODES");
  return {{"accounts", joined(r.accounts, ",")},
          {"burst_buffer", ""},
          {"core_count", sum.counts.cpus},
          {"core_specializations", Json::array()},
          {"end_time", moment(r.end)},
          {"features", r.features},
          {"flags", flags},
          {"groups", ""},
          {"licenses", ""},
          {"max_start_delay", 0},
          {"name", r.name},
          {"node_count", sum.counts.nodes},
          {"node_list", compress_hostlist(sum.names)},
          {"partition", r.partition},
          {"purge_completed", {{"time", set_if(r.purge_idle_s > 0, r.purge_idle_s)}}},
          {"start_time", moment(r.begin)},
          {"watts", unset()},
          {"tres", tres_counts_text({sum.counts.cpus, 0, 0, 0, 0})},
          {"users", joined(r.users, ",")}};
}

}  // namespace

std::string json_of_nodes(const NodeList& list, const std::vector<std::string>& wanted,
                          const FieldView& view, const CommandWords& command) {
  Json all = Json::array();
  for (const NodeView& each : list.nodes)
    if (is_wanted(wanted, each.node.name)) all.push_back(node_json(each, view.cluster));
  return document(command, "nodes", std::move(all), view.cluster, view.screen.now);
}

std::string json_of_partitions(const NodeList& list, const std::vector<std::string>& wanted,
                               const FieldView& view, const CommandWords& command) {
  Json all = Json::array();
  for (const PartitionView& each : list.partitions)
    if (is_wanted(wanted, each.name)) all.push_back(full_partition_json(each, list, view.cluster));
  return document(command, "partitions", std::move(all), view.cluster, view.screen.now);
}

std::string json_of_pings(const std::vector<std::string>& hosts, const std::vector<Ping>& pings,
                          Wall now) {
  Json all = Json::array();
  std::string cluster;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    all.push_back({{"hostname", hosts[i]},
                   {"pinged", pings.at(i).is_up ? "UP" : "DOWN"},
                   {"mode", i == 0 ? "primary" : "backup" + std::to_string(i)}});
    if (cluster.empty()) cluster = pings[i].cluster;
  }
  return document({"ping"}, "pings", std::move(all), cluster, now);
}

std::string json_of_licences(const LicenceList& list, const std::vector<std::string>& wanted,
                             const FieldView& view, const CommandWords& command) {
  Json all = Json::array();
  for (const LicenceView& each : list.licences)
    if (is_wanted(wanted, each.name))
      all.push_back({{"LicenseName", each.name},
                     {"Total", each.total},
                     {"Used", each.used},
                     {"Free", each.total - each.used},
                     {"Remote", false},
                     {"Reserved", 0},
                     {"LastConsumed", 0},
                     {"LastDeficit", 0},
                     {"LastUpdate", 0}});
  return document(command, "licenses", std::move(all), view.cluster, view.screen.now);
}

std::string json_of_steps(const std::vector<StepFacts>& steps, const FieldView& view,
                          const CommandWords& command) {
  Json all = Json::array();
  for (const StepFacts& each : steps)
    all.push_back({{"step", {{"id", each.id}, {"name", each.name}}},
                   {"state", words({each.state})},
                   {"partition", each.partition},
                   {"user", {{"id", each.uid}}},
                   {"time", {{"start", moment(each.started)}, {"limit", minutes(each.limit_s)}}},
                   {"nodes",
                    {{"count", each.nodes.size()},
                     {"range", node_list_text(each.nodes)},
                     {"list", words(each.nodes)}}},
                   {"CPU", {{"count", each.cpus}}},
                   {"tasks", {{"count", each.tasks}}},
                   {"task", {{"distribution", each.distribution}}},
                   {"tres", {{"allocated", each.tres}}}});
  return document(command, "steps", std::move(all), view.cluster, view.screen.now);
}

std::string json_of_config(const std::vector<std::pair<std::string, std::string>>& values,
                           const FieldView& view, const CommandWords& command) {
  Json all = Json::object();
  for (const auto& [name, value] : values) all[name] = value;
  return document(command, "config", std::move(all), view.cluster, view.screen.now);
}

std::string json_of_reservations(const ReservationList& list, const NodeList& nodes,
                                 const std::vector<std::string>& wanted, const FieldView& view,
                                 const CommandWords& command) {
  Json all = Json::array();
  for (const ReservationView& each : list.reservations)
    if (is_wanted(wanted, each.reservation.name))
      all.push_back(reservation_json(each.reservation, nodes));
  return document(command, "reservations", std::move(all), view.cluster, view.screen.now);
}

}  // namespace cox
