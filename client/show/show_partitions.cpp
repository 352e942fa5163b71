#include "client/show/show_partitions.h"

#include <algorithm>

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "client/text/table.h"
#include "common/base/text.h"
#include "common/base/time_format.h"

namespace cox {
namespace {

Cell state_cell(const PartitionView& p) {
  const std::string text = std::string(name(p.state)) + (p.closed ? "+CLOSED" : "");
  if (p.state == PartitionState::Up && !p.closed) return {text, Colour::Green};
  return {text, starts_jobs(p.state) ? Colour::Yellow : Colour::Red};
}

// Returns when the partition opens next, if its hours (Hours=) close it now. Empty: it is open.
std::string closed_text(const PartitionView& p, const Screen& screen) {
  return p.closed ? "closed until " + absolute_text(p.turns, screen) + " (" +
                        ago_text(p.turns, screen) + ")"
                  : "";
}

std::string note_text(const PartitionView& p, const Screen& screen) {
  const std::string closed = closed_text(p, screen);
  return p.reason + (p.reason.empty() || closed.empty() ? "" : "; ") + closed;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ",") + word;
  return out;
}

std::string time_text(std::int64_t seconds) {
  return seconds == 0 ? "infinite" : format_time_limit(seconds);
}

// Returns the settings of the partition that differ from the default, by Slurm's names.
std::string rules_text(const PartitionView& p) {
  std::string text;
  const auto add = [&text](const char* what, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : "  ") + std::string(what) + "=" + value;
  };
  const auto number = [](std::int64_t value) { return value == 0 ? "" : std::to_string(value); };
  add("DefaultTime", p.time_limit_default_s == 0 ? "" : format_time_limit(p.time_limit_default_s));
  add("MinNodes", number(p.min_nodes));
  add("MaxNodes", number(p.max_nodes));
  add("MaxMemPerNode", number(p.max_memory_mb_per_node));
  add("AllowAccounts", joined(p.allow_accounts));
  add("DenyAccounts", joined(p.deny_accounts));
  add("AllowQos", joined(p.allow_qos));
  add("DenyQos", joined(p.deny_qos));
  add("AllowGroups", joined(p.allow_groups));
  add("QoS", p.qos);
  add("PriorityJobFactor", number(p.priority));
  add("PreemptMode", p.preempt_mode ? std::string(name(*p.preempt_mode)) : "");
  add("OverSubscribe", p.exclusive ? "EXCLUSIVE" : "");
  add("TRESBillingWeights", p.tres_billing_weights);
  add("Hours", p.hours);
  return text;
}

std::string nodes_text(const NodeList& list, const PartitionView& partition) {
  std::vector<std::string> names;
  for (const NodeView& view : list.nodes)
    if (std::ranges::find(view.partitions, partition.name) != view.partitions.end())
      names.push_back(view.node.name);
  return node_list_text(names);
}

}  // namespace

std::string show_partitions(const NodeList& list, const Screen& screen) {
  Table table({"PARTITION", "STATE", "TIER", "MAXTIME", "NODES", "RULES", "NOTE"});
  table.right(2).right(3);
  for (const PartitionView& p : list.partitions)
    table.row({p.name + (p.is_default ? "*" : ""), state_cell(p), std::to_string(p.priority_tier),
               time_text(p.time_limit_max_s), nodes_text(list, p), rules_text(p),
               note_text(p, screen)});
  return table.text(screen.colour);
}

std::string closed_partitions_text(const NodeList& list, const Screen& screen) {
  std::string out;
  for (const PartitionView& p : list.partitions) {
    if (p.state != PartitionState::Up)
      out += "Partition " + printable(p.name) + " is " + std::string(name(p.state)) +
             (p.reason.empty() ? "" : ": " + printable(p.reason)) + "\n";
    if (p.closed)
      out += "Partition " + printable(p.name) + " is " + closed_text(p, screen) + ": hours " +
             printable(p.hours) + "\n";
  }
  return out;
}

}  // namespace cox
