#include "common/io/config/config_partition.h"

#include <algorithm>

#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/cluster/unknown_group.h"
#include "common/io/config/config_values.h"
#include "common/resources/gpu_wish.h"

namespace cox {
namespace {

constexpr std::int64_t priority_tier_max = 65'533;  // Slurm's maximum
constexpr std::size_t names_max = 1'000;

Result<std::vector<std::string>> parse_nodes(const std::string& text) {
  auto nodes = expand_hostlist(text);
  if (nodes) return nodes;
  return Refusal{"is not a node list: " + nodes.refusal().fact, ""};
}

Result<std::string> parse_choice(const std::string& text) {
  if (parse_preference(text)) return text;
  return Refusal{"is \"" + text + "\"; it must be \"cost\", \"speed\" or \"balanced\"", ""};
}

Result<std::string> parse_preempt_mode(const std::string& text) {
  if (preempt_mode_from(text)) return text;
  return Refusal{"is \"" + text +
                     "\"; it must be \"off\", \"cancel\", \"requeue\", \"checkpoint\" or "
                     "\"suspend\"",
                 ""};
}

Result<std::vector<std::string>> parse_names(const std::vector<std::string>& names) {
  if (names.size() > names_max)
    return Refusal{
        "has " + std::to_string(names.size()) + " names; the limit is " + std::to_string(names_max),
        ""};
  for (const auto& name : names)
    if (auto parsed = parse_name(name); !parsed) return parsed.refusal();
  return names;
}

void read_access(TableReader& table, PartitionConfig& config) {
  table.texts("allow_accounts", config.allow_accounts, parse_names);
  table.texts("deny_accounts", config.deny_accounts, parse_names);
  // Accounts are stored in lower case.
  for (auto* accounts : {&config.allow_accounts, &config.deny_accounts})
    for (std::string& name : *accounts) name = lower_case(name);
  table.texts("allow_qos", config.allow_qos, parse_names);
  table.texts("deny_qos", config.deny_qos, parse_names);
  std::vector<std::string> groups;
  table.texts("allow_groups", groups, parse_names);
  // The controller looks the groups up, in a thread of its own: a directory service may hang.
  for (const std::string& name : groups) config.allow_groups.push_back(unknown_group(name));
}

void read_limits(TableReader& table, PartitionConfig& config) {
  table.time_limit("time_limit_max", config.time_limit_max_s);
  table.time_limit("time_limit_default", config.time_limit_default_s);
  table.integer("min_nodes", config.min_nodes, 0, limits::nodes_per_job_max);
  table.integer("max_nodes", config.max_nodes, 0, limits::nodes_per_job_max);
  table.integer("memory_mb_per_cpu_default", config.memory_mb_per_cpu_default, 0,
                limits::memory_mb_per_node_max);
  table.integer("max_memory_mb_per_node", config.max_memory_mb_per_node, 0,
                limits::memory_mb_per_node_max);
  table.text("qos", config.qos, parse_name);
}

// Refuses the key OverSubscribe of Slurm. The default here is OverSubscribe=NO; the key exclusive
// has the effect of EXCLUSIVE.
void refuse_oversubscribe(TableReader& table, const toml::table& source) {
  if (source.contains("oversubscribe"))
    table.problem(
        "oversubscribe",
        "is not supported: jobs may share nodes but never CPUs, like OverSubscribe=NO; "
        "exclusive = true is like OverSubscribe=EXCLUSIVE; there is no time slicing (YES and "
        "FORCE)");
}

void read_open_hours(TableReader& table, PartitionConfig& config,
                     const std::map<std::string, WeekHours>& hours) {
  table.text("hours", config.hours, [&](const std::string& name) -> Result<std::string> {
    if (hours.contains(name)) return name;
    std::vector<std::string_view> known;
    for (const auto& [one, when] : hours) known.push_back(one);
    const std::string suggestion = did_you_mean(name, known);
    return Refusal{"is \"" + name + "\", and [hours] has no such name" +
                       (suggestion.empty() ? "" : "; " + suggestion),
                   ""};
  });
}

void check_limits(TableReader& table, const PartitionConfig& config) {
  if (config.time_limit_max_s > 0 && config.time_limit_default_s > config.time_limit_max_s)
    table.problem("time_limit_default", "is longer than time_limit_max");
  if (config.max_nodes > 0 && config.min_nodes > config.max_nodes)
    table.problem("min_nodes", "is more than max_nodes");
}

void read_partition(const toml::table& source, std::vector<PartitionConfig>& partitions,
                    const std::map<std::string, WeekHours>& hours, Problems& problems,
                    std::vector<ConfigValue>& values) {
  PartitionConfig config;
  TableReader table(source, "[[partition]]", problems, values);
  table.text("name", config.name, parse_name);
  table.text("nodes", config.nodes, parse_nodes);
  table.boolean("is_default", config.is_default);
  read_limits(table, config);
  table.integer("priority", config.priority, 0, priority_weight_max);
  table.integer("priority_tier", config.priority_tier, 0, priority_tier_max);
  read_access(table, config);
  std::string preempt_mode;
  table.text("preempt_mode", preempt_mode, parse_preempt_mode);
  config.preempt_mode = preempt_mode_from(preempt_mode);
  table.boolean("exclusive", config.exclusive);
  read_open_hours(table, config, hours);
  std::string gpu_choice;
  table.text("gpu_choice", gpu_choice, parse_choice);
  if (const auto choice = parse_preference(gpu_choice)) config.gpu_choice = *choice;
  refuse_oversubscribe(table, source);
  const bool is_readable = table.finish();
  // A partition with mistakes is kept too, so that a second one of its name is found.
  if (!config.name.empty() &&
      std::ranges::find(partitions, config.name, &PartitionConfig::name) != partitions.end())
    problems.add(line_of(*source.get("name")),
                 "[[partition]] " + quoted(config.name) + " is described twice");
  if (!is_readable) return partitions.push_back(std::move(config));
  table.require("name", "give each partition a name");
  check_limits(table, config);
  for (const auto& other : partitions) {
    if (other.is_default && config.is_default)
      table.problem("is_default",
                    "is true for '" + other.name + "' too; only one partition can be the default");
  }
  partitions.push_back(std::move(config));
}

}  // namespace

void read_partitions(const toml::table& root, std::vector<PartitionConfig>& partitions,
                     const std::map<std::string, WeekHours>& hours, Problems& problems,
                     std::vector<ConfigValue>& values) {
  if (const toml::node* node = root.get("partition")) {
    const toml::array* array = node->as_array();
    if (array == nullptr || !array->is_array_of_tables())
      return problems.add(line_of(*node), "partition must be written as [[partition]]");
    for (const toml::node& element : *array)
      read_partition(*element.as_table(), partitions, hours, problems, values);
  }
  if (partitions.empty()) partitions.emplace_back().name = "main";
  const bool chosen = std::ranges::any_of(partitions, &PartitionConfig::is_default);
  if (chosen) return;
  partitions.front().is_default = true;
  const auto shown = std::ranges::find_if(
      values, [](const auto& v) { return v.table == "[[partition]]" && v.key == "is_default"; });
  if (shown != values.end()) shown->value = {"true"};
}

}  // namespace cox
