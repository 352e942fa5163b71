// What the seeds have covered: each (state, trigger, fault) is a way out of a state, taken shortly
// after that fault had come while the job was in the state, or that is so in the whole story.
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
  // A transition by its place in the table, and a fault.
  using Point = std::pair<std::size_t, Fault>;

  // Of one story after another.
  void begin_story();
  void came(Fault fault, Milliseconds at) { newest_[fault] = at; }
  void comes(JobId job, Milliseconds at) { since_[job] = at; }
  void leaves(JobId job, JobState from, Trigger trigger, Milliseconds at);

  const std::map<Point, std::int64_t>& counted() const { return counted_; }
  void count(Point point, std::int64_t times) { counted_[point] += times; }

  static std::size_t possible();
  std::size_t seen() const;
  std::vector<Point> missing() const;
  // Those that are no part of the cluster that is simulated, and yet were seen.
  std::vector<Point> falsely_excused() const;
  static std::string text_of(Point point);

 private:
  std::map<Fault, Milliseconds> newest_;  // when it came last
  std::map<JobId, Milliseconds> since_;   // each job is in its state
  std::map<Point, std::int64_t> counted_;
};

}  // namespace cox::sim
