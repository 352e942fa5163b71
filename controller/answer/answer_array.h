// Answers about arrays, as a whole and by task. Pure; they change nothing.
#pragma once

#include <string>
#include <vector>

#include "controller/change/wanted_read.h"
#include "controller/state/cluster.h"

namespace cox {

// Of an array that is meant as a whole. Its tasks by how they stand; `and_which`:
// by their numbers too.
bool is_whole_array(const Cluster& cluster, const Job& job, std::int64_t task);
JobDetail detail_of_array(const Cluster& cluster, const JobEntry& row, Now now, bool and_which);
std::vector<TaskGroup> standing_of_tasks(const Cluster& cluster, JobId array);
void tell_tasks(JobDetail& detail, std::vector<TaskGroup> tasks);
// The one to look at: a row that waits, before others.
JobId telling_row(const Cluster& cluster, JobId array);
// Several tasks are named, and they are not those of one row; one names its row.
Failure check_one_row(const Job& row, const std::string& tasks);
// Of what neither memory nor the database knows: a job, or (0 or more) a task.
Refusal never_was(const Cluster& cluster, JobId job, std::int64_t task);
// Each task of an array writes for itself; `like` is one of those that do.
Refusal which_log(JobId array, const std::vector<TaskGroup>& tasks, std::int64_t like);
// Of a job that only the store knows, these two. REQUIRES: it was found.
decltype(Reply::body) answer_forgotten(const Cluster& cluster, const JobRead& read,
                                       const JobMeant& meant, Now now);
decltype(Reply::body) log_of_forgotten(const Cluster& cluster, const JobRead& read,
                                       const JobMeant& meant, const LocateLog& ask);
std::int64_t task_with_log(const Cluster& cluster, JobId array);

}  // namespace cox
