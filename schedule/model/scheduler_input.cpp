#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

std::optional<Milliseconds> shortest_limit(const PendingJob& job) {
  std::optional<Milliseconds> least = job.time_limit;
  for (const auto& limit : {job.time_min, job.fill_min})
    if (limit && (!least || *limit < *least)) least = limit;
  return least;
}

}  // namespace cox::schedule
