// Turns a submission into a job: admits it, resolves its dependencies, and adds it. Used for jobs
// of users (submit.cpp) and of lines of crontabs (cron.cpp). Pure but for the Reaction.
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
  Shared<ParsedSpec> spec;
  Dependent waits;
};

// Numbers of jobs of one request that were admitted so far, by QOS and by association. They count
// against submit limits although they are not in the cluster yet.
struct InRequest {
  std::map<std::string, std::int64_t> of_qos;
  // Each job counts for its association and for all accounts above.
  std::map<AssociationId, std::int64_t> of_association;
};

// Validates a specification and resolves what it leaves open. The result is the same for all jobs
// of a request that have this specification.
Result<Shared<ParsedSpec>> admit_spec(const Cluster& cluster, const Admission& admission,
                                      const JobSpec& asked);
// Admits one job of a request: checks its submit limits and dependencies. Counts it in
// `in_request`. `recalled`: jobs it depends on that are no longer in memory.
Result<Admitted> admit_one(const Cluster& cluster, const Shared<ParsedSpec>& spec,
                           const std::vector<Job>& recalled, InRequest& in_request, Now now);

// Adds an admitted job and returns its id. `payload`: its script and environment, passed with the
// first job that uses them; null: they are stored already.
JobId add_job(Reaction& r, Admitted admitted, std::string request_id, const Payload* payload);

// Records in the job's history that submit_program failed and that submit_without_program accepted
// the job; otherwise does nothing.
void note_ruling_failure(Reaction& r, JobId id, const SubmitRuling& ruling);

}  // namespace cox
