#include "client/slurm/list/sinfo_rows.h"

#include <algorithm>
#include <map>

#include "client/text/node_state.h"
#include "common/base/hostlist.h"

namespace cox {
namespace {

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

// Returns whether the node is in all states of a text such as "drain&mix".
bool is_in_states(const NodeView& node, const std::string& words) {
  return std::ranges::all_of(split(words, '&'), [&](std::string_view word) {
    return is_in_state(node_state(node), word).value_or(false);
  });
}

// Returns the texts of those columns that separate rows (Field::apart), joined. Nodes with equal
// keys share a row.
std::string key_of(const SinfoRequest& request, const SinfoRow& row, const FieldLayout& layout,
                   const FieldView& view) {
  std::string key;
  for (const FieldPlace& place : layout.places) {
    if (place.field < 0) continue;
    const auto& field = sinfo_fields()[static_cast<std::size_t>(place.field)];
    const bool apart = field.apart == Apart::Partitions || field.apart == Apart::Nodes ||
                       (field.apart == Apart::NodesIfExact && request.exact);
    if (apart) key += field.text(row, view) + '\n';
  }
  return key;
}

bool shows_partitions(const FieldLayout& layout) {
  return std::ranges::any_of(layout.places, [](const FieldPlace& place) {
    if (place.field < 0) return false;
    const std::string_view name = sinfo_fields()[static_cast<std::size_t>(place.field)].name;
    return name == "Partition" || name == "PartitionName";
  });
}

class Rows {
 public:
  Rows(const SinfoRequest& request, const FieldLayout& layout, const FieldView& view)
      : request_(request), layout_(layout), view_(view) {}

  void add(const SinfoRow& row) {
    if (request_.by_node) {
      rows_.push_back(row);
      return;
    }
    const auto [at, is_new] = numbers_.emplace(key_of(request_, row, layout_, view_), rows_.size());
    if (is_new) rows_.push_back(row);
    if (is_new || row.nodes.empty()) return;
    auto& nodes = rows_[at->second].nodes;  // may have the node, from another partition
    if (std::ranges::find(nodes, row.nodes.front()) == nodes.end())
      nodes.push_back(row.nodes.front());
  }

  std::vector<SinfoRow> take() {
    for (SinfoRow& row : rows_)
      std::ranges::sort(row.nodes, host_name_before,
                        [](const NodeView* view) { return std::string_view(view->node.name); });
    return std::move(rows_);
  }

 private:
  const SinfoRequest& request_;
  const FieldLayout& layout_;
  const FieldView& view_;
  std::vector<SinfoRow> rows_;
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

bool is_wanted(const SinfoRequest& request, const NodeView& node) {
  if (!request.nodes.empty() && !has(request.nodes, node.node.name)) return false;
  if (request.dead && node.node.responding) return false;
  if (request.responding && !node.node.responding) return false;
  return request.states.empty() ||
         std::ranges::any_of(request.states,
                             [&](const std::string& words) { return is_in_states(node, words); });
}

std::vector<SinfoRow> sinfo_rows(const SinfoRequest& request, const NodeList& list,
                                 const FieldLayout& layout, const FieldView& view) {
  Rows rows(request, layout, view);
  const bool shows_empty = !request.by_node && shows_partitions(layout);
  for (std::size_t i = 0; i < list.partitions.size(); ++i) {
    const PartitionView& partition = list.partitions[i];
    if (!request.partitions.empty() && !has(request.partitions, partition.name)) continue;
    SinfoRow row{&partition, static_cast<std::int64_t>(i), {}};
    bool any = false;
    for (const NodeView& node : list.nodes) {
      if (!has(node.partitions, partition.name) || !is_wanted(request, node)) continue;
      any = true;
      row.nodes = {&node};
      rows.add(row);
    }
    row.nodes.clear();
    if (!any && shows_empty) rows.add(row);
  }
  return rows.take();
}

SinfoCounts node_counts(const SinfoRow& row) {
  SinfoCounts counts;
  for (const NodeView* node : row.nodes) {
    const NodeState state = node_state(*node);
    ++counts.total;
    if (state.drain || state.base == NodeBase::Down)
      ++counts.other;
    else
      ++(state.busy() ? counts.allocated : counts.idle);
  }
  return counts;
}

SinfoCounts cpu_counts(const SinfoRow& row) {
  SinfoCounts counts;
  for (const NodeView* node : row.nodes) {
    const NodeState state = node_state(*node);
    const std::int64_t left = std::max<std::int64_t>(0, node->node.total.cpus - node->cpus_used);
    counts.total += node->node.total.cpus;
    counts.allocated += node->cpus_used;
    (state.drain || state.base == NodeBase::Down ? counts.other : counts.idle) += left;
  }
  return counts;
}

std::string gres_of(const NodeView& node) {
  std::map<std::string, std::int64_t> gpus;
  for (const GpuDevice& gpu : node.node.total.gpus) ++gpus[gpu.type];
  std::string text;
  const auto add = [&](const std::string& name, const std::string& type, std::int64_t count) {
    text += (text.empty() ? "" : ",") + name + ":" + (type.empty() ? "" : type + ":") +
            std::to_string(count);
  };
  for (const auto& [type, count] : gpus) add("gpu", type, count);
  for (const GresCount& gres : node.node.total.gres) add(gres.name, gres.type, gres.count);
  return text.empty() ? "(null)" : text;
}

// If a node has GPUs of several types, counts them without types: the controller reports only how
// many are in use.
std::string gres_used_of(const NodeView& node) {
  const auto& all = node.node.total.gpus;
  std::string text;
  if (!all.empty()) {
    const bool one_type = std::ranges::all_of(
        all, [&](const GpuDevice& gpu) { return gpu.type == all.front().type; });
    const std::string type = one_type && !all.front().type.empty() ? all.front().type + ":" : "";
    text = "gpu:" + type + std::to_string(node.gpus_used) + "(IDX:N/A)";
  }
  for (const GresCount& gres : node.node.total.gres) {
    std::int64_t used = 0;
    for (const GresCount& each : node.gres_used)
      if (each.name == gres.name && (each.type.empty() || each.type == gres.type))
        used += each.count;
    text += (text.empty() ? "" : ",") + gres.name + ":" +
            (gres.type.empty() ? "" : gres.type + ":") + std::to_string(used);
  }
  return text.empty() ? "(null)" : text;
}

// Returns Slurm's word for the state of the partition. Outside its hours a partition is "down": it
// accepts jobs but starts none.
std::string availability(const PartitionView& partition) {
  switch (partition.state) {
    case PartitionState::Up: return partition.closed ? "down" : "up";
    case PartitionState::Down: return "down";
    case PartitionState::Drain: return "drain";
    case PartitionState::Inactive: return "inact";
  }
  return "";
}

std::string preempt_mode_name(const PartitionView& partition) {
  if (!partition.preempt_mode) return "REQUEUE";
  switch (*partition.preempt_mode) {
    case PreemptMode::Checkpoint:
    case PreemptMode::Requeue: return "REQUEUE";
    case PreemptMode::Cancel: return "CANCEL";
    case PreemptMode::Off: return "OFF";
    case PreemptMode::Suspend: return "SUSPEND";
  }
  return "";
}

}  // namespace cox
