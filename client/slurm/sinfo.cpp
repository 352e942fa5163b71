#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "client/moments.h"
#include "client/show.h"
#include "client/slurm/answers.h"
#include "common/hostlist.h"
#include "common/text.h"

namespace cox {
namespace {

// Partition, availability, limit, number of nodes, state, node list: sinfo's default columns.
std::string line(const std::string& partition, const std::string& available,
                 const std::string& limit, const std::string& count, const std::string& state,
                 const std::string& nodes) {
  std::array<char, 128> fixed{};
  std::snprintf(fixed.data(), fixed.size(), " %5.5s %10.10s %6.6s %6.6s ", available.c_str(),
                limit.c_str(), count.c_str(), state.c_str());
  std::string first = partition;
  first.resize(std::max<std::size_t>(9, first.size()), ' ');
  return first + fixed.data() + nodes + "\n";
}

// One that its hours close takes jobs and starts none, as one that is down.
std::string available_text(const PartitionView& partition) {
  switch (partition.state) {
    case PartitionState::Up: return partition.closed ? "down" : "up";
    case PartitionState::Down: return "down";
    case PartitionState::Drain: return "drain";
    case PartitionState::Inactive: return "inact";
  }
  return "";
}

std::string partition_lines(const NodeList& list, const PartitionView& partition, bool is_default) {
  std::map<std::string, std::vector<std::string>> by_state;
  for (const auto& view : list.nodes)
    if (std::ranges::find(view.partitions, partition.name) != view.partitions.end())
      by_state[node_state_text(view)].push_back(view.node.name);
  const std::string shown = printable(partition.name) + (is_default ? "*" : "");
  const std::int64_t limit_s = partition.time_limit_max_s;
  const std::string limit = limit_s == 0 ? "infinite" : slurm_clock_text(limit_s);
  const std::string available = available_text(partition);
  if (by_state.empty()) return line(shown, available, limit, "0", "n/a", "");
  std::string out;
  for (auto& [state, names] : by_state) {
    sort_hostnames(names);
    out +=
        line(shown, available, limit, std::to_string(names.size()), state, node_list_text(names));
  }
  return out;
}

}  // namespace

Question ask_sinfo(const Options&) {
  return ListNodes{};
}

Shown show_sinfo(const Answer& answer, const Options& options, const Screen&) {
  const auto* list = std::get_if<NodeList>(&answer);
  if (list == nullptr) return {"", "slurm_load_node error: Unexpected message\n", exit_refused};
  Shown shown;
  if (!options.no_header)
    shown.out = line("PARTITION", "AVAIL", "TIMELIMIT", "NODES", "STATE", "NODELIST");
  for (std::size_t i = 0; i < list->partitions.size(); ++i)
    if (options.partition.empty() || options.partition == list->partitions[i].name)
      shown.out += partition_lines(*list, list->partitions[i], i == 0);
  return shown;
}

}  // namespace cox
