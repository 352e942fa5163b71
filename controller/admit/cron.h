// Crontabs: handles the requests of scrontab, and submits the jobs of crontab lines. As in Slurm, a
// line's job is pending until the line's time and then runs. When it has ended, the line's next job
// is pending until the next time of the line. Unlike in Slurm, each run is a job with its own id.
// Pure. The requests come from react() (controller/operate/react.h); end_job()
// (controller/attempt/ended.h) calls submit_next_cron_job() in the turn that ends a job.
//
// Times are in the time zone of the leading controller (ControllerConfig::time_zone).
#pragma once

#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

void on_show_crontab(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                     const ShowCrontab& ask);
void on_update_crontab(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                       const UpdateCrontab& ask);
// Returns the request id stored with the job of the first line; empty: there is none.
std::string first_request_of(const UpdateCrontab& ask);

// Adds the next job of a crontab line if the ended job belonged to a line. REQUIRES: the job has
// ended.
void submit_next_cron_job(Reaction& r, JobId ended);

// Makes the pending job skip its next time and wait for the one after it. Returns false, and does
// nothing, if the job belongs to no crontab line.
bool postpone_to_next_time(Reaction& r, JobId id);

// Ends the job's crontab line and marks it in the text; the job itself does not change. Returns
// false, and does nothing, if the job belongs to no crontab line.
bool end_cron_line(Reaction& r, JobId id);

// Refuses a change that no user may make to a job of a crontab line.
Failure check_not_of_crontab(const Cluster& cluster, JobId id);

}  // namespace cox
