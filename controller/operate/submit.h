// Handles submissions: validates the requests and adds their jobs (add_job.h). Pure but for the
// Reaction.
#pragma once

#include <span>
#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

void on_submit(Reaction& r, const PeerMessage& incoming, std::int64_t number,
               const SubmitJob& submit);
void on_submit_many(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                    const SubmitJobs& submit);
// If these specifications depend on a job that has left memory, requests a read of that job from
// the store; the request is then handled again. Returns true if the caller must not reply: the
// request waits for the store, or was refused here.
bool recall_dependencies(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                         std::span<const JobSpec> specs);
// Returns a note for each partition of `asked` that does not take the job. The job will not run
// there later either, even if the partition's settings change.
std::string note_on_partitions(const Cluster& cluster, const std::string& asked,
                               const ParsedSpec& spec);
// Returns the request id under which the first job of the submission is stored; "" if the client
// sent none.
std::string first_request_of(const SubmitJobs& submit);

}  // namespace cox
