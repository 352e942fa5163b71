// Estimates how long jobs will still run, for the order `gittins`. It uses no time limits, only how
// long earlier jobs ran. Jobs submitted just before a job with as many GPUs are often of the same
// kind.
//
// Service (run time) is counted in bins that get longer. The hazard of a bin is the number of jobs
// that ended in it divided by the number that reached it. The hazard for a job is that of the jobs
// submitted just before it, drawn towards that of all jobs. The result is the inverse of the
// Gittins index (as in Tiresias, NSDI'19): the expected time per end of a job, for the best length
// of run.
//
// Ended jobs are history and are kept. Living jobs, those that have run but not ended, must be
// noted anew before each use. If a living job reports its progress, the run time that it still
// needs is known: it needs no estimate, and it shows how long jobs like it run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/time.h"

namespace cox::schedule {

// How earlier jobs are weighted. bench/generalise.md: how the values were chosen.
struct LifetimeWeights {
  // The weight of the jobs submitted just before falls by a factor of e per so many jobs.
  double near_jobs = 3;
  double all_jobs = 0.4;  // weight of the hazard that all jobs together have, in jobs
  // A job is preempted only for a job whose cost is below this part of its own. Estimates vary, so
  // a small difference must not preempt.
  double preempt_below = 0.2;
};

class Lifetimes {
 public:
  static constexpr std::size_t bins = 64;
  // number of ended jobs kept; if more end, the lowest ids are dropped
  static constexpr std::size_t ended_max = 16'384;

  void set_weights(const LifetimeWeights& weights);
  const LifetimeWeights& weights() const { return weights_; }

  // Records that a job of this many units (GPUs; without GPUs, CPUs) ended after this service.
  void learn_ended(JobId id, std::int64_t units, Milliseconds service);

  // An ended job, in the form in which it is saved and restored.
  struct Ended {
    JobId id;
    std::int64_t units = 0;
    std::int64_t bin = 0;  // number of the bin of its run time, less than `bins`

    COX_FIELDS(id, units, bin);
  };
  std::vector<Ended> ended() const;  // by id
  // REQUIRES: `ended` comes from ended().
  void restore_ended(const std::vector<Ended>& ended);

  // forget_living() drops, note_living() records the jobs that have run but not ended. `left`: the
  // run time that the job still needs, if it is known.
  void forget_living();
  void note_living(JobId id, std::int64_t units, Milliseconds service,
                   std::optional<Milliseconds> left = std::nullopt);

  // Returns the job's units times the inverse of its Gittins index, in unit-seconds: the work that
  // is expected until it ends. Jobs with a lower cost run sooner. `left`: as for note_living().
  double cost_of_end(JobId id, std::int64_t units, Milliseconds service,
                     std::optional<Milliseconds> left = std::nullopt) const;

 private:
  struct Life {
    std::size_t bin = 0;
    bool ends_in_bin = false;  // false: it has reached the bin, and nothing more is known
    bool living = false;
  };
  using Lives = std::map<JobId, Life>;

  // For each bin, the weighted number of jobs that ended in it or passed it (`came`), and of those
  // that ended in it (`ended`).
  struct Counts {
    std::array<double, bins> came = {};
    std::array<double, bins> ended = {};
    void add(const Life& life, double weight);
  };

  static double edge_s(std::size_t bin);
  static std::size_t bin_of(Milliseconds service);
  Counts just_before(Lives::const_iterator at, const Lives& lives) const;
  double time_for_end_s(const Counts& near, Milliseconds service) const;
  void learn_ended_in(JobId id, std::int64_t units, std::size_t bin);
  void put(JobId id, std::int64_t units, Life life);
  void drop(JobId id, std::int64_t units, bool living);

  LifetimeWeights weights_;
  Counts all_;
  std::map<std::int64_t, Lives> by_units_;
  std::map<JobId, std::int64_t> ended_;                 // with their units
  std::vector<std::pair<JobId, std::int64_t>> living_;  // with their units
  // Results for jobs that have not run yet, by units and by the id of the job just before: most
  // queued jobs share them.
  mutable std::map<std::pair<std::int64_t, JobId>, double> fresh_s_;
};

}  // namespace cox::schedule
