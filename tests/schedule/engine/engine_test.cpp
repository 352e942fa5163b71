// Tests that an engine updated with each change of the cluster plans like one given it all at once.
#include "schedule/engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "schedule/place/place.h"
#include "schedule/queue/order.h"
#include "schedule/top/scheduler.h"
#include "tests/schedule/random_world.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

// The state of a cluster, and an engine that is updated with each change of that state.
struct LiveEngine {
  SchedulerInput world;
  std::vector<PendingJob> all_pending;  // all jobs that were ever pending
  std::map<JobId, Placement> claims;
  std::vector<std::pair<JobId, Milliseconds>> ended;
  Scheduler scheduler;
  Engine& engine = scheduler.engine();
  Boot now = start_of_time;

  LiveEngine(SchedulerInput given, const Settings& settings)
      : world(std::move(given)), all_pending(world.pending), scheduler(world.nodes, settings) {
    put_all(engine);
  }

  void put_all(Engine& other) const {
    for (const PendingJob& job : all_pending) other.learn(*job.request);
    for (const auto& [id, service] : ended) other.learn_ended(id, 1, service);
    other.set_reservations(world.reservations);
    other.set_quotas(world.quotas);
    for (const RunningJob& job : world.running) other.put(job);
    for (const PendingJob& job : world.pending) other.put(job);
    for (const auto& [id, placement] : claims) other.claim(id, placement);
  }

  const PendingJob& pending(JobId id) const {
    return *std::ranges::find(world.pending, id, &PendingJob::id);
  }

  // Makes one copy of a job with several copies a job of its own, and returns the new job's id.
  JobId split_first(JobId id) {
    const auto job = std::ranges::find(world.pending, id, &PendingJob::id);
    if (job->copies == 1) return id;
    PendingJob part = *job;
    part.id = JobId{1'000 * id.value + job->copies};
    part.copies = 1;
    engine.put(part);
    job->copies -= 1;
    engine.set_copies(id, job->copies);
    world.pending.push_back(part);
    engine.note_split(id, part.id);
    return part.id;
  }

  void claim(const Claimed& claimed) {
    const JobId id = split_first(claimed.job);
    claims[id] = claimed.placement;
    engine.claim(id, claimed.placement);
  }

  void start(const Start& start) {
    const JobId id = split_first(start.job);
    const auto job = std::ranges::find(world.pending, id, &PendingJob::id);
    RunningJob running;
    running.id = job->id;
    running.tier = job->tier;
    running.partition_tier = job->partition_tier;
    running.grants = start.placement;
    running.preemptable = job->id.value % 2 == 0;
    running.began = now;
    running.ran_before = job->ran;
    running.unsaved_since = now;
    running.loss_per_second_units = 1;
    running.suspends = job->id.value % 3 == 0;
    running.request = job->request;
    running.limits = job->limits;
    if (job->time_limit) running.ends_by = now + *job->time_limit;
    engine.remove(id);
    engine.put(running);
    world.running.push_back(running);
    claims.erase(id);
    world.pending.erase(job);
  }

  void stop(JobId id) {
    const auto job = std::ranges::find(world.running, id, &RunningJob::id);
    job->stopping = true;
    job->preemptable = false;
    job->ends_by = now + std::chrono::seconds{5};
    engine.put(*job);
  }

  void suspend(JobId id) {
    const auto job = std::ranges::find(world.running, id, &RunningJob::id);
    job->suspended = true;
    job->preemptable = false;
    if (job->ends_by) job->time_left = *job->ends_by - now;
    job->ends_by.reset();
    engine.put(*job);
  }

  void resume(JobId id) {
    const auto job = std::ranges::find(world.running, id, &RunningJob::id);
    job->suspended = job->is_suspended = job->resumable = false;
    job->preemptable = true;
    job->resumed = now;
    if (job->time_left) job->ends_by = now + *job->time_left;
    job->time_left.reset();
    engine.put(*job);
  }

  // Marks suspended jobs as stopped, as when all nodes have reported that none of their processes
  // run.
  void mark_suspended_jobs_stopped() {
    for (RunningJob& job : world.running) {
      if (!job.suspended || job.is_suspended || job.stopping) continue;
      job.is_suspended = job.resumable = true;
      engine.put(job);
    }
  }

  // Makes a job not preemptable, or preemptable again, as when a node falls silent or responds
  // again.
  void toggle_preemptable() {
    const auto job = std::ranges::find_if(
        world.running, [](const RunningJob& one) { return !one.stopping && !one.suspended; });
    if (job == world.running.end()) return;
    job->preemptable = !job->preemptable;
    engine.put(*job);
  }

  // Changes the end of a job, as when a worker reports a new run time of its ranks.
  void change_an_end() {
    const auto job = std::ranges::find(world.running, false, &RunningJob::stopping);
    if (job == world.running.end() || !job->ends_by) return;
    *job->ends_by += Milliseconds{1};
    engine.put(*job);
  }

  // Makes a node unavailable, or available again, as when it is drained or resumed.
  void toggle_a_node(std::size_t which) {
    SchedulerNode& node = world.nodes[which % world.nodes.size()];
    node.available = !node.available;
    node.unavailable_why = node.available ? "" : "drained: a test";
    engine.set_nodes(world.nodes);
  }

  // Moves an advance reservation in time, as when an operator changes it.
  void shift_a_reservation() {
    if (world.reservations.empty()) return;
    for (auto& occurrence : world.reservations.front().occurrences) {
      occurrence.begin += std::chrono::seconds{7};
      occurrence.end += std::chrono::seconds{20};
    }
    std::ranges::reverse(world.reservations);
    engine.set_reservations(world.reservations);
  }

  void end(JobId id) {
    const auto job = std::ranges::find(world.running, id, &RunningJob::id);
    ended.emplace_back(id, job->ran_before + (now - job->began));
    engine.learn_ended(id, 1, ended.back().second);
    std::erase_if(world.running, [id](const RunningJob& job) { return job.id == id; });
    engine.remove(id);
  }

  void enact(const Plan& plan) {
    for (const Start& one : plan.starts) start(one);
    for (const JobId id : plan.resumes) resume(id);
    for (const Preemption& preemption : plan.preemptions)
      preemption.suspends ? suspend(preemption.victim) : stop(preemption.victim);
    for (const Claimed& claimed : plan.claims) claim(claimed);
  }

  // Advances the clock to the next end of a running job. Returns false if no job has an end.
  bool advance() {
    std::optional<Boot> next;
    for (const RunningJob& job : world.running)
      if (job.ends_by && (!next || *job.ends_by < *next)) next = job.ends_by;
    if (!next) return false;
    now = std::max(now, *next);
    std::vector<JobId> over;
    for (const RunningJob& job : world.running)
      if (job.ends_by && *job.ends_by <= now) over.push_back(job.id);
    for (const JobId id : over) end(id);
    return true;
  }
};

// Expects for each pending job and each tier that fits_if_all_preempted() gives the same answer as
// a room that is computed anew from the running jobs.
void expect_right_fits_if_all_yield(LiveEngine& live) {
  for (const PendingJob& job : live.world.pending) {
    const ResolvedRequest& need = live.engine.need_of(*job.request, live.now, std::nullopt);
    for (std::int64_t tier_max = 0; tier_max <= 3; ++tier_max) {
      Room room = live.engine.ground().matcher().idle();
      for (const RunningJob& running : live.world.running)
        if (!running.stopping) {
          const GangParts held = shares_of(live.engine.nodes(), running.grants, *running.request);
          const bool yields = running.preemptable && running.tier <= tier_max;
          if (running.suspended || (yields && running.suspends)) {
            room.take(all_but_cpus_of(held));
          } else if (!yields) {
            room.take(held);
          }
        }
      EXPECT_EQ(live.engine.ground().fits_if_all_preempted(need, tier_max, live.engine.running()),
                fits(need, room))
          << "job " << job.id.value << " tier " << tier_max;
    }
  }
}

// Gives some pending jobs several copies, as arrays have several equal tasks.
void add_copies(SchedulerInput& world) {
  for (PendingJob& job : world.pending)
    if (job.id.value % 6 == 1 && job.ran == Milliseconds{0}) job.copies = 2 + job.id.value % 5;
}

struct Done {
  std::size_t starts = 0;
  std::size_t preemptions = 0;
  std::size_t resumes = 0;
};

// Carries out plan after plan. Expects each to equal that of a new engine with the same state.
Done follow(LiveEngine& live, const Settings& settings) {
  Done done;
  for (int passes = 0; passes < 20; ++passes) {
    const Plan plan = live.scheduler.plan({live.now, at_start.wall}, ExplainDepth::everything());
    Scheduler anew(live.world.nodes, settings);
    live.put_all(anew.engine());
    EXPECT_EQ(text_of(plan),
              text_of(anew.plan({live.now, at_start.wall}, ExplainDepth::everything())));
    if (!preempts_inside_tier(settings.order)) verify(live.world, plan, live.now);
    if (live.world.nodes.size() % 8 == 0) expect_right_fits_if_all_yield(live);
    live.enact(plan);
    done.starts += plan.starts.size();
    done.preemptions += plan.preemptions.size();
    done.resumes += plan.resumes.size();
    if (passes % 2 == 1) live.mark_suspended_jobs_stopped();
    if (passes % 2 == 0) live.toggle_preemptable();
    if (passes % 3 == 0) live.toggle_a_node(done.starts);
    if (passes % 4 == 1) live.shift_a_reservation();
    if (testing::Test::HasFailure() || !live.advance()) return done;
  }
  return done;
}

}  // namespace

TEST(Engine, an_engine_updated_fact_by_fact_plans_like_a_new_engine) {
  std::map<OrderPolicy, Done> all;
  for (std::uint64_t seed = 1; seed <= 480; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto order = seed % 5 == 0 ? OrderPolicy::Gittins : OrderPolicy::Multifactor;
    const auto placement = std::array{PlacementPolicy::Fgd, PlacementPolicy::BestFit,
                                      PlacementPolicy::Spreading}[seed % 3];
    const Settings settings{.order = order,
                            .placement = placement,
                            .backfill = {static_cast<int>(seed % 4)},
                            .order_exempt = Milliseconds{0}};
    SchedulerInput world = random_world(seed, {.nodes_max = 8,
                                               .running_max = 12,
                                               .pending_max = 40,
                                               .suspending = seed % 3 > 0,
                                               .reserving = seed % 4 == 2,
                                               .quotas = seed % 7 < 3});
    for (PendingJob& job : world.pending)
      if (job.id.value % 3 == 0) job.ran = std::chrono::seconds{job.id.value};
    add_copies(world);
    LiveEngine live(std::move(world), settings);
    const Done done = follow(live, settings);
    all[order].starts += done.starts;
    all[order].preemptions += done.preemptions;
    all[order].resumes += done.resumes;
    if (HasFailure()) return;
  }
  for (const auto& [order, done] : all) {
    EXPECT_GT(done.starts, 200u);
    EXPECT_GT(done.preemptions, 50u);
    EXPECT_GT(done.resumes, 20u);
  }
}

// A scheduling pass may be divided into many small parts. If nothing changes between them, they
// decide the same as one undivided pass.
TEST(Engine, a_pass_in_parts_decides_like_one_pass) {
  std::size_t parts = 0;
  Done done;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto order = std::array{OrderPolicy::Multifactor, OrderPolicy::Gittins,
                                  OrderPolicy::ShortestRemaining}[seed % 3];
    const Settings settings{.order = order,
                            .backfill = {std::array<std::int64_t, 4>{1, 0, 3, 100}[seed / 3 % 4]},
                            .order_exempt = Milliseconds{0}};
    SchedulerInput world = random_world(seed, {.nodes_max = 8,
                                               .running_max = 12,
                                               .pending_max = 40,
                                               .suspending = seed % 2 > 0,
                                               .reserving = seed % 5 == 0,
                                               .quotas = seed % 7 < 3});
    add_copies(world);
    LiveEngine whole(world, settings);
    LiveEngine live(world, settings);
    for (int passes = 0; passes < 5; ++passes) {
      const Now now{live.now, at_start.wall};
      Plan plan;
      do {
        const Plan part = live.scheduler.plan_part(now, 1);
        live.enact(part);
        plan.starts.insert(plan.starts.end(), part.starts.begin(), part.starts.end());
        plan.preemptions.insert(plan.preemptions.end(), part.preemptions.begin(),
                                part.preemptions.end());
        plan.resumes.insert(plan.resumes.end(), part.resumes.begin(), part.resumes.end());
        ++parts;
      } while (live.scheduler.is_passing());
      const Plan expected = whole.scheduler.plan(now, ExplainDepth::nothing());
      ASSERT_EQ(text_of(plan), text_of(expected));
      whole.enact(expected);
      ASSERT_EQ(live.claims, whole.claims);
      done.starts += plan.starts.size();
      done.preemptions += plan.preemptions.size();
      done.resumes += plan.resumes.size();
      live.mark_suspended_jobs_stopped();
      whole.mark_suspended_jobs_stopped();
      if (!live.advance() || !whole.advance()) break;
    }
  }
  EXPECT_GT(parts, 10'000u);
  EXPECT_GT(done.starts, 1'000u);
  EXPECT_GT(done.preemptions, 100u);
  EXPECT_GT(done.resumes, 20u);
}

TEST(Engine, after_a_job_end_changes_during_a_pass_the_engine_plans_like_a_new_one) {
  std::size_t preemptions = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Settings settings{.backfill = {static_cast<int>(seed % 4)}};
    LiveEngine live(
        random_world(
            seed,
            {.nodes_max = 8, .running_max = 12, .pending_max = 40, .suspending = seed % 2 > 0}),
        settings);
    const Now now{live.now, at_start.wall};
    do {
      const Plan part = live.scheduler.plan_part(now, 1);
      preemptions += part.preemptions.size();
      live.enact(part);
      live.change_an_end();
    } while (live.scheduler.is_passing());
    Scheduler anew(live.world.nodes, settings);
    live.put_all(anew.engine());
    ASSERT_EQ(text_of(live.scheduler.plan(now, ExplainDepth::everything())),
              text_of(anew.plan(now, ExplainDepth::everything())));
  }
  EXPECT_GT(preemptions, 50u);
}

// Between any two parts of the pass a job ends and a job of higher priority is submitted. In some
// of the runs the nodes change too.
TEST(Engine, a_pass_in_parts_reaches_the_last_job_whatever_changes_meanwhile) {
  for (const int nodes_change_every : {0, 7, 1}) {
    SchedulerInput world = world_from("node n1 cpus=64\nnode n2 cpus=1");
    world.nodes[1].features = {"tail"};
    Scheduler scheduler(world.nodes);
    Engine& engine = scheduler.engine();
    std::int64_t next_id = 1;
    const auto submit = [&](std::int64_t cpus, double priority, const std::string& feature) {
      PendingJob job;
      job.id = JobId{next_id++};
      job.priority = priority;
      Request request;
      request.cpus_per_task = cpus;
      request.memory_mb_per_node = feature.empty() ? job.id.value : 0;  // no two requests are equal
      request.constraint = feature;
      job.request = std::move(request);
      engine.put(job);
      return job;
    };
    std::map<JobId, PendingJob> waiting;
    for (int i = 0; i < 100; ++i) {
      const PendingJob job = submit(64, 5, "");
      waiting.emplace(job.id, job);
    }
    const PendingJob tail = submit(1, 0, "tail");
    waiting.emplace(tail.id, tail);
    std::optional<JobId> runs;
    int turns = 0;
    for (; waiting.contains(tail.id); ++turns) {
      ASSERT_LT(turns, 1'000) << "nodes change every " << nodes_change_every;
      const Plan plan = scheduler.plan_part({start_of_time, at_start.wall}, 64);
      if (runs) engine.remove(*std::exchange(runs, std::nullopt));
      for (const Start& start : plan.starts) {
        engine.remove(start.job);
        waiting.erase(start.job);
        RunningJob running;
        running.id = start.job;
        running.grants = start.placement;
        engine.put(running);
        if (start.job != tail.id) runs = start.job;
      }
      const PendingJob better = submit(64, 10 + turns, "");
      waiting.emplace(better.id, better);
      if (nodes_change_every > 0 && turns % nodes_change_every == 0) {
        world.nodes[0].total.memory_mb += 1;
        engine.set_nodes(world.nodes);
      }
    }
    EXPECT_GT(turns, 3);  // the pass needed more than three parts
  }
}

TEST(Engine, a_plan_explains_no_job_that_left_the_queue) {
  SchedulerInput world = world_from("node n1\nruns 1 on n1:4\nwants 2 tasks=4\nwants 3 held\n");
  Scheduler scheduler(world.nodes);
  Engine& engine = scheduler.engine();
  engine.put(world.running[0]);
  for (const PendingJob& job : world.pending) engine.put(job);
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())),
            "2 waits: Resources\n3 waits: JobHeldUser\n");
  for (const PendingJob& job : world.pending) engine.remove(job.id);
  engine.remove(JobId{1});
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())), "");
}

TEST(Engine, as_many_copies_of_a_job_start_as_fit) {
  EXPECT_EQ(plan_for("node n1 cpus=2\nwants 1 copies=3"),
            "1 starts on n1:1\n1 starts on n1:1\n1 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1 cpus=4\nwants 1 copies=3\nwants 2"),
            "1 starts on n1:1\n1 starts on n1:1\n1 starts on n1:1\n2 starts on n1:1\n");
  EXPECT_EQ(plan_for("node n1 cpus=4\nwants 1 copies=9 limits=jobs:2\nwants 2"),
            "1 starts on n1:1\n1 starts on n1:1\n2 starts on n1:1\n1 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\nruns 8 on n1:4\nruns 9 on n2:4\n"
                     "wants 1 copies=5 tier=2 cpus=4"),
            "9 preempted by 1\n1 waits: Resources\n")
      << "victims are preempted for one copy at a time";
}

// A job with several copies (equal tasks of an array) starts like as many jobs of one copy.
TEST(Engine, property_copies_start_like_as_many_single_jobs) {
  std::size_t starts = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SchedulerInput world =
        random_world(seed, {.nodes_max = 8, .running_max = 6, .preempting = false});
    world.pending.front().copies = 1 + static_cast<std::int64_t>(seed % 7);
    SchedulerInput each = world;
    PendingJob one = each.pending.front();
    one.copies = 1;
    each.pending.assign(static_cast<std::size_t>(world.pending.front().copies), one);
    for (std::size_t i = 0; i < each.pending.size(); ++i)
      each.pending[i].id.value += std::ssize(each.pending) + static_cast<std::int64_t>(i);
    const Plan plan = make_plan(world, at_start);
    const Plan expected = make_plan(each, at_start);
    ASSERT_EQ(plan.starts.size(), expected.starts.size()) << "seed " << seed;
    for (std::size_t i = 0; i < plan.starts.size(); ++i)
      EXPECT_EQ(plan.starts[i].placement, expected.starts[i].placement) << "seed " << seed;
    starts += plan.starts.size();
  }
  EXPECT_GT(starts, 50u);
}

TEST(Engine, asking_about_a_job_does_not_change_the_engine) {
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    SchedulerInput world = random_world(seed, {.running_max = 6, .pending_max = 4});
    if (world.pending.empty()) continue;
    PendingJob extra = world.pending.back();
    world.pending.pop_back();
    LiveEngine live(world, {});
    LiveEngine tested(world, {});
    const Plan with = tested.scheduler.plan_with(extra, at_start);
    EXPECT_EQ(text_of(tested.scheduler.plan(at_start, ExplainDepth::everything())),
              text_of(live.scheduler.plan(at_start, ExplainDepth::everything())))
        << "seed " << seed;
    // The answer about the job is as if it were submitted: it starts in both plans or in neither,
    // and waits for the same reason.
    live.engine.put(extra);
    const Plan truly = live.scheduler.plan(at_start, ExplainDepth::everything());
    const auto starts = [&](const Plan& plan) {
      return std::ranges::any_of(plan.starts,
                                 [&](const Start& start) { return start.job == extra.id; });
    };
    EXPECT_EQ(starts(with), starts(truly)) << "seed " << seed;
    if (starts(with)) continue;
    EXPECT_EQ(waiting_of(with, extra.id.value).detail, waiting_of(truly, extra.id.value).detail);
  }
}

}  // namespace cox::schedule
