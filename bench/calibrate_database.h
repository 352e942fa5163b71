// Calibrators: what this machine's PostgreSQL takes for the rows of a real job, written by plain
// SQL into copies of our tables (schema cox_bench, same indexes and checks).
// REQUIRES: the database has a job that has ended, whose rows are the pattern.
#pragma once

#include <cstdint>
#include <string>

namespace cox::bench {

// Single-row commits of a job row, `clients` connections at once.
void calibrate_commits(const std::string& database, int clients, double seconds);
// COPY of the same rows.
void calibrate_copy(const std::string& database, std::int64_t rows);
// Whole lifecycles without a controller: inserts, updates, attempt, ranks and events as unnest
// batches of 500 jobs, pipelined, one commit for each of the four steps a job takes.
void calibrate_lifecycles(const std::string& database, std::int64_t jobs);

}  // namespace cox::bench
