// What users submit: the requests are judged, and their jobs added (add_job.h). Pure but for the
// Reaction.
#pragma once

#include <span>
#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

void on_submit(Reaction& r, const PeerMessage& said, std::int64_t number, const SubmitJob& submit);
void on_submit_many(Reaction& r, const PeerMessage& said, std::int64_t number,
                    const SubmitJobs& submit);
// Jobs that these depend on may have ended long ago, and are read before the request is judged; or
// it was refused. Then it is not to be answered now.
bool is_recalling(Reaction& r, const PeerMessage& said, std::int64_t number,
                  std::span<const JobSpec> specs);
// The request id that the first of its jobs bears; empty when the client gave none.
std::string first_request_of(const SubmitJobs& submit);

}  // namespace cox
