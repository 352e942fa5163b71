// The requests of clients about partitions, and the replies. client_messages.h includes this file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/time.h"
#include "common/cluster/partition.h"
#include "common/cluster/qos.h"

namespace cox {

// The name of a setting with its present or its new value.
struct NamedValue {
  std::string name;
  std::string value;
  COX_FIELDS(name, value);
};

enum class PartitionVerb : std::uint8_t { Update, Create, Delete };

// Changes, creates or deletes partitions. Names and values are Slurm's. Of a partition in the
// configuration only State and Reason can be changed.
struct UpdatePartitions {
  static constexpr int tag = 68;
  std::vector<std::string> partitions;
  std::vector<NamedValue> values;
  PartitionVerb verb = PartitionVerb::Update;
  COX_FIELDS(partitions, values, verb);
};

struct PartitionView {
  std::string name;
  std::int64_t time_limit_max_s = 0;  // 0: none
  PartitionState state = PartitionState::Up;
  std::string reason{};  // of the state
  Wall changed{};        // Wall{}: never
  bool is_default = false;
  std::int64_t time_limit_default_s = 0;
  std::int64_t priority_tier = 1;
  std::int64_t priority = 0;
  std::int64_t min_nodes = 0;
  std::int64_t max_nodes = 0;
  std::int64_t max_memory_mb_per_node = 0;
  std::vector<std::string> allow_accounts{};
  std::vector<std::string> deny_accounts{};
  std::vector<std::string> allow_qos{};
  std::vector<std::string> deny_qos{};
  std::vector<std::string> allow_groups{};
  std::string qos{};
  std::optional<PreemptMode> preempt_mode{};
  bool exclusive = false;
  // Name and text of its opening hours, "nights: Mon-Fri 18:00-08:00"; empty: always open.
  std::string hours{};
  bool closed = false;  // whether its opening hours keep jobs from starting now
  Wall turns{};         // when its opening hours next begin or end
  std::int64_t memory_mb_per_cpu_default = 0;  // MiB for each CPU of jobs that request no memory
  std::string tres_billing_weights{};  // its own weights, in Slurm's form; empty: the cluster's
  COX_FIELDS(name, time_limit_max_s, state, reason, changed, is_default, time_limit_default_s,
             priority_tier, priority, min_nodes, max_nodes, max_memory_mb_per_node, allow_accounts,
             deny_accounts, allow_qos, deny_qos, allow_groups, qos, preempt_mode, exclusive, hours,
             closed, turns, memory_mb_per_cpu_default, tres_billing_weights);
};

}  // namespace cox
