#include "controller/change/made_partition.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/cluster/unknown_group.h"
#include "common/resources/tres_weights.h"

namespace cox {
namespace {

using Names = std::vector<std::string>;

bool is_word(std::string_view text, std::string_view word) {
  return lower_case(text) == lower_case(word);
}

Refusal invalid(std::string_view name, const std::string& value, const std::string& hint) {
  return {"Invalid " + std::string(name) + " value: " + quoted(value), hint};
}

Failure take_nodes(PartitionConfig& partition, const std::string& value) {
  partition.nodes.clear();
  if (is_word(value, "ALL")) return std::nullopt;
  auto nodes = expand_hostlist(value);
  if (!nodes) return nodes.refusal();
  partition.nodes = std::move(*nodes);
  return std::nullopt;
}

template <auto field>
Failure take_time(PartitionConfig& partition, const std::string& value) {
  const auto seconds = is_word(value, "NONE") ? Result<std::int64_t>(0) : parse_time_limit(value);
  if (!seconds) return seconds.refusal();
  partition.*field = *seconds;
  return std::nullopt;
}

template <auto field, std::int64_t most>
Failure take_count(PartitionConfig& partition, const std::string& value) {
  const auto count =
      is_word(value, "UNLIMITED") ? Result<std::int64_t>(0) : parse_count(value, 0, most);
  if (!count) return count.refusal();
  partition.*field = *count;
  return std::nullopt;
}

template <auto field>
Failure take_names(PartitionConfig& partition, const std::string& value) {
  (partition.*field).clear();
  if (is_word(value, "ALL")) return std::nullopt;
  for (const std::string_view one : split(value, ',')) {
    if (!is_host_name(one))
      return Refusal{quoted(one) + " is not a name", "separate names by commas"};
    (partition.*field).emplace_back(one);
  }
  return std::nullopt;
}

template <auto field>
Failure take_accounts(PartitionConfig& partition, const std::string& value) {
  return take_names<field>(partition, lower_case(value));  // in lower case, since account names are
}

Failure take_qos(PartitionConfig& partition, const std::string& value) {
  if (!is_host_name(value)) return invalid("QOS", value, "`cox show qos` lists them");
  partition.qos = value;
  return std::nullopt;
}

Failure take_preempt_mode(PartitionConfig& partition, const std::string& value) {
  partition.preempt_mode = preempt_mode_from(lower_case(value));
  if (partition.preempt_mode) return std::nullopt;
  return invalid("PreemptMode", value, "it may be off, cancel, requeue, checkpoint or suspend");
}

Failure take_sharing(PartitionConfig& partition, const std::string& value) {
  partition.exclusive = is_word(value, "EXCLUSIVE");
  if (partition.exclusive || is_word(value, "NO")) return std::nullopt;
  return invalid("OverSubscribe", value, "it may be NO or EXCLUSIVE: jobs never share a CPU");
}

Names groups_in(const std::string& value) {
  if (is_word(value, "ALL")) return {};
  const auto names = split(value, ',');
  return {names.begin(), names.end()};
}

void take_groups(PartitionConfig& partition, const std::string& value, const HostGroups& groups) {
  partition.allow_groups.clear();
  for (const std::string& name : groups_in(value)) {
    const auto known = groups.find(name);
    const bool is_found = known != groups.end() && known->second.has_value();
    partition.allow_groups.push_back(is_found ? *known->second : unknown_group(name));
  }
}

Failure take_billing(PartitionConfig& partition, const std::string& value) {
  auto weights = parse_tres_weights(value);
  if (!weights) return weights.refusal();
  partition.tres_billing_weights = value;
  partition.billing_weights = std::move(*weights);
  return std::nullopt;
}

enum class Changes : std::uint8_t { WhileUnused, WhileUsed };

struct Taken {
  std::string_view name;
  Failure (*take)(PartitionConfig& partition, const std::string& value);
  Changes changes = Changes::WhileUnused;
};

constexpr std::int64_t tier_max = 65'533;  // Slurm's limit

constexpr auto taken = std::to_array<Taken>({
    {"Nodes", take_nodes},
    {"MaxTime", take_time<&PartitionConfig::time_limit_max_s>, Changes::WhileUsed},
    {"DefaultTime", take_time<&PartitionConfig::time_limit_default_s>, Changes::WhileUsed},
    {"MinNodes", take_count<&PartitionConfig::min_nodes, limits::nodes_per_job_max>},
    {"MaxNodes", take_count<&PartitionConfig::max_nodes, limits::nodes_per_job_max>},
    {"MaxMemPerNode",
     take_count<&PartitionConfig::max_memory_mb_per_node, limits::memory_mb_per_node_max>},
    {"DefMemPerCPU",
     take_count<&PartitionConfig::memory_mb_per_cpu_default, limits::memory_mb_per_node_max>},
    {"PriorityTier", take_count<&PartitionConfig::priority_tier, tier_max>},
    {"AllowAccounts", take_accounts<&PartitionConfig::allow_accounts>, Changes::WhileUsed},
    {"DenyAccounts", take_accounts<&PartitionConfig::deny_accounts>, Changes::WhileUsed},
    {"AllowQOS", take_names<&PartitionConfig::allow_qos>, Changes::WhileUsed},
    {"DenyQOS", take_names<&PartitionConfig::deny_qos>, Changes::WhileUsed},
    {"QOS", take_qos},
    {"PreemptMode", take_preempt_mode},
    {"OverSubscribe", take_sharing},
    {"Shared", take_sharing},
    {"TRESBillingWeights", take_billing, Changes::WhileUsed},
});
constexpr std::string_view groups_name = "AllowGroups";

// A setting of Slurm that is accepted only with the value that describes what Coxswain does anyway.
struct Neutral {
  std::string_view name;
  std::string_view value;
};

constexpr auto neutral = std::to_array<Neutral>({{"Default", "NO"},
                                                 {"Hidden", "NO"},
                                                 {"RootOnly", "NO"},
                                                 {"ReqResv", "NO"},
                                                 {"LLN", "NO"},
                                                 {"DisableRootJobs", "NO"},
                                                 {"ExclusiveUser", "NO"},
                                                 {"AllocNodes", "ALL"},
                                                 {"GraceTime", "0"}});

Failure take(PartitionConfig& partition, const std::string& name, const std::string& value,
             const HostGroups& groups) {
  if (is_word(name, groups_name)) {
    take_groups(partition, value, groups);
    return std::nullopt;
  }
  for (const Taken& one : taken)
    if (is_word(name, one.name)) return one.take(partition, value);
  for (const Neutral& one : neutral)
    if (is_word(name, one.name)) {
      if (is_word(value, one.value)) return std::nullopt;
      return invalid(one.name, value,
                     "a partition made at run time can only have " + std::string(one.value) +
                         "; other values need a [[partition]] in the configuration");
    }
  std::vector<std::string_view> names = {groups_name};
  for (const Taken& one : taken) names.push_back(one.name);
  return Refusal{"Update of this parameter is not supported: " + printable(name),
                 did_you_mean(name, names)};
}

// Returns the name and the value of a setting: "MaxTime" and "60" of "MaxTime=60".
NamedValue parted(const std::string& setting) {
  const std::size_t equals = std::min(setting.find('='), setting.size());
  return {setting.substr(0, equals), equals < setting.size() ? setting.substr(equals + 1) : ""};
}

Failure check_limits(const PartitionConfig& partition) {
  if (partition.time_limit_max_s > 0 && partition.time_limit_default_s > partition.time_limit_max_s)
    return Refusal{"DefaultTime is longer than MaxTime", "shorten DefaultTime or raise MaxTime"};
  if (partition.max_nodes > 0 && partition.min_nodes > partition.max_nodes)
    return Refusal{"MinNodes is more than MaxNodes", "lower MinNodes or raise MaxNodes"};
  return std::nullopt;
}

}  // namespace

Result<PartitionConfig> made_partition(const std::string& name, const Names& settings,
                                       const HostGroups& groups) {
  PartitionConfig partition;
  partition.name = name;
  bool has_nodes = false;
  for (const std::string& setting : settings) {
    const auto [what, value] = parted(setting);
    if (auto f = take(partition, what, value, groups)) return *f;
    has_nodes = has_nodes || is_word(what, "Nodes");
  }
  if (!has_nodes)
    return Refusal{"partition " + quoted(name) + " needs nodes", "give Nodes=LIST or Nodes=ALL"};
  if (auto f = check_limits(partition)) return *f;
  return partition;
}

Names groups_named(const NamedValue& setting) {
  return is_word(setting.name, groups_name) ? groups_in(setting.value) : Names{};
}

Names groups_named(const Names& settings) {
  Names all;
  for (const std::string& setting : settings)
    for (std::string& name : groups_named(parted(setting))) all.push_back(std::move(name));
  return all;
}

bool changes_while_used(std::string_view name) {
  return is_word(name, groups_name) || std::ranges::any_of(taken, [&](const Taken& one) {
           return one.changes == Changes::WhileUsed && is_word(name, one.name);
         });
}

Names with_setting(Names settings, const NamedValue& one) {
  const auto is_same = [&](const std::string& setting) {
    return is_word(setting.substr(0, setting.find('=')), one.name);
  };
  std::erase_if(settings, is_same);
  settings.push_back(one.name + "=" + one.value);
  return settings;
}

}  // namespace cox
