// Crontabs: what people do with them, and how the jobs of their lines follow each other. As in
// Slurm, a line's job is pending until the line's time, runs, and when it has ended the line waits
// for the first time after that. Unlike in Slurm, each run is a job with an id of its own. Pure;
// for react_*.cpp and for Reaction, which calls submit_next_of_line() in the turn that ends a job.
//
// Times are of the time zone of the controller that leads (ControllerConfig::time_zone).
#pragma once

#include <string>

#include "controller/reaction.h"

namespace cox {

void on_show_crontab(Reaction& r, const PeerSaid& said, std::int64_t number,
                     const ShowCrontab& ask);
void on_update_crontab(Reaction& r, const PeerSaid& said, std::int64_t number,
                       const UpdateCrontab& ask);
// The request id that the job of its first line bears; empty: no job bears one.
std::string first_request_of(const UpdateCrontab& ask);

// Adds the next job of the line for which the job stood, if it stood for one. REQUIRES: it has
// ended.
void submit_next_of_line(Reaction& r, JobId ended);

// The pending job waits for the time of its line after the one for which it waits now. Returns
// false, and does nothing, if it stands for no line.
bool postpone_to_next_time(Reaction& r, JobId id);

// Ends the line for which the job stands, and marks it in the text; the job stays as it is. Returns
// false, and does nothing, if it stands for none.
bool end_cron_line(Reaction& r, JobId id);

// Refuses what nobody may do to a job that stands for a line.
Failure check_not_of_crontab(const Cluster& cluster, JobId id);

}  // namespace cox
