#include "simulate/run/simulation.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "common/base/check.h"
#include "simulate/run/freed_room.h"
#include "simulate/run/occupancy.h"

namespace cox::simulate {
namespace {

constexpr std::size_t passes_at_once_max = 10'000;

// A job leaves its nodes: it has ended, or it has saved.
struct Leaving {
  Milliseconds at{};
  JobAt job = 0;
  std::int32_t attempt = 0;
  bool saved = false;

  // The earliest is on top of the heap.
  bool operator<(const Leaving& other) const {
    return std::tie(other.at, other.job, other.saved) < std::tie(at, job, saved);
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
    Milliseconds since{};    // it waits or runs
    Milliseconds done{0};    // of its work, in earlier attempts
    Milliseconds burden{0};  // of this attempt: time before it gets on
    bool stopping = false;
    Holdings holdings;
  };

  JobRecord& record(JobAt job) { return out_.jobs[static_cast<std::size_t>(job)]; }
  Live& live(JobAt job) { return live_[static_cast<std::size_t>(job)]; }
  const TraceJob& asked(JobAt job) const { return jobs_[static_cast<std::size_t>(job)]; }

  std::optional<Milliseconds> next_leaving();
  std::optional<Milliseconds> next_instant();
  bool is_over(const Leaving& leaving);
  void leave(const Leaving& leaving);
  void wait(JobAt job, Milliseconds since);
  void arrive(Milliseconds now);
  void start(const Decisions::Start& start);
  void preempt(const Decisions::Preemption& preemption);
  void settle_shares();
  void note_moment();
  void note_unserved();
  void lose(JobAt job, Milliseconds time);

  const std::vector<TraceJob>& jobs_;
  Engine& engine_;
  PreemptionCost cost_;
  FairShares* shares_;
  Occupancy occupancy_;
  std::vector<Live> live_;
  std::priority_queue<Leaving> leaving_;
  FreedRoom freed_;
  std::size_t arrived_ = 0;
  std::size_t ended_ = 0;
  std::int64_t pending_ = 0;
  std::int64_t running_ = 0;
  Milliseconds now_{};
  Simulated out_;
};

// The end of an attempt that was preempted before.
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
    if (const auto yields = engine_.next_to_yield(now_)) consider(*yields);
  return next;
}

void Simulation::leave(const Leaving& leaving) {
  const JobAt job = leaving.job;
  if (leaving.saved) {
    engine_.gone(job);
  } else {
    engine_.ended(job, asked(job).run);
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

void Simulation::lose(JobAt job, Milliseconds time) {
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
  lose(job, state.burden);
  leaving_.push({now_ + state.burden + asked(job).run - state.done, job, noted.attempts, false});
}

void Simulation::preempt(const Decisions::Preemption& preemption) {
  const JobAt victim = preemption.victim;
  Live& state = live(victim);
  CHECK(!state.stopping && !state.holdings.empty());
  const Milliseconds on_nodes = now_ - state.since;
  state.done += std::max(on_nodes - state.burden, Milliseconds{0});
  state.stopping = true;
  // What it has not used up of its restart is not lost: start() had counted all of it.
  lose(victim, cost_.save - std::max(state.burden - on_nodes, Milliseconds{0}));
  ++out_.preemptions;
  freed_.freed_for(preemption.preemptor, state.holdings);
  leaving_.push({now_ + cost_.save, victim, record(victim).attempts, true});
}

void Simulation::settle_shares() {
  if (shares_ == nullptr) return;
  if (auto factors = shares_->settle(now_)) engine_.set_fair_shares(std::move(*factors));
}

// Who still waits when nothing happens any more.
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
      return Refusal{"the engine comes to no rest at " + std::to_string(next->count()) +
                         " ms of the trace: " + std::to_string(passes_at_once_max) + " passes",
                     "it preempts back and forth: give preemption a cost, --save-time"};
    now_ = *next;
    while (next_leaving() == now_) {
      const Leaving leaving = leaving_.top();
      leaving_.pop();
      leave(leaving);
    }
    arrive(now_);
    settle_shares();
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
