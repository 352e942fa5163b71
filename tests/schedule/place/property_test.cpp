// Compares plans for random worlds with those of the brute-force scheduler of brute.h, and checks
// what must hold in every world. A failure names its seed; random_world(SEED, shape) makes that
// world again.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "schedule/explain/why_never_fits.h"
#include "schedule/place/fitting.h"
#include "schedule/place/matcher.h"
#include "schedule/place/ranking.h"
#include "tests/schedule/brute.h"
#include "tests/schedule/random_world.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

constexpr std::uint64_t small_worlds = 6'000;
constexpr std::uint64_t large_worlds = 300;
constexpr std::uint64_t simulated_worlds = 500;

std::set<JobId> stopping_in(const SchedulerInput& world) {
  std::set<JobId> ids;
  for (const RunningJob& job : world.running)
    if (job.stopping) ids.insert(job.id);
  return ids;
}

std::set<JobId> all_in(const SchedulerInput& world) {
  std::set<JobId> ids;
  for (const RunningJob& job : world.running) ids.insert(job.id);
  return ids;
}

std::optional<BruteVictims> victims_of(const SchedulerInput& world, const Plan& plan,
                                       const Settings& settings) {
  if (plan.preemptions.empty()) return std::nullopt;
  BruteVictims victims;
  for (const Preemption& p : plan.preemptions) {
    const auto job = std::ranges::find(world.running, p.victim, &RunningJob::id);
    victims.cost += brute_cost(*job, settings);
    ++victims.count;
  }
  return victims;
}

// Returns whether the running jobs use at most the CPUs that each node has.
bool fits_its_nodes(const SchedulerInput& world) {
  std::map<std::string, std::int64_t> used;
  for (const RunningJob& job : world.running)
    for (const NodeGrant& grant : job.grants) used[grant.node] += grant.cpus;
  return std::ranges::all_of(
      world.nodes, [&](const SchedulerNode& node) { return used[node.name] <= node.total.cpus; });
}

// Returns the first job of the queue that waits for room. Leaves out held jobs and those whose
// nodes are unavailable, since these delay no other job.
const PendingExplanation* first_that_waits(const Plan& plan) {
  for (const PendingExplanation& waiting : plan.waiting)
    if (waiting.reason != WaitReason::ReqNodeNotAvail && waiting.reason != WaitReason::JobHeldUser)
      return &waiting;
  return nullptr;
}

// Carries out plans and advances the time: started jobs run until their ends.
struct Simulation {
  SchedulerInput world;
  Boot now = start_of_time;
  std::map<JobId, Boot> started;

  void enact(const Plan& plan) {
    for (const Start& start : plan.starts) {
      const auto job = std::ranges::find(world.pending, start.job, &PendingJob::id);
      RunningJob running;
      running.id = job->id;
      running.tier = job->tier;
      running.partition_tier = job->partition_tier;
      running.grants = start.placement;
      running.began = now;
      running.request = job->request;
      const auto limit = start.time_limit ? start.time_limit : job->time_limit;
      if (limit) running.ends_by = now + *limit;
      world.running.push_back(running);
      world.pending.erase(job);
      started[start.job] = now;
    }
  }

  // Advances to the next end of a job, or begin or end of a reservation. Returns false if nothing
  // of this kind is left.
  bool advance() {
    std::optional<Boot> next;
    const auto consider = [&](Boot at) {
      if (at > now && (!next || at < *next)) next = at;
    };
    for (const RunningJob& job : world.running)
      if (job.ends_by) consider(*job.ends_by);
    for (const AdvanceReservation& one : world.reservations)
      for (const auto& [begin, end] : one.occurrences) consider(begin), consider(end);
    if (!next) return false;
    now = *next;
    std::erase_if(world.running,
                  [&](const RunningJob& job) { return job.ends_by && *job.ends_by <= now; });
    return true;
  }
};

}  // namespace

TEST(SmallWorlds, a_gang_starts_exactly_if_it_fits) {
  for (std::uint64_t seed = 1; seed <= small_worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SchedulerInput world = random_world(seed, {});
    const Plan plan = make_plan(world, at_start);
    verify(world, plan);
    const PendingJob& job = world.pending.front();
    ASSERT_EQ(plan.starts.size() == 1, !job.held && brute_fits(world, job, {}));
    for (const Start& start : plan.starts) ASSERT_TRUE(brute_allows(world, job, start.placement));
  }
}

// verify() checks that no resource is granted twice except the CPUs of suspended jobs, and that
// each preemptor has room once its suspended victims have stopped.
TEST(SmallWorlds, a_suspension_frees_only_cpus) {
  std::size_t suspended = 0;
  std::size_t resumed = 0;
  for (std::uint64_t seed = 1; seed <= small_worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldShape shape{.pending_max = 4};
    shape.suspending = true;
    const SchedulerInput world = random_world(seed, shape);
    const Plan plan = make_plan(world, at_start);
    verify(world, plan);
    suspended +=
        static_cast<std::size_t>(std::ranges::count_if(plan.preemptions, &Preemption::suspends));
    resumed += plan.resumes.size();
  }
  EXPECT_GT(suspended, 100u);
  EXPECT_GT(resumed, 100u);
}

// Checks the worlds in which a suspended job is the only job: none is pending, and no other runs or
// is stopping.
TEST(SmallWorlds, a_suspended_job_resumes_if_no_other_job_competes) {
  for (std::uint64_t seed = 1; seed <= small_worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldShape shape;
    shape.suspending = true;
    SchedulerInput world = random_world(seed, shape);
    world.pending.clear();
    const auto is_alone = [&](const RunningJob& job) {
      return std::ranges::none_of(world.running, [&](const RunningJob& other) {
        return other.id != job.id && !other.stopping;
      });
    };
    const Plan plan = make_plan(world, at_start);
    for (const RunningJob& job : world.running) {
      if (!job.resumable || !is_alone(job) || !stopping_in(world).empty()) continue;
      ASSERT_EQ(plan.resumes, std::vector<JobId>{job.id});
    }
  }
}

TEST(SmallWorlds, victims_are_the_cheapest_that_free_enough_and_only_if_needed) {
  std::size_t preempted = 0;
  for (std::uint64_t seed = 1; seed <= small_worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SchedulerInput world = random_world(seed, {});
    const Settings settings{.preempt_restart_cost = std::chrono::seconds{seed % 3 * 2},
                            .preempt_exempt_time = std::chrono::minutes{seed % 2 * 8},
                            .preempt_budget = static_cast<std::int64_t>(seed / 2 % 4)};
    const PendingJob& job = world.pending.front();
    const Plan plan = make_plan(world, at_start, settings);
    const bool needed = !job.held && !brute_fits(world, job, stopping_in(world));
    ASSERT_EQ(victims_of(world, plan, settings),
              needed ? brute_victims(world, job, settings) : std::nullopt);
    preempted += plan.preemptions.empty() ? 0 : 1;
  }
  EXPECT_GT(preempted, small_worlds / 50);  // enough worlds preempt
}

TEST(SmallWorlds, a_constrained_gang_starts_exactly_if_it_fits_with_the_cheapest_victims) {
  const Settings settings = random_world_settings();
  std::size_t started = 0;
  std::size_t preempted = 0;
  for (std::uint64_t seed = 1; seed <= small_worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SchedulerInput world = random_world(seed, {.nodes_max = 4, .wishes = true});
    const PendingJob& job = world.pending.front();
    const Plan plan = make_plan(world, at_start, settings);
    verify(world, plan);
    ASSERT_EQ(plan.starts.size() == 1, !job.held && brute_fits(world, job, {}));
    for (const Start& start : plan.starts) ASSERT_TRUE(brute_allows(world, job, start.placement));
    const bool needed = !job.held && !brute_fits(world, job, stopping_in(world));
    ASSERT_EQ(victims_of(world, plan, settings),
              needed ? brute_victims(world, job, settings) : std::nullopt);
    started += plan.starts.size();
    preempted += plan.preemptions.empty() ? 0 : 1;
  }
  // Enough worlds start a job for the test to mean something.
  EXPECT_GT(started, small_worlds / 20);
  EXPECT_GT(preempted, small_worlds / 100);
}

// Tries all placements of three running jobs on two nodes of three CPUs, each with every
// combination of expensive and exempt victims.
TEST(SmallWorlds, victims_are_the_cheapest_in_every_world_of_three_jobs) {
  const std::vector<std::string> places{"n1:1", "n2:1", "n1:3", "n1:1 n2:1"};
  const std::vector<std::string> manners{"loss=0",   "loss=2", "loss=1 weight=3",
                                         "loss=300", "ran=59", "preempted=599"};
  const std::vector<std::string> wishes{"tasks=3", "nodes=2 each=2", "exclusive"};
  const Settings settings{.preempt_restart_cost = Milliseconds{1'000},
                          .preempt_exempt_time = Milliseconds{60'000},
                          .preempt_budget = 1,
                          .preempt_budget_window = Milliseconds{600'000}};
  std::vector<std::string> lines;
  for (const std::string& place : places)
    for (const std::string& manner : manners) lines.push_back(place + " ran=60 " + manner);
  std::size_t preempted = 0;
  const auto check = [&](const SchedulerInput& world, const std::string& text) {
    SCOPED_TRACE(text);
    const PendingJob& job = world.pending.front();
    const Plan plan = make_plan(world, at_start, settings);
    const bool needed = !brute_fits(world, job, {});
    ASSERT_EQ(victims_of(world, plan, settings),
              needed ? brute_victims(world, job, settings) : std::nullopt);
    preempted += plan.preemptions.empty() ? 0 : 1;
  };
  for (std::size_t a = 0; a < lines.size(); ++a)
    for (std::size_t b = a; b < lines.size(); ++b)
      for (std::size_t c = b; c < lines.size(); ++c)
        for (const std::string& wish : wishes) {
          const std::string text = "node n1,n2 cpus=3\nruns 1 on " + lines[a] + "\nruns 2 on " +
                                   lines[b] + "\nruns 3 on " + lines[c] + "\nwants 9 tier=2 " +
                                   wish;
          const SchedulerInput world = world_from(text);
          if (fits_its_nodes(world)) check(world, text);
          if (HasFailure()) return;
        }
  EXPECT_GT(preempted, 1'000u);
}

TEST(SmallWorlds, a_job_is_impossible_exactly_if_the_idle_cluster_cannot_run_it) {
  for (std::uint64_t seed = 1; seed <= small_worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SchedulerInput world = random_world(seed, {});
    for (SchedulerNode& node : world.nodes) node.available = true;
    const PendingJob& job = world.pending.front();
    ASSERT_EQ(impossible(Nodes(world.nodes), *job.request).has_value(),
              !brute_fits(world, job, all_in(world)));
  }
}

TEST(LargeWorlds, nothing_is_overcommitted_and_every_job_starts_or_has_a_pending_reason) {
  for (std::uint64_t seed = 1; seed <= large_worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SchedulerInput world = random_world(
        seed, {.nodes_max = 12, .running_max = 25, .pending_max = 30, .reserving = seed % 2 == 0});
    verify(world, make_plan(world, at_start));
    if (HasFailure()) return;
  }
}

// The engine keeps a ranking of nodes up to date while jobs are placed. It must find the same nodes
// as place(), which looks at every node each time.
TEST(LargeWorlds, a_ranking_finds_what_a_search_of_all_nodes_finds) {
  std::size_t placed = 0;
  for (std::uint64_t seed = 1; seed <= large_worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SchedulerInput world =
        random_world(seed, {.nodes_max = 12, .running_max = 5, .pending_max = 30});
    const Nodes nodes(world.nodes);
    DemandProfile usual;
    for (const PendingJob& job : world.pending) usual.learn(*job.request);
    Matcher matcher(nodes, std::array{PlacementPolicy::BestFit, PlacementPolicy::Packing,
                                      PlacementPolicy::Spreading, PlacementPolicy::LeastFree,
                                      PlacementPolicy::Fgd}[seed % 5]);
    matcher.learn(usual);
    for (const PendingJob& job : world.pending) {
      const ResolvedRequest& need = matcher.need(*job.request, Availability::Required);
      if (!Ranking::serves(need)) continue;
      TrackedRoom room(matcher.idle());
      NodeGroups alike(nodes, room);
      Ranking ranking(need, alike);
      Fitting fitting(need, nodes, room);
      for (auto expected = place(need, nodes, room); expected;
           expected = place(need, nodes, room)) {
        ASSERT_TRUE(fitting.enough());
        alike.follow();
        const std::vector<NodeAt> best = ranking.best();
        if (best.empty()) break;  // the tasks cannot be spread evenly; only place() handles that
        ASSERT_EQ(even_shares(need, nodes, room, best), *expected);
        room.take(*expected);
        fitting.nodes_changed(*expected, room);
        ++placed;
      }
      ASSERT_EQ(fitting.enough(), fits(need, room));
    }
  }
  EXPECT_GT(placed, large_worlds);
}

TEST(LargeWorlds, the_plan_does_not_depend_on_the_order_of_the_input) {
  for (std::uint64_t seed = 1; seed <= large_worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SchedulerInput world =
        random_world(seed, {.nodes_max = 12, .running_max = 25, .pending_max = 30});
    std::erase_if(world.pending, [](const PendingJob& job) { return job.held; });
    const std::string first_plan = text_of(make_plan(world, at_start));
    std::ranges::reverse(world.nodes);
    std::ranges::reverse(world.pending);
    ASSERT_EQ(first_plan, text_of(make_plan(world, at_start)));
  }
}

// The first job of the queue starts at the latest when it was first expected to, no matter which
// jobs are backfilled and how many other jobs have reservations.
TEST(LargeWorlds, backfilling_never_delays_the_reserved_job) {
  std::size_t reserved = 0;
  for (std::uint64_t seed = 1; seed <= simulated_worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Settings settings{.backfill = {std::array<std::int64_t, 4>{0, 1, 3, 100}[seed / 2 % 4]}};
    Simulation simulation;
    simulation.world = random_world(seed, {.nodes_max = 6,
                                           .running_max = 12,
                                           .pending_max = 12,
                                           .all_limited = seed % 2 == 0,
                                           .preempting = false});
    std::map<JobId, Boot> promised;
    do {
      const Plan plan = make_plan(simulation.world, {simulation.now, at_start.wall}, settings);
      verify(simulation.world, plan);
      const PendingExplanation* first = first_that_waits(plan);
      if (first != nullptr && first->expected_start)
        promised.try_emplace(first->job, *first->expected_start);
      simulation.enact(plan);
    } while (simulation.advance());
    for (const auto& [job, expected] : promised) {
      ASSERT_TRUE(simulation.started.contains(job)) << "job " << job.value << " never started";
      ASSERT_LE(to_ms(simulation.started[job]), to_ms(expected)) << "job " << job.value;
    }
    reserved += promised.size();
  }
  EXPECT_GT(reserved, simulated_worlds / 2);
}

// Runs each world until all jobs have ended. Each job that waits only for the end of a reservation
// starts.
TEST(LargeWorlds, no_job_starts_on_nodes_reserved_for_others) {
  std::size_t started = 0;
  for (std::uint64_t seed = 1; seed <= simulated_worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Settings settings{.backfill = {std::array<std::int64_t, 4>{0, 1, 3, 100}[seed / 2 % 4]}};
    Simulation simulation;
    simulation.world = random_world(seed, {.nodes_max = 6,
                                           .running_max = 6,
                                           .pending_max = 12,
                                           .all_limited = seed % 2 == 0,
                                           .preempting = false,
                                           .reserving = true});
    do {
      const Plan plan = make_plan(simulation.world, {simulation.now, at_start.wall}, settings);
      verify(simulation.world, plan, simulation.now);
      simulation.enact(plan);
    } while (!HasFailure() && simulation.advance());
    if (HasFailure()) return;
    started += simulation.started.size();
  }
  EXPECT_GT(started, simulated_worlds);
}

TEST(LargeWorlds, if_all_jobs_have_time_limits_every_possible_job_starts) {
  for (std::uint64_t seed = 1; seed <= simulated_worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation simulation;
    simulation.world = random_world(seed, {.nodes_max = 6,
                                           .running_max = 12,
                                           .pending_max = 12,
                                           .all_limited = true,
                                           .preempting = false});
    do simulation.enact(make_plan(simulation.world, {simulation.now, at_start.wall}));
    while (simulation.advance());
    for (const PendingJob& job : simulation.world.pending)
      ASSERT_TRUE(job.held || !brute_fits(simulation.world, job, {})) << job.id.value;
  }
}

}  // namespace cox::schedule
