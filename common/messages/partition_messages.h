// What clients ask and are told of partitions; part of client_messages.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/cluster/partition.h"
#include "common/cluster/qos.h"

namespace cox {

// A name and what it stands at, or shall.
struct NamedValue {
  std::string name;
  std::string value;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.value);
  }
};

enum class PartitionVerb : std::uint8_t { Update, Create, Delete };

// Changes partitions; names and values are Slurm's. A partition in the configuration only accepts
// State and Reason.
struct UpdatePartitions {
  static constexpr int tag = 68;
  std::vector<std::string> partitions;
  std::vector<NamedValue> values;
  PartitionVerb verb = PartitionVerb::Update;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.partitions, self.values, self.verb);
  }
};

struct PartitionView {
  std::string name;
  std::int64_t time_limit_max_s = 0;  // 0: none
  PartitionState state = PartitionState::Up;
  std::string reason{};  // of the state
  Wall changed{};        // Wall{}: nobody has
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
  std::string hours{};                         // "nights: Mon-Fri 18:00-08:00"; empty: always open
  bool closed = false;                         // by them
  Wall turns{};                                // when they open or close next
  std::int64_t memory_mb_per_cpu_default = 0;  // for jobs that ask for no memory
  std::string tres_billing_weights{};          // of its own, as Slurm writes them
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.time_limit_max_s, self.state, self.reason, self.changed, self.is_default,
          self.time_limit_default_s, self.priority_tier, self.priority, self.min_nodes,
          self.max_nodes, self.max_memory_mb_per_node, self.allow_accounts, self.deny_accounts,
          self.allow_qos, self.deny_qos, self.allow_groups, self.qos, self.preempt_mode,
          self.exclusive, self.hours, self.closed, self.turns, self.memory_mb_per_cpu_default,
          self.tres_billing_weights);
  }
};

}  // namespace cox
