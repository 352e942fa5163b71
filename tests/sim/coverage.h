// Counts what the seeds have covered. A point is a transition of a job (state and trigger) and a
// fault that came shortly before it while the job was in that state, or that lasts the whole story.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/job_state.h"
#include "tests/sim/faults.h"

namespace cox::sim {

class Coverage {
 public:
  // The index of a transition in the table of common/job/job_state.h, and a fault that came before
  // it.
  using Point = std::pair<std::size_t, Fault>;

  // Forgets when the faults and the jobs' states of the last seed began. The counts of all seeds
  // stay.
  void begin_story();
  void came(Fault fault, Milliseconds at) { newest_[fault] = at; }
  void comes(JobId job, Milliseconds at) { since_[job] = at; }
  void leaves(JobId job, JobState from, Trigger trigger, Milliseconds at);

  const std::map<Point, std::int64_t>& counted() const { return counted_; }
  void count(Point point, std::int64_t times) { counted_[point] += times; }

  static std::size_t possible();
  std::size_t seen() const;
  std::vector<Point> missing() const;
  // Returns the points that were seen although the code says that no simulated job has them.
  std::vector<Point> falsely_excused() const;
  static std::string text_of(Point point);

 private:
  std::map<Fault, Milliseconds> newest_;  // when each fault of this seed last came
  std::map<JobId, Milliseconds> since_;   // when each job entered its present state
  std::map<Point, std::int64_t> counted_;
};

}  // namespace cox::sim
