// Makes the records that sacct shows from rows of jobs. Used by both implementations of the Store,
// PostgreSQL and memory. Decides which attempts of a job are shown, and where a page ends. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/messages/sacct_messages.h"

namespace cox {

inline constexpr std::size_t record_jobs_per_page_max = 500;
inline constexpr std::size_t record_steps_per_page_max = 5'000;

struct RunOfJob {
  JobId job;
  RunRecord run;
};

// The rows read for one page, each list sorted. If there is one job or step more than fits on a
// page, another page follows.
struct RecordRows {
  std::vector<JobRecord> jobs;  // each without its runs and steps, which the other lists have
  std::vector<RunOfJob> runs;
  std::vector<Step> steps;
};
AccountingPage page_of(RecordRows rows, const ListAccounting& ask);

RunRecord run_record(const Attempt& attempt);

// Returns the node names as a hostlist, or joined by commas if some are not host names.
std::string node_list_of(const std::vector<std::string>& names);

// Returns the states that match the request. RUNNING stands for CONFIGURING, SIGNALING and
// COMPLETING, too.
std::vector<JobState> selected_states(const ListAccounting& ask);

struct RecordIds {
  std::vector<JobId> whole;  // requested without tasks
  // The requested tasks: task tasks[i] of array arrays[i].
  std::vector<JobId> arrays;
  std::vector<std::int64_t> tasks;
};
RecordIds selected_ids(const ListAccounting& ask);

// Checks that the request is within its limits and that its tasks and names are valid.
Failure check(const ListAccounting& ask);

}  // namespace cox
