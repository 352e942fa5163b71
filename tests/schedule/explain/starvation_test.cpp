// Tests that no job starves: if a finite number of jobs is submitted, each starts before a time
// known in advance, for every order policy, placement policy and kind of backfill.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "schedule/explain/why_never_fits.h"
#include "schedule/queue/order.h"
#include "schedule/top/scheduler.h"
#include "tests/schedule/random_world.h"

namespace cox::schedule {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t streams = 40;
constexpr Milliseconds max_age = seconds{300};
constexpr Milliseconds limit_max = seconds{200};  // random_world.h

// A stream of jobs that are submitted one after the other, and run until their time limits.
class Stream {
 public:
  Stream(std::uint64_t seed, const Settings& settings)
      : settings_(settings), world_(world_of(seed)), scheduler_(world_.nodes, settings) {
    std::erase_if(world_.pending, [this](const PendingJob& job) {
      return job.held || impossible(engine_.nodes(), *job.request);
    });
    Milliseconds at{0};
    for (PendingJob& job : world_.pending) {
      job.eligible = Wall{at};
      coming_.emplace(job.id, job);
      arrivals_.emplace(at, job.id);
      at += seconds{job.id.value % 7};
    }
  }

  // Simulates the stream until all jobs have started. Returns the first start of each job.
  std::map<JobId, Milliseconds> run() {
    while (const auto next = next_instant()) {
      now_ = *next;
      step();
      if (testing::Test::HasFailure()) break;
    }
    return std::move(first_start_);
  }

  const std::map<JobId, PendingJob>& jobs() const { return coming_; }

 private:
  struct Live {
    RunningJob job;
    PendingJob pending;  // the job as it was while pending
    Milliseconds end{0};
  };

  static SchedulerInput world_of(std::uint64_t seed) {
    SchedulerInput world = random_world(seed, {.nodes_max = 5,
                                               .running_max = 0,
                                               .pending_max = 120,
                                               .all_limited = true,
                                               .preempting = false});
    for (SchedulerNode& node : world.nodes) node.available = true;
    return world;
  }

  // Returns the next time at which a job is submitted, ends, or has waited for max_age.
  std::optional<Milliseconds> next_instant() const {
    std::set<Milliseconds> instants;
    if (const auto next = arrivals_.upper_bound({now_, JobId{1'000'000}}); next != arrivals_.end())
      instants.insert(next->first);
    for (const auto& [id, live] : live_) instants.insert(live.end);
    for (const auto& [id, job] : waiting_)
      if (const auto aged = job.eligible - Wall{} + max_age; aged > now_) instants.insert(aged);
    return instants.empty() ? std::nullopt : std::optional(*instants.begin());
  }

  void step() {
    for (auto it = live_.begin(); it != live_.end();) {
      const auto one = it++;
      if (one->second.end > now_) continue;
      engine_.learn_ended(one->first, 1, one->second.pending.ran);
      engine_.remove(one->first);
      live_.erase(one);
    }
    for (const auto& [at, id] : arrivals_)
      if (at == now_) wait(coming_.at(id));
    while (pass()) {
    }
  }

  void wait(PendingJob job) {
    job.priority = priority_of(settings_, {.eligible = job.eligible,
                                           .time_limit = job.time_limit,
                                           .ran = job.ran,
                                           .cpus = units_of(*job.request)});
    engine_.put(job);
    waiting_.emplace(job.id, job);
  }

  // Runs a scheduling pass and carries out its plan. Returns whether a job was preempted, so that
  // another pass is needed.
  bool pass() {
    const Plan plan = scheduler_.plan({Boot{now_}, Wall{now_}}, ExplainDepth::nothing());
    for (const Preemption& preemption : plan.preemptions) {
      RunningJob& job = live_.at(preemption.victim).job;
      job.stopping = true;
      job.preemptable = false;
      engine_.put(job);
    }
    for (const Claimed& claim : plan.claims) engine_.claim(claim.job, claim.placement);
    for (const Start& begun : plan.starts) start(begun);
    for (const Preemption& preemption : plan.preemptions) requeue_victim(preemption.victim);
    return !plan.preemptions.empty();
  }

  void start(const Start& begun) {
    Live live;
    live.pending = waiting_.at(begun.job);
    live.job.id = begun.job;
    live.job.tier = live.pending.tier;
    live.job.began = Boot{now_};
    live.job.ran_before = live.pending.ran;
    live.job.grants = begun.placement;
    live.job.preemptable = preempts_inside_tier(settings_.order);
    live.end = now_ + *live.pending.time_limit;
    live.job.ends_by = Boot{live.end};
    live.job.loss_per_second_units = static_cast<double>(units_of(*live.pending.request));
    engine_.remove(live.pending.id);
    engine_.put(live.job);
    waiting_.erase(begun.job);
    first_start_.emplace(begun.job, now_);
    live_.emplace(begun.job, std::move(live));
  }

  // Requeues the victim of a preemption. The victim has lost no work.
  void requeue_victim(JobId id) {
    const Live live = live_.at(id);
    live_.erase(id);
    engine_.remove(id);
    PendingJob job = live.pending;
    const Milliseconds ran = Boot{now_} - live.job.began;
    job.ran += ran;
    *job.time_limit -= ran;
    wait(job);
  }

  Settings settings_;
  SchedulerInput world_;
  Scheduler scheduler_;
  Engine& engine_ = scheduler_.engine();
  std::map<JobId, PendingJob> coming_;
  std::set<std::pair<Milliseconds, JobId>> arrivals_;
  std::map<JobId, PendingJob> waiting_;
  std::map<JobId, Live> live_;
  std::map<JobId, Milliseconds> first_start_;
  Milliseconds now_{-1};
};

// Returns the latest start of a job under policies by which it comes to the front with age. After
// max_age (under fcfs at once), only jobs that were eligible earlier and have not started are
// before it. The first job of the queue starts at the latest when all running jobs have ended,
// within limit_max.
Milliseconds bound_with_aging(const Stream& stream, const std::map<JobId, Milliseconds>& starts,
                              const PendingJob& job, OrderPolicy order) {
  const Milliseconds eligible = job.eligible - Wall{};
  const Milliseconds aged = order == OrderPolicy::Fcfs ? eligible : eligible + max_age;
  std::int64_t before = 0;
  for (const auto& [id, other] : stream.jobs())
    if (std::pair(other.eligible, id) < std::pair(job.eligible, job.id) && starts.at(id) > aged)
      ++before;
  return aged + limit_max * (before + 1);
}

// Returns the latest end of all jobs under policies that do not bound the wait of each job: some
// job always runs, so all have ended after the sum of their time limits.
Milliseconds bound_without(const Stream& stream) {
  Milliseconds bound{0};
  for (const auto& [id, job] : stream.jobs())
    bound = std::max(bound, job.eligible - Wall{}) + *job.time_limit;
  return bound;
}

}  // namespace

TEST(Starvation, every_job_starts_in_time_under_every_order_and_placement) {
  std::size_t started = 0;
  for (const auto& [order_name, order] : order_policies()) {
    for (const auto& [placement_name, placement] : placement_policies()) {
      for (std::uint64_t seed = 1; seed <= streams; ++seed) {
        SCOPED_TRACE(std::string(order_name) + ", " + std::string(placement_name) + ", seed " +
                     std::to_string(seed));
        Settings settings{.order = order, .placement = placement, .order_exempt = seconds{20}};
        settings.backfill.reservations =
            std::array<std::int64_t, 4>{1, 0, 3, Backfill::all}[seed % 4];
        settings.priority.max_age = max_age;
        Stream stream(seed, settings);
        const auto first_start = stream.run();
        ASSERT_EQ(first_start.size(), stream.jobs().size()) << "some job never started";
        const bool promised = ends_starvation(order) || order == OrderPolicy::Fcfs;
        for (const auto& [id, job] : stream.jobs())
          ASSERT_LE(first_start.at(id), promised ? bound_with_aging(stream, first_start, job, order)
                                                 : bound_without(stream))
              << "job " << id.value;
        started += first_start.size();
      }
    }
  }
  EXPECT_GT(started, 20'000u);
}

}  // namespace cox::schedule
