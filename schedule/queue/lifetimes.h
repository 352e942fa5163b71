// How long jobs run on, as far as those before them tell: the order `gittins`. Nobody says how long
// a job will run, but of many that came before it that is known, and those submitted just before it
// with as many GPUs are often of the same making.
//
// Service is counted in bins that grow with it. Of each bin it is known how many jobs came to it
// and how many ended there: the hazard. A job's own is that of those just before it, drawn towards
// that of all. What follows is the Gittins index (as Tiresias has it, NSDI'19), upside down: the
// time that an end costs, for the best of all spans that the job might be run for.
//
// What has ended is history and is remembered; who lives is told anew before questions are asked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"

namespace cox::schedule {

class Lifetimes {
 public:
  static constexpr std::size_t bins = 64;
  static constexpr std::size_t ended_max = 16'384;  // those of the lowest ids are forgotten

  // A job of so many units (GPUs; CPUs where it has none) has ended, after so much service.
  void learn_ended(JobId id, std::int64_t units, Milliseconds service);

  // All that is remembered, to be saved and learnt again elsewhere.
  struct Ended {
    JobId id;
    std::int64_t units = 0;
    std::int64_t bin = 0;  // of its service: below `bins`
  };
  std::vector<Ended> ended() const;  // by id
  // REQUIRES: as ended() gave it.
  void know_ended(const std::vector<Ended>& ended);

  // Of those that have begun and not ended.
  void forget_living();
  void note_living(JobId id, std::int64_t units, Milliseconds service);

  // In unit-seconds: the less, the sooner the job should run.
  double cost_of_end(JobId id, std::int64_t units, Milliseconds service) const;

 private:
  struct Life {
    std::size_t bin = 0;
    bool ended = false;
  };
  using Lives = std::map<JobId, Life>;

  // By bin: how many have been through it or ended there, and how many ended there.
  struct Counts {
    std::array<double, bins> came = {};
    std::array<double, bins> ended = {};
    void add(const Life& life, double weight);
  };

  static double edge_s(std::size_t bin);
  static std::size_t bin_of(Milliseconds service);
  static Counts just_before(Lives::const_iterator at, const Lives& lives);
  double time_for_end_s(const Counts& near, Milliseconds service) const;
  void learn_ended_in(JobId id, std::int64_t units, std::size_t bin);
  void put(JobId id, std::int64_t units, Life life);
  void drop(JobId id, std::int64_t units, bool ended);

  Counts all_;
  std::map<std::int64_t, Lives> by_units_;
  std::map<JobId, std::int64_t> ended_;                 // with their units
  std::vector<std::pair<JobId, std::int64_t>> living_;  // with their units
  // Of those without any service, by units and whom they came after: most of a line is alike.
  mutable std::map<std::pair<std::int64_t, JobId>, double> fresh_s_;
};

}  // namespace cox::schedule
