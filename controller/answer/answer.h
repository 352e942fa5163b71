// Builds replies about jobs, nodes and licences: views of the cluster's state in memory. Used by
// react() (controller/operate/react.h) and the rooms behind this one. Pure.
#pragma once

#include <set>
#include <string>

#include "controller/state/cluster.h"

namespace cox {

JobView view_of(const Cluster& cluster, const JobEntry& entry, Now now);
JobDetail detail_of(const Cluster& cluster, const JobEntry& entry, Now now);
NodeList nodes_of(const Cluster& cluster, Now now);
LicenceList licences_of(const Cluster& cluster);
// Returns the rows that a user means by a job id: the job, or all rows of an array; with `tasks`
// ("3,5-7"), the rows of these tasks. Rows that do not exist are left out.
std::set<JobId> selected_rows(const Cluster& cluster, JobId id, const std::string& tasks);
JobList list_jobs(const Cluster& cluster, const ListJobs& ask, Now now);
// Returns where the log of a rank is: node, file and the attempt's part of it. Refused: an attempt
// or a rank that does not exist, or a job without a log.
decltype(Reply::body) log_place(const Cluster& cluster, const JobEntry& entry,
                                const LocateLog& ask);

}  // namespace cox
