#include "client/show/show_nodes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "client/show/show_partitions.h"
#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "client/text/node_state.h"
#include "client/text/table.h"
#include "common/cluster/gpu_islands.h"
#include "common/resources/gres.h"

namespace cox {
namespace {

Colour node_colour(const NodeView& view) {
  if (!view.node.responding || view.node.set_down) return Colour::Red;
  if (view.node.drained) return Colour::Yellow;
  return view.jobs.empty() ? Colour::None : Colour::Green;
}

std::string used_of(std::int64_t used, std::int64_t total) {
  return std::to_string(used) + "/" + std::to_string(total);
}

std::string gpu_text(const NodeView& view) {
  if (view.node.total.gpus.empty()) return "-";
  std::string type = view.node.total.gpus.front().type;
  for (const auto& gpu : view.node.total.gpus)
    if (gpu.type != type) type = "mixed";
  return used_of(view.gpus_used, std::ssize(view.node.total.gpus)) +
         (type.empty() ? "" : " " + type);
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ",") + word;
  return out;
}

std::string jobs_text(const NodeView& view) {
  return joined(names_of_jobs(view.jobs, view.job_names));
}

// Returns used and total numbers of GRES by name, for example "1/2 fpga, 0/4 nic". Adds up the
// types of a GRES, since a job that requests no type may hold any of them.
std::string gres_text(const NodeView& view) {
  std::vector<std::string> names;
  for (const GresCount& gres : view.node.total.gres)
    if (std::ranges::find(names, gres.name) == names.end()) names.push_back(gres.name);
  std::string out;
  for (const std::string& name : names) {
    const auto sum = [&name](const std::vector<GresCount>& all) {
      std::int64_t count = 0;
      for (const GresCount& gres : all) count += gres.name == name ? gres.count : 0;
      return count;
    };
    out += (out.empty() ? "" : ", ") + used_of(sum(view.gres_used), sum(view.node.total.gres)) +
           " " + name;
  }
  return out;
}

// Returns the CPU load and free memory that the node last reported, and when: "1.50 in the last
// minute, 2.0 GiB of memory free, 3 s ago". Empty if there is no report.
std::string load_text(const NodeView& view, const Screen& screen) {
  if (!view.load) return "";
  return cpu_load_text(view.load) + " in the last minute, " +
         memory_text(view.load->free_memory_mb) + " of memory free, " +
         ago_text(view.load_at, screen);
}

std::string state_note(const NodeView& view) {
  if (view.node.responding && view.node.reason.empty() && !view.reservations.empty())
    return "reserved: " + joined(view.reservations);
  if (view.node.responding) return view.node.reason;
  if (view.beats_to_return > 0)
    return "responds again; it is used after " + std::to_string(view.beats_to_return) +
           (view.beats_to_return == 1 ? " more good heartbeat" : " more good heartbeats") +
           (view.node.drained ? ": " + view.node.reason : "");
  std::string note = view.silent_ms < 0 ? "not heard since this controller leads"
                                        : "silent for " + duration_text(view.silent_ms);
  // "Not responding" is the reason that the controller gives a silent node.
  if (!view.node.reason.empty() && view.node.reason != "Not responding")
    note += ": " + view.node.reason;
  return note;
}

std::string note_text(const NodeView& view) {
  if (view.second_worker.empty()) return state_note(view);
  const std::string note = state_note(view);
  return (note.empty() ? "" : note + "; ") + "a second worker of this name, at " +
         view.second_worker + ", is not served";
}

}  // namespace

std::string show_nodes(const NodeList& list, const Screen& screen) {
  if (list.nodes.empty()) return "No nodes have registered yet.\n";
  const bool has_gres = std::ranges::any_of(
      list.nodes, [](const NodeView& view) { return !view.node.total.gres.empty(); });
  std::vector<std::string> heads{"NODE", "STATE", "CPUS", "MEMORY", "GPUS"};
  if (has_gres) heads.emplace_back("GRES");
  heads.insert(heads.end(), {"FEATURES", "JOBS", "NOTE"});
  Table table(std::move(heads));
  table.right(2).right(3).wraps();
  const std::size_t features = has_gres ? 6 : 5;
  table.leaves(features, 1).leaves(3, 3);
  if (has_gres) table.leaves(5, 2);
  for (const auto& view : list.nodes) {
    std::vector<Cell> cells{
        view.node.name,
        {node_state_text(view), node_colour(view)},
        used_of(view.cpus_used, view.node.total.cpus),
        memory_text(view.memory_mb_used) + " / " + memory_text(view.node.total.memory_mb),
        gpu_text(view)};
    if (has_gres) cells.emplace_back(view.node.total.gres.empty() ? "-" : gres_text(view));
    for (const std::string& text : {joined(view.node.features), jobs_text(view), note_text(view)})
      cells.emplace_back(text);
    table.row(std::move(cells));
  }
  const std::string closed = closed_partitions_text(list, screen);
  return table.text(screen.colour, screen.width) + (closed.empty() ? "" : "\n" + closed);
}

std::string show_node(const NodeView& view, const Screen& screen) {
  const Node& node = view.node;
  return named_lines({{"node", node.name},
                      {"state", node_state_text(view)},
                      {"note", note_text(view)},
                      {"changed", node.changed == Wall{} ? "" : ago_text(node.changed, screen)},
                      {"cpus", used_of(view.cpus_used, node.total.cpus) + " used"},
                      {"memory", memory_text(view.memory_mb_used) + " of " +
                                     memory_text(node.total.memory_mb) + " used"},
                      {"load", load_text(view, screen)},
                      {"gpus", node.total.gpus.empty() ? "" : gpu_text(view) + " used"},
                      {"gpu links", format_gpu_islands(node.total.gpus)},
                      {"gres", node.total.gres.empty() ? "" : format_gres({{}, node.total.gres})},
                      {"gres used", gres_text(view)},
                      {"features", joined(node.features)},
                      {"partitions", joined(view.partitions)},
                      {"weight", node.weight == 1 ? "" : std::to_string(node.weight)},
                      {"reservations", joined(view.reservations)},
                      {"jobs", jobs_text(view)},
                      {"address", node.address},
                      {"logs at", node.log_endpoint},
                      {"version", node.version},
                      {"boot id", node.boot_id}},
                     screen.colour);
}

}  // namespace cox
