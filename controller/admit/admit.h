// Judges a submission: the specification settled (defaults filled in, identity put in), or a
// refusal with the fact, the limit and the next step. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "controller/admit/partition_choice.h"
#include "controller/change/payload.h"
#include "controller/state/cluster.h"

namespace cox {

// One submission's judge. REQUIRES: cluster and payload outlive it.
class Admission {
 public:
  Admission(const Cluster& cluster, const Caller& caller, const Payload& payload, Now now);
  Result<JobSpec> admit(const JobSpec& asked) const;

 private:
  Result<JobSpec> admit(const JobSpec& asked, PartitionChoice::Takes others) const;
  Failure settle_size(JobSpec& spec) const;
  Failure settle_size(JobSpec& spec, PartitionChoice& choice) const;
  Failure check_asked(const JobSpec& spec) const;
  Failure settle_component(JobSpec& part) const;
  Failure settle_components(JobSpec& spec, bool limit_asked) const;

  const Cluster& cluster_;
  const Caller& caller_;
  const Payload& payload_;
  Now now_;
};

// Of a heterogeneous job, what none can have. Of any other nothing is refused.
Failure check_components(const JobSpec& spec);

// Before the room in the queue counts: an array that is too large is so on any day.
Failure check_array_size(const Cluster& cluster, const JobSpec& asked);
// Of the whole submission: the request's id, and room in the queue for `count` more.
Failure check_request(const Cluster& cluster, const std::string& request_id, std::int64_t count);

}  // namespace cox
