// Builds replies about job arrays, as a whole and by task, and about jobs that are only in the
// database. Used by the rooms operate and turn. Pure.
#pragma once

#include <string>
#include <vector>

#include "controller/change/wanted_read.h"
#include "controller/state/cluster.h"

namespace cox {

// Returns whether a request for this job and task means an array of several tasks as a whole.
// `task`: as in ShowJob.
bool is_whole_array(const Cluster& cluster, const Job& job, std::int64_t task);
// Returns the detail of the row with the states of all tasks of its array. `and_which`: also with
// the numbers of the tasks in each state.
JobDetail detail_of_array(const Cluster& cluster, const JobEntry& row, Now now, bool and_which);
// Returns how many tasks of the array are in each state.
std::vector<TaskGroup> standing_of_tasks(const Cluster& cluster, JobId array);
// Sets the detail's tasks, and the numbers of unfinished and of failed ones.
void add_tasks(JobDetail& detail, std::vector<TaskGroup> tasks);
// Returns the row that represents the array: a pending row; if there is none, the one with its id.
JobId row_of_array(const Cluster& cluster, JobId array);
// Refuses `tasks` ("3,5-7") if they are not exactly those of this row.
Failure check_one_row(const Job& row, const std::string& tasks);
// Returns whether the database cannot have the job: its id was not issued yet, or belongs to jobs
// that a failover may have lost.
bool is_not_stored(const Cluster& cluster, JobId job);
// Returns the refusal for a job, or a task of it, that is neither in memory nor in the database:
// there never was one, or a failover may have lost it. `task`: -1: the job is meant.
Refusal never_was(const Cluster& cluster, JobId job, std::int64_t task);
// Returns the refusal for the log of a whole array, since each task has its own. `like`: a task to
// name as an example.
Refusal which_log(JobId array, const std::vector<TaskGroup>& tasks, std::int64_t like);
// Reply to a request for a job that is only in the database: its detail, and the place of its log.
// REQUIRES: the database has the job.
decltype(Reply::body) answer_forgotten(const Cluster& cluster, const JobRead& read,
                                       const JobSelector& selector, Now now);
decltype(Reply::body) log_of_forgotten(const Cluster& cluster, const JobRead& read,
                                       const JobSelector& selector, const LocateLog& ask);
// Returns a task of the array that has a log, or the first task if none has one.
std::int64_t task_with_log(const Cluster& cluster, JobId array);

}  // namespace cox
