#include "simulate/run/fill.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "common/base/check.h"
#include "simulate/run/occupancy.h"

namespace cox::simulate {
namespace {

constexpr std::size_t handed_over_at_once = 256;

std::int64_t demand_of(const TraceJob& job) {
  return job.gpus * job.gpu_milli;
}

std::int64_t demand_of(const std::vector<TraceJob>& jobs) {
  std::int64_t sum = 0;
  for (const TraceJob& job : jobs) sum += demand_of(job);
  return sum;
}

// Returns a number below `bound`, evenly distributed. Distributions of the standard library differ
// between implementations; this one does not.
std::size_t draw(std::mt19937_64& random, std::size_t bound) {
  const std::uint64_t unfair = (0 - std::uint64_t{bound}) % bound;
  std::uint64_t value = random();
  while (value < unfair) value = random();
  return static_cast<std::size_t>(value % bound);
}

// Collects a value at each arrival, and averages it over the arrivals at each percent of demand.
class Curve {
 public:
  explicit Curve(double whole) : whole_(whole) {}
  void add(std::int64_t demand, double value) {
    const double pct = std::round(100.0 * static_cast<double>(demand) / whole_);
    if (pct > static_cast<double>(demand_pct_max)) return;
    auto& [sum, count] = at_[static_cast<std::size_t>(pct)];
    sum += 100.0 * value / whole_;
    ++count;
  }
  // Returns the means by percent of demand. If no job arrived at a percent, the previous mean
  // holds.
  std::array<double, demand_pct_max + 1> means() const {
    std::array<double, demand_pct_max + 1> means{};
    for (std::size_t pct = 0; pct < means.size(); ++pct) {
      const auto& [sum, count] = at_[pct];
      means[pct] = count > 0 ? sum / static_cast<double>(count) : pct > 0 ? means[pct - 1] : 0.0;
    }
    return means;
  }

 private:
  double whole_;
  std::array<std::pair<double, std::int64_t>, demand_pct_max + 1> at_{};
};

class Filling {
 public:
  Filling(const Cluster& cluster, const std::vector<TraceJob>& arrivals, Engine& engine)
      : arrivals_(arrivals),
        engine_(engine),
        occupancy_(cluster, arrivals),
        allocated_(static_cast<double>(cluster.gpus()) * 1'000),
        fragmented_(static_cast<double>(cluster.gpus()) * 1'000) {
    out_.gpu_milli = cluster.gpus() * 1'000;
    out_.arrived = std::ssize(arrivals);
  }

  Filled run(const Progress& progress);

 private:
  void hand_over();
  void drop();
  void arrived(JobAt job, const Decisions::Start* start);

  const std::vector<TraceJob>& arrivals_;
  Engine& engine_;
  Occupancy occupancy_;
  Curve allocated_;
  Curve fragmented_;
  std::size_t handed_over_ = 0;
  std::size_t settled_ = 0;  // number of jobs placed or dropped
  std::int64_t demand_ = 0;
  Filled out_;
};

void Filling::hand_over() {
  for (; handed_over_ < arrivals_.size() && handed_over_ - settled_ < handed_over_at_once;
       ++handed_over_)
    engine_.submit(static_cast<JobAt>(handed_over_), Milliseconds{0});
}

void Filling::drop() {
  const auto dropped = static_cast<JobAt>(settled_);
  engine_.withdraw(dropped);
  arrived(dropped, nullptr);
}

// Records that the next job has arrived; `start` is null if it was dropped.
void Filling::arrived(JobAt job, const Decisions::Start* start) {
  CHECK(static_cast<std::size_t>(job) == settled_);
  demand_ += demand_of(arrivals_[settled_]);
  ++settled_;
  if (start != nullptr) {
    occupancy_.take(start->holdings);
    ++out_.placed;
  }
  allocated_.add(demand_, static_cast<double>(occupancy_.gpu_milli_used()));
  fragmented_.add(demand_, occupancy_.gpu_milli_fragmented());
}

Filled Filling::run(const Progress& progress) {
  while (settled_ < arrivals_.size()) {
    hand_over();
    Decisions decisions = engine_.plan(Milliseconds{0});
    // Without backfill the jobs that start are the first in the queue, except for jobs that no node
    // can ever run. The job behind them does not fit.
    std::ranges::sort(decisions.starts, {}, &Decisions::Start::job);
    for (const auto& start : decisions.starts) {
      for (; static_cast<JobAt>(settled_) < start.job; drop())
        CHECK(!engine_.possible(static_cast<JobAt>(settled_)));
      arrived(start.job, &start);
    }
    if (settled_ < handed_over_) drop();
    progress(settled_, arrivals_.size());
  }
  out_.allocated_pct = allocated_.means();
  out_.fragmented_pct = fragmented_.means();
  return out_;
}

}  // namespace

std::vector<TraceJob> inflate_and_shuffle(const std::vector<TraceJob>& workload,
                                          const Cluster& cluster, std::uint64_t seed) {
  const std::int64_t target = cluster.gpus() * 1'000 * std::int64_t{demand_pct_max} / 100;
  CHECK(demand_of(workload) > 0 && target > 0);
  std::mt19937_64 random(seed);
  std::vector<TraceJob> jobs = workload;
  std::int64_t demand = demand_of(jobs);
  const bool too_much = demand > target;
  while (too_much && demand > target) {
    const std::size_t at = draw(random, jobs.size());
    demand -= demand_of(jobs[at]);
    std::swap(jobs[at], jobs.back());
    jobs.pop_back();
  }
  while (!too_much && demand < target) {
    jobs.push_back(workload[draw(random, workload.size())]);
    demand += demand_of(jobs.back());
  }
  for (std::size_t i = jobs.size(); i > 1; --i) std::swap(jobs[i - 1], jobs[draw(random, i)]);
  for (TraceJob& job : jobs) {
    job.submit = Milliseconds{0};  // all at once, in the order of the list
    job.estimate.reset();          // no job needs a time limit, since none ever leaves
  }
  return jobs;
}

Filled fill(const Cluster& cluster, const std::vector<TraceJob>& arrivals, Engine& engine,
            const Progress& progress) {
  return Filling(cluster, arrivals, engine).run(progress);
}

}  // namespace cox::simulate
