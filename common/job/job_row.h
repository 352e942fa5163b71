// Which row of a job a request means. An array has one row for the tasks that were not split off
// yet, with the id of the array; each task that starts gets a row and an id of its own.
#pragma once

#include <cstdint>

namespace cox {

// The value of `task` in ShowJob that means the row with this id, and not its array.
inline constexpr std::int64_t row_itself = -2;

}  // namespace cox
