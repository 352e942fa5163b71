// Answers about jobs, nodes and licences: views of the cluster. Pure; they change nothing.
#pragma once

#include <set>
#include <string>

#include "controller/state/cluster.h"

namespace cox {

JobView view_of(const Cluster& cluster, const JobEntry& entry, Now now);
JobDetail detail_of(const Cluster& cluster, const JobEntry& entry, Now now);
NodeList nodes_of(const Cluster& cluster, Now now);
LicenceList licences_of(const Cluster& cluster);
// The rows that a person means by a job's id, or by tasks of an array; those there are.
std::set<JobId> rows_meant(const Cluster& cluster, JobId id, const std::string& tasks);
JobList list_jobs(const Cluster& cluster, const ListJobs& ask, Now now);
decltype(Reply::body) log_place(const Cluster& cluster, const JobEntry& entry,
                                const LocateLog& ask);

}  // namespace cox
