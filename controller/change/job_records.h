// What sacct is told of jobs, made of their rows. Both stores find the rows, each in its way; which
// of a job's attempts is told, and where a page ends, is settled here. Pure.
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

// The rows of a page, each list in order; of jobs and of steps one more than a page has tells that
// there are more.
struct RecordRows {
  std::vector<JobRecord> jobs;  // without runs and steps
  std::vector<RunOfJob> runs;
  std::vector<Step> steps;
};
AccountingPage page_of(RecordRows rows, const ListAccounting& ask);

RunRecord run_record(const Attempt& attempt);

// In compressed form, whatever they are called.
std::string node_list_of(const std::vector<std::string>& names);

// The states that are meant: of those that count as RUNNING all.
std::vector<JobState> states_meant(const ListAccounting& ask);

// Tasks of arrays that are asked for, as parallel lists; and the ids that mean a whole job.
struct RecordIds {
  std::vector<JobId> whole;
  std::vector<JobId> arrays;
  std::vector<std::int64_t> tasks;
};
RecordIds ids_meant(const ListAccounting& ask);

// More than can be asked for at once, or tasks that are none.
Failure check(const ListAccounting& ask);

}  // namespace cox
