// Which of the partitions that a job asks for take it: those that do not are left out, and when
// none does it is refused, with why for each and which others would. Pure.
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
  // Whether the job would be accepted, were it to name this partition alone.
  using Takes = std::function<bool(const std::string& partition)>;

  // The first two outlive it. `takes`: empty: no others are named to who is refused.
  PartitionChoice(const Cluster& cluster, const Caller& caller, Takes takes)
      : cluster_(cluster), caller_(caller), takes_(std::move(takes)) {}

  // The partitions that take it by whose it is, and for how long: by name, as it wrote them. Its
  // time limit, where it says none, is the least that they, its QOS and its account give. REQUIRES:
  // its QOS is one there is.
  Failure settle(JobSpec& spec);

  // Leaves out those that it is too large or too small for. REQUIRES: settled; its size is too.
  Failure drop_too_small(JobSpec& spec);

  // Whence a time limit is that it did not ask for. REQUIRES: settled.
  const TimeFrom& time_from() const { return time_from_; }

 private:
  using Check = Failure (PartitionChoice::*)(const PartitionConfig&, const JobSpec&) const;

  Failure check_whose(const PartitionConfig& partition, const JobSpec& spec) const;
  Failure check_limits(const PartitionConfig& partition, const JobSpec& spec) const;
  Failure keep(JobSpec& spec, Check check);
  Refusal refusal(const JobSpec& spec) const;
  std::string others_hint(const JobSpec& spec) const;
  void settle_time(JobSpec& spec);

  const Cluster& cluster_;
  const Caller& caller_;
  Takes takes_;
  std::vector<Refusal> left_out_;  // why
  TimeFrom time_from_;
};

// Of the partitions that it names: the most memory for each CPU that one of them gives to who asks
// for none, and the fewest nodes that one of them allows.
std::int64_t memory_mb_per_cpu_default(const ControllerConfig& config, const JobSpec& spec);
std::int64_t fewest_nodes(const ControllerConfig& config, const JobSpec& spec);

// The first moment from this one on at which it is open; this one, if it has no hours.
Wall opens_at(const ControllerConfig& config, const PartitionConfig& partition, Wall from);

}  // namespace cox
