// Admits and adds the jobs of a submission. Used by submit.cpp (requests of users) and cron.cpp
// (lines of crontabs). Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/admit.h"
#include "controller/dependencies.h"
#include "controller/reaction.h"
#include "controller/submit_ruling.h"

namespace cox {

struct Admitted {
  JobSpec spec;
  Dependent waits;
};

// Counts the jobs of the request that were admitted so far, by QOS and account, for limits.
struct InRequest {
  std::map<std::string, std::int64_t> of_qos;
  std::map<AssociationId, std::int64_t> of_association;  // and of those above
};

Result<Admitted> admit_one(const Cluster& cluster, const Admission& admission, const JobSpec& asked,
                           const std::vector<Job>& recalled, InRequest& in_request, Now now);

// Adds an admitted job. The payload comes with the first job that uses it; null: already stored.
JobId add_job(Reaction& r, Admitted admitted, std::string request_id, const Payload* payload);

// Records in the job's history that submit_program failed and that submit_without_program accepted
// the job; otherwise does nothing.
void note_unjudged(Reaction& r, JobId id, const SubmitRuling& ruling);

void on_submit(Reaction& r, const PeerSaid& said, std::int64_t number, const SubmitJob& submit);
void on_submit_many(Reaction& r, const PeerSaid& said, std::int64_t number,
                    const SubmitJobs& submit);
// Jobs that these depend on may have ended long ago, and are read before the request is judged; or
// it was refused. Then it is not to be answered now.
bool is_recalling(Reaction& r, const PeerSaid& said, std::int64_t number,
                  std::span<const JobSpec> specs);
// The request id that the first of its jobs bears; empty when the client gave none.
std::string first_request_of(const SubmitJobs& submit);

}  // namespace cox
