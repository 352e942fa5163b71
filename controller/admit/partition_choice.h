// Leaves out those partitions of a job's request that do not take the job. If none takes it, the
// job is refused, with the reason of each, and others that would take it. Used by Admission. Pure.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/job/job.h"
#include "controller/state/cluster.h"

namespace cox {

class PartitionChoice {
 public:
  // Returns whether the job would be accepted if it named only this partition.
  using Takes = std::function<bool(const std::string& partition)>;

  // REQUIRES: the cluster and the caller outlive this object. `takes`: empty: refusals name no
  // other partitions.
  PartitionChoice(const Cluster& cluster, const Caller& caller, Takes takes)
      : cluster_(cluster), caller_(caller), takes_(std::move(takes)) {}

  // Leaves out partitions that do not take the job because of its user, account, QOS or time limit.
  // If the user set no time limit, sets the shortest one of the remaining partitions, the QOS and
  // the account. REQUIRES: the QOS exists.
  Failure resolve(ParsedSpec& spec);

  // Leaves out partitions for which the job is too large or too small. REQUIRES: resolve() was
  // called, and the numbers of nodes and tasks are computed.
  Failure drop_too_small(ParsedSpec& spec);

  // Returns the setting that a time limit comes from if the user set none. REQUIRES: after
  // resolve().
  const TimeFrom& time_from() const { return time_from_; }

 private:
  using Check = Failure (PartitionChoice::*)(const PartitionConfig&, const ParsedSpec&) const;

  Failure check_whose(const PartitionConfig& partition, const ParsedSpec& spec) const;
  Failure check_limits(const PartitionConfig& partition, const ParsedSpec& spec) const;
  Failure keep(ParsedSpec& spec, Check check);
  Refusal refusal(const ParsedSpec& spec) const;
  std::string others_hint(const ParsedSpec& spec) const;
  void resolve_time(ParsedSpec& spec);

  const Cluster& cluster_;
  const Caller& caller_;
  Takes takes_;
  std::vector<Refusal> left_out_;  // the refusal of each partition that was left out
  TimeFrom time_from_;
};

// Returns the largest default of memory for each CPU among the job's partitions, in MiB.
std::int64_t memory_mb_per_cpu_default(const ControllerConfig& config, const ParsedSpec& spec);
// Returns the smallest min_nodes among the job's partitions.
std::int64_t fewest_nodes(const ControllerConfig& config, const ParsedSpec& spec);

// Returns the first time from `from` on at which the partition is open; `from` if it has no hours.
Wall opens_at(const ControllerConfig& config, const PartitionConfig& partition, Wall from);

}  // namespace cox
