// Validates a submission. Returns the resolved specification, with all defaults and the user's
// identity filled in, or a refusal with the fact, the limit and the next step. Used by add_job.h
// and by controller/operate. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "controller/admit/partition_choice.h"
#include "controller/change/payload.h"
#include "controller/feed/engine_feed.h"

namespace cox {

// Admits the jobs of one request. REQUIRES: cluster, feed, caller and payload outlive it.
class Admission {
 public:
  Admission(const Cluster& cluster, EngineFeed& feed, const Caller& caller, const Payload& payload,
            Now now);
  Result<ParsedSpec> admit(const JobSpec& asked) const;

 private:
  Result<ParsedSpec> admit(const ParsedSpec& asked, PartitionChoice::Takes others) const;
  Failure resolve_size(ParsedSpec& spec) const;
  Failure resolve_size(ParsedSpec& spec, PartitionChoice& choice) const;
  Failure check_asked(const ParsedSpec& spec) const;
  Failure resolve_component(ParsedSpec& part) const;
  Failure resolve_components(ParsedSpec& spec, bool limit_asked) const;

  const schedule::Nodes& nodes() const { return feed_.engine(now_).nodes(); }

  const Cluster& cluster_;
  EngineFeed& feed_;
  const Caller& caller_;
  const Payload& payload_;
  Now now_;
};

// Refuses a heterogeneous job with options that such jobs cannot have. Accepts any other job.
Failure check_components(const ParsedSpec& spec);

// Refuses an array of more than max_array_size tasks. Called before the number of queued jobs is
// checked, since waiting does not help. `tasks`: of the array; 1 for another job.
Failure check_array_size(const Cluster& cluster, std::int64_t tasks);
// Refuses a request whose id is invalid, or whose `count` jobs would exceed max_jobs.
Failure check_request(const Cluster& cluster, const std::string& request_id, std::int64_t count);

}  // namespace cox
