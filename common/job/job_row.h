// Selects a row of the queue in a request. The first row of an array has the id of the array and
// stands for the tasks that have not started. Each task that starts gets a row and an id of its
// own.
#pragma once

#include <cstdint>

namespace cox {

// The value of ShowJob::task that selects only the row with the requested id. Otherwise the id of
// an array selects the whole array.
inline constexpr std::int64_t row_itself = -2;

}  // namespace cox
