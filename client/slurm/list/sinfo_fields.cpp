// The columns of sinfo: Slurm's letters, names and heads, and the text of each column for a row.
#include <algorithm>
#include <array>
#include <limits>
#include <ranges>

#include "client/show/show_words.h"
#include "client/slurm/list/sinfo_rows.h"
#include "client/text/moments.h"
#include "client/text/node_state.h"
#include "client/text/time_style.h"
#include "common/base/hostlist.h"

namespace cox {
namespace sinfo_field {
namespace {

using V = SinfoRow;
using F = FieldView;

std::string number(std::int64_t value) {
  return std::to_string(value);
}

template <char... text>
std::string always(const V&, const F&) {
  return {text...};
}
constexpr auto null = always<'(', 'n', 'u', 'l', 'l', ')'>;
constexpr auto zero = always<'0'>;
constexpr auto one = always<'1'>;
constexpr auto all = always<'a', 'l', 'l'>;

std::string joined_by_comma(const std::vector<std::string>& words, const char* none) {
  return words.empty() ? none : joined(words, ",");
}

// Returns the least value among the nodes of a row: "64", or "64+" if some nodes have more.
template <std::int64_t (*of_node)(const NodeView&)>
std::string least(const V& v, const F&) {
  if (v.nodes.empty()) return "0";
  const auto value = [](const NodeView* node) { return of_node(*node); };
  const auto [low, high] = std::ranges::minmax(v.nodes, {}, value);
  return number(value(low)) + (value(low) < value(high) ? "+" : "");
}

template <std::int64_t (*of_node)(const NodeView&)>
SortKey by_least(const V& v) {
  if (v.nodes.empty()) return std::int64_t{0};
  return of_node(
      **std::ranges::min_element(v.nodes, {}, [](auto* each) { return of_node(*each); }));
}

// Returns the text of the row's first node, for columns in which the nodes of a row do not differ.
template <std::string (*of_node)(const NodeView&, const F&)>
std::string first(const V& v, const F& f) {
  return v.nodes.empty() ? "" : of_node(*v.nodes.front(), f);
}

template <auto text>
SortKey by(const V& v) {
  return text(v, {});
}

std::int64_t cpus_of(const NodeView& node) {
  return node.node.total.cpus;
}
std::int64_t memory_of(const NodeView& node) {
  return node.node.total.memory_mb;
}
std::int64_t weight_of(const NodeView& node) {
  return node.node.weight;
}

std::int64_t cpu_load_of(const NodeLoad& load) {
  return load.cpu_load_percent;
}
std::int64_t free_memory_of(const NodeLoad& load) {
  return load.free_memory_mb;
}

// Sort key: the load of a node. As in Slurm, a node with unknown load comes last.
template <std::int64_t (*of_load)(const NodeLoad&)>
std::int64_t load_or_most(const NodeView* node) {
  return node->load ? of_load(*node->load) : std::numeric_limits<std::int64_t>::max();
}

// Returns the least and the highest load of the nodes of a row, "0.50-2.00"; if equal, "0.50".
template <std::int64_t (*of_load)(const NodeLoad&),
          std::string (*text_of)(const std::optional<NodeLoad>&)>
std::string load_range(const V& v, const F&) {
  if (v.nodes.empty()) return text_of(std::nullopt);
  const auto [low, high] = std::ranges::minmax_element(v.nodes, {}, load_or_most<of_load>);
  const std::string least = text_of((*low)->load);
  const std::string most = text_of((*high)->load);
  return least == most ? least : least + "-" + most;
}

template <std::int64_t (*of_load)(const NodeLoad&)>
SortKey by_load(const V& v) {
  if (v.nodes.empty()) return std::numeric_limits<std::int64_t>::max();
  return std::ranges::min(v.nodes | std::views::transform(load_or_most<of_load>));
}

std::string sockets(const V& v, const F& f) {
  return least<cpus_of>(v, f) + ":1:1";
}

std::string features_of(const NodeView& node, const F&) {
  return joined_by_comma(node.node.features, "(null)");
}
std::string host_of(const NodeView& node, const F&) {
  return node.node.name;
}
std::string address_of(const NodeView& node, const F&) {
  return node.node.address;
}
std::string version_of(const NodeView& node, const F&) {
  return node.node.version;
}
std::string gres_text(const NodeView& node, const F&) {
  return gres_of(node);
}
std::string gres_used_text(const NodeView& node, const F&) {
  return gres_used_of(node);
}
std::string reason_of(const NodeView& node, const F&) {
  return node.node.reason.empty() ? "none" : node.node.reason;
}
std::string reason_time(const NodeView& node, const F& f) {
  if (node.node.reason.empty() || node.node.changed == Wall{}) return "Unknown";
  return styled_moment(node.node.changed, f.time_style, f.screen);
}
std::string reservations_of(const NodeView& node, const F&) {
  return joined_by_comma(node.reservations, "");
}

std::string reason_user_of(const V& v, const F&) {
  const bool is_known = !v.nodes.empty() && !v.nodes.front()->node.reason_by.empty();
  return is_known ? reason_user(v.nodes.front()->node) : "Unknown";
}
std::string compact_state(const V& v, const F&) {
  return v.nodes.empty() ? "n/a" : compact_name(node_state(*v.nodes.front()));
}
std::string long_state(const V& v, const F&) {
  return v.nodes.empty() ? "n/a" : long_name(node_state(*v.nodes.front()));
}
std::string whole_state(const V& v, const F&) {
  return v.nodes.empty() ? "n/a" : flags_name(node_state(*v.nodes.front()));
}
SortKey by_state(const V& v) {
  return v.nodes.empty() ? 0 : rank_of(node_state(*v.nodes.front()));
}

std::string node_names(const V& v, const F&) {
  std::vector<std::string> names;
  for (const NodeView* view : v.nodes) names.push_back(view->node.name);
  return node_list_text(names);
}

// Sort key: the name of the row's first node. Numbers in names compare by value: n2 before n10.
SortKey by_first_node(const V& v) {
  if (v.nodes.empty()) return std::string();
  std::string key;
  const std::string& name = v.nodes.front()->node.name;
  for (std::size_t i = 0; i < name.size();) {
    std::size_t digits = 0;
    while (i + digits < name.size() && name[i + digits] >= '0' && name[i + digits] <= '9') ++digits;
    if (digits > 0 && digits < 20) key.append(20 - digits, '0');
    const std::size_t taken = std::max<std::size_t>(digits, 1);
    key.append(name, i, taken);
    i += taken;
  }
  return key;
}

std::string partition_mark(const V& v, const F&) {
  return v.partition->name + (v.partition->is_default ? "*" : "");
}
std::string partition_name(const V& v, const F&) {
  return v.partition->name;
}
std::string available(const V& v, const F&) {
  return availability(*v.partition);
}
std::string groups(const V& v, const F&) {
  return joined_by_comma(v.partition->allow_groups, "all");
}
std::string limit(const V& v, const F&) {
  const std::int64_t limit_s = v.partition->time_limit_max_s;
  return limit_s == 0 ? "infinite" : slurm_clock_text(limit_s);
}
std::string default_limit(const V& v, const F&) {
  const std::int64_t limit_s = v.partition->time_limit_default_s;
  return limit_s == 0 ? "n/a" : slurm_clock_text(limit_s);
}
std::string job_size(const V& v, const F&) {
  const std::int64_t least_nodes = std::max<std::int64_t>(1, v.partition->min_nodes);
  const std::int64_t most = v.partition->max_nodes;
  if (most == least_nodes) return number(most);
  return number(least_nodes) + "-" + (most == 0 ? "infinite" : number(most));
}
std::string shares(const V& v, const F&) {
  return v.partition->exclusive ? "EXCLUSIVE" : "NO";
}
std::string preempt_mode(const V& v, const F&) {
  return preempt_mode_name(*v.partition);
}
std::string priority_tier(const V& v, const F&) {
  return number(v.partition->priority_tier);
}
std::string priority_factor(const V& v, const F&) {
  return number(std::max<std::int64_t>(1, v.partition->priority));
}
SortKey by_partition_number(const V& v) {
  return v.partition_number;
}

std::string four(const SinfoCounts& c) {
  return number(c.allocated) + "/" + number(c.idle) + "/" + number(c.other) + "/" + number(c.total);
}
std::string cpu_states(const V& v, const F&) {
  return four(cpu_counts(v));
}
std::string node_states(const V& v, const F&) {
  return four(node_counts(v));
}
std::string busy_and_idle(const V& v, const F&) {
  const SinfoCounts counts = node_counts(v);
  return number(counts.allocated) + "/" + number(counts.idle);
}
std::string node_count(const V& v, const F&) {
  return number(std::ssize(v.nodes));
}
std::string memory_used(const V& v, const F&) {
  std::int64_t sum = 0;
  for (const NodeView* node : v.nodes) sum += node->memory_mb_used;
  return number(sum);
}

constexpr auto unlimited = always<'U', 'N', 'L', 'I', 'M', 'I', 'T', 'E', 'D'>;
constexpr auto no = always<'n', 'o'>;
constexpr auto none_or_cluster =
    +[](const V&, const F& f) { return f.cluster.empty() ? std::string("N/A") : f.cluster; };
constexpr Apart parts = Apart::Partitions;
constexpr Apart nodes = Apart::Nodes;
constexpr Apart sizes = Apart::NodesIfExact;
constexpr Uncut head = Uncut::Head;
constexpr Uncut cut = Uncut::None;

SortKey by_nodes(const V& v) {
  return std::ssize(v.nodes);
}
SortKey by_limit(const V& v) {
  const std::int64_t limit_s = v.partition->time_limit_max_s;
  return limit_s == 0 ? std::int64_t{1} << 40 : limit_s;
}
SortKey by_tier(const V& v) {
  return v.partition->priority_tier;
}
SortKey by_time(const V& v) {
  const bool has_reason = !v.nodes.empty() && !v.nodes.front()->node.reason.empty();
  return has_reason ? to_ms(v.nodes.front()->node.changed) : 0;
}

// clang-format off
constexpr auto table = std::to_array<Field<V>>({
  {'a', "Available", "AVAIL", available, by<available>, cut, parts},
  {0, "AllocMem", "ALLOCMEM", memory_used},
  {'A', "NodeAI", "NODES(A/I)", busy_and_idle, by_nodes},
  {'b', "features_act", "ACTIVE_FEATURES", first<features_of>, by<first<features_of>>, cut, nodes},
  {'B', "MaxCPUsPerNode", "MAX_CPUS_PER_NODE", unlimited},
  {'c', "CPUs", "CPUS", least<cpus_of>, by_least<cpus_of>, cut, sizes},
  {'C', "CPUsState", "CPUS(A/I/O/T)", cpu_states, by_least<cpus_of>},
  {0, "Comment", "COMMENT", null},
  {'d', "Disk", "TMP_DISK", zero, by<zero>},
  {'D', "Nodes", "NODES", node_count, by_nodes},
  {'e', "FreeMem", "FREE_MEM", load_range<free_memory_of, free_memory_text>,
   by_load<free_memory_of>, cut, sizes},
  {'E', "Reason", "REASON", first<reason_of>, by<first<reason_of>>, cut, nodes},
  {0, "Extra", "EXTRA", null},
  {'f', "Features", "AVAIL_FEATURES", first<features_of>, by<first<features_of>>, cut, nodes},
  {'F', "NodeAIOT", "NODES(A/I/O/T)", node_states, by_nodes},
  {'g', "Groups", "GROUPS", groups, by<groups>, cut, parts},
  {'G', "Gres", "GRES", first<gres_text>, by<first<gres_text>>, cut, nodes},
  {0, "GresUsed", "GRES_USED", first<gres_used_text>, nullptr, cut, nodes},
  {'h', "OverSubscribe", "OVERSUBSCRIBE", shares, by<shares>, cut, parts},
  {0, "Share", "OVERSUBSCRIBE", shares, nullptr, cut, parts},
  {'H', "TimeStamp", "TIMESTAMP", first<reason_time>, by_time, cut, nodes},
  {'i', "Reservation", "RESERVATION", first<reservations_of>, by<first<reservations_of>>, cut,
   nodes},
  {'I', "PriorityJobFactor", "PRIO_JOB_FACTOR", priority_factor, by_tier, cut, parts},
  {'l', "Time", "TIMELIMIT", limit, by_limit, cut, parts},
  {'L', "DefaultTime", "DEFAULTTIME", default_limit, by<default_limit>, cut, parts},
  {'m', "Memory", "MEMORY", least<memory_of>, by_least<memory_of>, cut, sizes},
  {'M', "PreemptMode", "PREEMPT_MODE", preempt_mode, by<preempt_mode>, cut, parts},
  {'n', "NodeHost", "HOSTNAMES", first<host_of>, by_first_node, head, nodes},
  {'N', "NodeList", "NODELIST", node_names, by_first_node, head},
  {'o', "NodeAddr", "NODE_ADDR", first<address_of>, by<first<address_of>>, head, nodes},
  {'O', "CPUsLoad", "CPU_LOAD", load_range<cpu_load_of, cpu_load_text>, by_load<cpu_load_of>, cut,
   sizes},
  {'p', "PriorityTier", "PRIO_TIER", priority_tier, by_tier, cut, parts},
  {'P', "Partition", "PARTITION", partition_mark, by<partition_name>, cut, parts},
  {0, "Port", "PORT", zero},
  {'r', "Root", "ROOT", no, by<no>},
  {'R', "PartitionName", "PARTITION", partition_name, by<partition_name>, cut, parts},
  {'s', "Size", "JOB_SIZE", job_size, by<job_size>, cut, parts},
  {'S', "AllocNodes", "ALLOCNODES", all, by<all>},
  {'t', "StateCompact", "STATE", compact_state, by_state, cut, nodes},
  {'T', "StateLong", "STATE", long_state, by_state, cut, nodes},
  {0, "StateComplete", "STATECOMPLETE", whole_state, nullptr, cut, nodes},
  {'u', "User", "USER", reason_user_of, by<reason_user_of>, cut, nodes},
  {'U', "UserLong", "USER", reason_user_of, by<reason_user_of>, cut, nodes},
  {'v', "Version", "VERSION", first<version_of>, by<first<version_of>>, cut, nodes},
  {'V', "Cluster", "CLUSTER", none_or_cluster, by<none_or_cluster>},
  {'w', "Weight", "WEIGHT", least<weight_of>, by_least<weight_of>, cut, sizes},
  {'X', "Sockets", "SOCKETS", least<cpus_of>, by_least<cpus_of>, cut, sizes},
  {'Y', "Cores", "CORES", one, by<one>},
  {'z', "SocketCoreThread", "S:C:T", sockets, by_least<cpus_of>, cut, sizes},
  {'Z', "Threads", "THREADS", one, by<one>},
  {'#', "", "", zero, by_partition_number},  // -S "#P": partitions in the order of coxswain.toml
});
// clang-format on

}  // namespace
}  // namespace sinfo_field

std::span<const Field<SinfoRow>> sinfo_fields() {
  return sinfo_field::table;
}

}  // namespace cox
