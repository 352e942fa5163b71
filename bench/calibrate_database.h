// Calibrators of the database: measure how fast this machine's PostgreSQL writes the rows of a real
// job. Plain SQL writes them into copies of the product's tables (schema cox_bench, same indexes
// and checks). main.cpp calls them. REQUIRES: the database has a COMPLETED job, whose rows are the
// pattern.
#pragma once

#include <cstdint>
#include <string>

namespace cox::bench {

// Measures commits of single job rows over `clients` connections at once.
void calibrate_commits(const std::string& database, int clients, double seconds);
// Measures COPY of single job rows.
void calibrate_copy(const std::string& database, std::int64_t rows);
// Measures whole lifecycles of jobs without a controller: inserts and updates of jobs, attempts,
// nodes, ranks and events as unnest batches of 500 jobs, pipelined, with a commit for each of the
// four stages of a job.
void calibrate_lifecycles(const std::string& database, std::int64_t jobs);

}  // namespace cox::bench
