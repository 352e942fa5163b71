// A database that has seen a lot: the rows of one job that really ran, as those of many more.
#pragma once

#include <cstdint>
#include <string>

namespace cox::bench {

// `jobs` more, which ended a day ago and earlier, ten a second. Their ids are negative, below all
// that a controller issues; one that runs need not know of them. The tables are vacuumed then.
void write_history(const std::string& database, std::int64_t jobs);

}  // namespace cox::bench
