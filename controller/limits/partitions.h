// Rules about jobs and partitions: which partitions a job tries, which accept it, which can start
// it now, and in which it runs. The configuration defines partitions; Cluster has their state.
// Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/cluster/config.h"
#include "common/cluster/partition.h"
#include "common/job/job.h"
#include "common/job/resources.h"

namespace cox {

using Partitions = std::vector<const PartitionConfig*>;

// Returns the partition by name; empty name: the default one. Null: there is none.
const PartitionConfig* partition_of(const ControllerConfig& config, std::string_view name);

// Returns the named partitions that exist, in the order in which a job tries them: by
// priority_tier, highest first, then as written. No names: the default partition.
Partitions partitions_of(const ControllerConfig& config, const std::vector<std::string>& names);

// The fewest and the most nodes that a job accepts. REQUIRES: the job requests a number of nodes.
struct NodeSpan {
  std::int64_t least = 1;
  std::int64_t most = 1;
};
NodeSpan nodes_asked(const ParsedSpec& spec);

// Returns why an accepted job cannot start in the partition; None: it can. `open`: whether the
// partition's hours are open. A partition whose hours are closed, like one that is DOWN, accepts
// jobs but starts none, so both have the reason PartitionDown.
WaitReason bar_of(const PartitionConfig& partition, PartitionState state, bool open,
                  const ParsedSpec& spec);
// Returns "partition gpu is DOWN (bad switch)". REQUIRES: bar_of(..., open = true) is not None.
std::string bar_text(const PartitionConfig& partition, const Partition& now,
                     const ParsedSpec& spec);

// Returns the first partition of the list in which the placement is possible; if it is possible in
// none, the first of the list; null: the list is empty.
const PartitionConfig* partition_granting(
    const Partitions& partitions, const Placement& placement,
    const std::function<std::int64_t(const std::string&)>& cpus_of_node);

// Refuse a job that asks for more time, or for a size other than the partition allows.
Failure check_time(const PartitionConfig& partition, const JobSpec& spec);
Failure check_size(const PartitionConfig& partition, const ParsedSpec& spec);

}  // namespace cox
