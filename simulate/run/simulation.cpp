#include "simulate/run/simulation.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "simulate/run/freed_room.h"
#include "simulate/run/occupancy.h"

namespace cox::simulate {
namespace {

constexpr std::size_t passes_at_once_max = 10'000;
// From two reports the rate is known, and so the time that is left.
constexpr Milliseconds progress_known_after{2 * limits::progress_every_ms};

// The event that a job leaves its nodes, because it has ended or saved.
struct Leaving {
  Milliseconds at{};
  JobAt job = 0;
  std::int32_t attempt = 0;
  bool saved = false;

  // Puts the earliest on top of the heap.
  bool operator<(const Leaving& other) const {
    return std::tie(other.at, other.job, other.saved) < std::tie(at, job, saved);
  }
};

// The event that the rate of a running job becomes known by its reports.
struct Report {
  Milliseconds at{};
  JobAt job = 0;
  std::int32_t attempt = 0;

  bool operator<(const Report& other) const {
    return std::tie(other.at, other.job) < std::tie(at, job);
  }
};

class Simulation {
 public:
  Simulation(const Cluster& cluster, const std::vector<TraceJob>& jobs, Engine& engine,
             const PreemptionCost& cost, FairShares* shares)
      : jobs_(jobs),
        engine_(engine),
        cost_(cost),
        shares_(shares),
        occupancy_(cluster, jobs),
        live_(jobs.size()) {
    out_.jobs.resize(jobs.size());
  }

  Result<Simulated> run(const Progress& progress);

 private:
  struct Live {
    Milliseconds since{};    // time since which the job waits or runs
    Milliseconds done{0};    // work that the job did in earlier attempts
    Milliseconds burden{0};  // restart time at the begin of this attempt, without progress
    bool stopping = false;
    Holdings holdings;
  };

  JobRecord& record(JobAt job) { return out_.jobs[static_cast<std::size_t>(job)]; }
  Live& live(JobAt job) { return live_[static_cast<std::size_t>(job)]; }
  const TraceJob& trace_job(JobAt job) const { return jobs_[static_cast<std::size_t>(job)]; }

  std::optional<Milliseconds> next_leaving();
  std::optional<Milliseconds> next_instant();
  bool is_over(const Leaving& leaving);
  void leave(const Leaving& leaving);
  void wait(JobAt job, Milliseconds since);
  void arrive(Milliseconds now);
  void start(const Decisions::Start& start);
  void preempt(const Decisions::Preemption& preemption);
  Milliseconds end_of(JobAt job);
  void pass_on_reports();
  void update_shares();
  void note_moment();
  void note_unserved();
  void add_lost_time(JobAt job, Milliseconds time);

  const std::vector<TraceJob>& jobs_;
  Engine& engine_;
  PreemptionCost cost_;
  FairShares* shares_;
  Occupancy occupancy_;
  std::vector<Live> live_;
  std::priority_queue<Leaving> leaving_;
  std::priority_queue<Report> reports_;
  FreedRoom freed_;
  std::size_t arrived_ = 0;
  std::size_t ended_ = 0;
  std::int64_t pending_ = 0;
  std::int64_t running_ = 0;
  Milliseconds now_{};
  Simulated out_;
};

// Returns whether the event is outdated, because the attempt was preempted or has ended.
bool Simulation::is_over(const Leaving& leaving) {
  const Live& state = live(leaving.job);
  const bool runs = !state.holdings.empty() && record(leaving.job).attempts == leaving.attempt;
  return !runs || state.stopping != leaving.saved;
}

std::optional<Milliseconds> Simulation::next_leaving() {
  while (!leaving_.empty() && is_over(leaving_.top())) leaving_.pop();
  if (leaving_.empty()) return std::nullopt;
  return leaving_.top().at;
}

std::optional<Milliseconds> Simulation::next_instant() {
  std::optional<Milliseconds> next = next_leaving();
  const auto consider = [&next](Milliseconds at) { next = std::min(next.value_or(at), at); };
  if (arrived_ < jobs_.size()) consider(jobs_[arrived_].submit);
  if (pending_ > 0)
    if (const auto yields = engine_.next_preemptable(now_)) consider(*yields);
  return next;
}

void Simulation::leave(const Leaving& leaving) {
  const JobAt job = leaving.job;
  if (leaving.saved) {
    engine_.gone(job);
  } else {
    engine_.ended(job, trace_job(job).run);
  }
  occupancy_.give_back(live(job).holdings);
  if (shares_ != nullptr) shares_->left(job, now_);
  out_.stays.push_back({job, true, live(job).since, now_});
  live(job).holdings.clear();
  --running_;
  if (leaving.saved) {
    live(job).stopping = false;
    wait(job, leaving.at);
  } else {
    record(job).end = leaving.at;
    ++ended_;
  }
}

void Simulation::wait(JobAt job, Milliseconds since) {
  live(job).since = since;
  ++pending_;
  engine_.submit(job, live(job).done);
}

void Simulation::arrive(Milliseconds now) {
  for (; arrived_ < jobs_.size() && jobs_[arrived_].submit <= now; ++arrived_) {
    const auto job = static_cast<JobAt>(arrived_);
    record(job).possible = engine_.possible(job);
    if (record(job).possible) wait(job, now);
  }
}

void Simulation::add_lost_time(JobAt job, Milliseconds time) {
  record(job).lost += time;
  for (const Holding& holding : live(job).holdings) {
    const auto gpus = static_cast<double>(std::ssize(holding.gpus) * holding.gpu_milli) / 1'000;
    out_.lost_gpu_ms += gpus * static_cast<double>(time.count());
    out_.lost_cpu_ms +=
        static_cast<double>(holding.cpu_milli) / 1'000 * static_cast<double>(time.count());
  }
}

void Simulation::start(const Decisions::Start& start) {
  const JobAt job = start.job;
  JobRecord& noted = record(job);
  Live& state = live(job);
  occupancy_.take(start.holdings);
  out_.useless_kills += freed_.started(job, start.holdings);
  state.holdings = start.holdings;
  if (shares_ != nullptr) shares_->started(job, now_);
  out_.stays.push_back({job, false, state.since, now_});
  noted.waited += now_ - state.since;
  state.since = now_;
  state.burden = noted.attempts > 0 ? cost_.restart : Milliseconds{0};
  if (!noted.first_start) noted.first_start = now_;
  ++noted.attempts;
  --pending_;
  ++running_;
  add_lost_time(job, state.burden);
  leaving_.push({end_of(job), job, noted.attempts, false});
  if (trace_job(job).reports_progress)
    reports_.push({now_ + state.burden + progress_known_after, job, noted.attempts});
}

// Returns when the running job ends if it is not preempted.
Milliseconds Simulation::end_of(JobAt job) {
  const Live& state = live(job);
  return state.since + state.burden + trace_job(job).run - state.done;
}

// A report alone causes no pass; the next pass knows of it.
void Simulation::pass_on_reports() {
  for (; !reports_.empty() && reports_.top().at <= now_; reports_.pop()) {
    const auto [at, job, attempt] = reports_.top();
    const Live& state = live(job);
    if (!state.holdings.empty() && !state.stopping && record(job).attempts == attempt)
      engine_.report(job, end_of(job));
  }
}

void Simulation::preempt(const Decisions::Preemption& preemption) {
  const JobAt victim = preemption.victim;
  Live& state = live(victim);
  CHECK(!state.stopping && !state.holdings.empty());
  const Milliseconds on_nodes = now_ - state.since;
  state.done += std::max(on_nodes - state.burden, Milliseconds{0});
  state.stopping = true;
  // The unused rest of its restart time is not lost; start() had counted all of it.
  add_lost_time(victim, cost_.save - std::max(state.burden - on_nodes, Milliseconds{0}));
  ++out_.preemptions;
  freed_.freed_for(preemption.preemptor, state.holdings);
  leaving_.push({now_ + cost_.save, victim, record(victim).attempts, true});
}

void Simulation::update_shares() {
  if (shares_ == nullptr) return;
  if (auto factors = shares_->settle(now_)) engine_.set_fair_shares(std::move(*factors));
}

// Records the jobs that still wait at the end.
void Simulation::note_unserved() {
  for (JobAt job = 0; job < std::ssize(jobs_); ++job)
    if (record(job).possible && !record(job).end && live(job).holdings.empty())
      out_.stays.push_back({job, false, live(job).since, now_});
}

void Simulation::note_moment() {
  const Moment moment{now_,
                      pending_,
                      running_,
                      occupancy_.cpu_milli_used(),
                      occupancy_.gpu_milli_used(),
                      occupancy_.gpu_milli_fragmented()};
  if (!out_.moments.empty() && out_.moments.back().at == now_) {
    out_.moments.back() = moment;
  } else {
    out_.moments.push_back(moment);
  }
}

Result<Simulated> Simulation::run(const Progress& progress) {
  std::size_t passes_at_once = 0;
  while (const auto next = next_instant()) {
    passes_at_once = *next == now_ ? passes_at_once + 1 : 0;
    if (passes_at_once > passes_at_once_max)
      return Refusal{
          "the passes at " + std::to_string(next->count()) +
              " ms of the trace do not end: " + std::to_string(passes_at_once_max),
          "jobs preempt each other back and forth: set the cost of a preemption with --save-time"};
    now_ = *next;
    while (next_leaving() == now_) {
      const Leaving leaving = leaving_.top();
      leaving_.pop();
      leave(leaving);
    }
    arrive(now_);
    pass_on_reports();
    update_shares();
    const Decisions decisions = engine_.plan(now_);
    for (const auto& preemption : decisions.preemptions) preempt(preemption);
    for (const auto& each : decisions.starts) start(each);
    note_moment();
    progress(ended_, jobs_.size());
  }
  out_.useless_kills += freed_.never_used();
  note_unserved();
  return std::move(out_);
}

}  // namespace

Result<Simulated> simulate(const Cluster& cluster, const std::vector<TraceJob>& jobs,
                           Engine& engine, const PreemptionCost& cost, const Progress& progress,
                           FairShares* shares) {
  return Simulation(cluster, jobs, engine, cost, shares).run(progress);
}

}  // namespace cox::simulate
