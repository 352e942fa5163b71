// Partitions as jobs meet them: which of those that a job names take it, which start it now, and in
// which it runs. Their definition is in the configuration, their state in Cluster. Pure.
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

// The partition by name; empty name: the default one. Null when there is none.
const PartitionConfig* partition_of(const ControllerConfig& config, std::string_view name);

// Those of a list that there are, in the order in which a job tries them: the higher priority_tier
// first, then as written. No names: the default one.
Partitions partitions_of(const ControllerConfig& config, std::string_view names);

// The fewest and the most nodes that a job may have there. REQUIRES: it says how many it wants.
struct NodeSpan {
  std::int64_t least = 1;
  std::int64_t most = 1;
};
NodeSpan nodes_asked(const JobSpec& spec);

// What keeps a job that was accepted from starting there; None: nothing. `open`: by its hours. Who
// waits for those waits as for one that is DOWN: it takes jobs, and starts none.
WaitReason bar_of(const PartitionConfig& partition, PartitionState state, bool open,
                  const JobSpec& spec);
// "partition gpu is DOWN (bad switch)". REQUIRES: it is barred, and not by its hours.
std::string bar_text(const PartitionConfig& partition, const Partition& now, const JobSpec& spec);

// The first of them that could have granted this; the first of all when none could.
const PartitionConfig* partition_granting(
    const Partitions& partitions, const Placement& placement,
    const std::function<std::int64_t(const std::string&)>& cpus_of_node);

// Why a partition takes no job of this kind: its time limit, and how large it is.
Failure check_time(const PartitionConfig& partition, const JobSpec& spec);
Failure check_size(const PartitionConfig& partition, const JobSpec& spec);

}  // namespace cox
