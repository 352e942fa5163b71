// How a submission becomes a job: it is admitted, with what it waits for, and added. Used for what
// users submit (submit.cpp) and for the lines of crontabs (cron.cpp). Pure but for the Reaction.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/admit/admit.h"
#include "controller/admit/dependencies.h"
#include "controller/admit/submit_ruling.h"
#include "controller/change/payload.h"
#include "controller/ledger/reaction.h"

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

}  // namespace cox
