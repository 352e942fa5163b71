// How jobs of a submission are judged and added, for whatever submits jobs: submit.cpp (people's
// requests) and cron.cpp (lines of crontabs). Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/admit.h"
#include "controller/dependencies.h"
#include "controller/submit_ruling.h"

namespace cox {

struct Admitted {
  JobSpec spec;
  Dependent waits;
};

// How many jobs of the request were admitted so far, by what limits count.
struct InRequest {
  std::map<std::string, std::int64_t> of_qos;
  std::map<std::string, std::int64_t> of_account;
};

Result<Admitted> admit_one(const Cluster& cluster, const Admission& admission, const JobSpec& asked,
                           const std::vector<Job>& recalled, InRequest& in_request, Now now);

// REQUIRES: admitted. The texts come with the first job that has them; null: the store has them.
JobId add_job(Reaction& r, Admitted admitted, std::string request_id, const Payload* payload);

// Records that submit_program failed and that the job was accepted without it, as the administrator
// wants it; otherwise does nothing.
void note_unjudged(Reaction& r, JobId id, const SubmitRuling& ruling);

}  // namespace cox
