// Writes a long history into a database: the rows of one job that really ran, copied for many jobs.
// main.cpp calls it.
#pragma once

#include <cstdint>
#include <string>

namespace cox::bench {

// Writes `jobs` finished jobs, which ended a day ago and earlier, ten a second, and vacuums the
// tables. The ids are negative, below all that a controller issues, so a controller may be running.
void write_history(const std::string& database, std::int64_t jobs);

}  // namespace cox::bench
