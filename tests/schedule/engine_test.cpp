// An engine that was told of a world fact by fact plans as one that is told all of it now.
#include "schedule/engine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/place.h"
#include "tests/schedule/random_world.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

// A world, and an engine that follows it.
struct Told {
  World world;
  std::vector<PendingJob> came;  // all that ever did
  std::map<JobId, Placement> claims;
  Engine engine;
  Boot now = start_of_time;

  Told(World told_world, const Settings& settings)
      : world(std::move(told_world)), came(world.pending), engine(world.nodes, settings) {
    tell(engine);
  }

  void tell(Engine& other) const {
    for (const PendingJob& job : came) other.learn(*job.request);
    for (const RunningJob& job : world.running) other.add(job);
    for (const PendingJob& job : world.pending) other.add(job);
    for (const auto& [id, placement] : claims) other.claim(pending(id), placement);
  }

  const PendingJob& pending(JobId id) const {
    return *std::ranges::find(world.pending, id, &PendingJob::id);
  }

  void claim(const Claimed& claimed) {
    claims[claimed.job] = claimed.placement;
    engine.claim(pending(claimed.job), claimed.placement);
  }

  void start(const Start& start) {
    const auto job = std::ranges::find(world.pending, start.job, &PendingJob::id);
    RunningJob running;
    running.id = job->id;
    running.tier = job->tier;
    running.grants = start.placement;
    running.preemptable = job->id.value % 2 == 0;
    running.unsaved_since = now;
    running.loss_per_second_units = 1;
    if (job->time_limit) running.ends_by = now + *job->time_limit;
    engine.remove(*job);
    engine.add(running);
    world.running.push_back(running);
    claims.erase(start.job);
    world.pending.erase(job);
  }

  void stop(JobId id) {
    const auto job = std::ranges::find(world.running, id, &RunningJob::id);
    job->stopping = true;
    job->preemptable = false;
    job->ends_by = now + std::chrono::seconds{5};
    engine.change(*job);
  }

  // As when a node falls silent, or is heard again: who cannot be told to stop gives no way.
  void turn_over_the_first() {
    const auto job = std::ranges::find(world.running, false, &RunningJob::stopping);
    if (job == world.running.end()) return;
    job->preemptable = !job->preemptable;
    engine.change(*job);
  }

  void end(JobId id) {
    std::erase_if(world.running, [id](const RunningJob& job) { return job.id == id; });
    engine.remove_running(id);
  }

  // To the next end; false when there is none.
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

// Against the room as it is reckoned from the facts alone.
void expect_to_know_what_could_fit(Told& told) {
  for (const PendingJob& job : told.world.pending) {
    const Need& need = told.engine.matcher().need(*job.request, Availability::Required);
    for (std::int64_t tier_max = 0; tier_max <= 3; ++tier_max) {
      Room room = told.engine.matcher().idle();
      for (const RunningJob& running : told.world.running)
        if (!running.stopping && !(running.preemptable && running.tier <= tier_max))
          room.take(shares_of(told.engine.nodes(), running.grants));
      ASSERT_EQ(told.engine.fits_if_all_yield(need, tier_max), fits(need, room))
          << "job " << job.id.value << " tier " << tier_max;
    }
  }
}

}  // namespace

TEST(Engine, told_fact_by_fact_plans_as_one_that_is_told_at_once) {
  std::size_t preemptions = 0;
  std::size_t starts = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto policy = std::array{PlacementPolicy::Fgd, PlacementPolicy::BestFit,
                                   PlacementPolicy::Spreading}[seed % 3];
    const Settings settings{.placement = policy, .backfill = {static_cast<int>(seed % 4)}};
    Told told(random_world(seed, {.nodes_max = 8, .running_max = 12, .pending_max = 40}), settings);
    for (int passes = 0; passes < 20; ++passes) {
      const Plan plan = told.engine.plan({told.now, at_start.wall}, Telling::everything());
      Engine anew(told.world.nodes, settings);
      told.tell(anew);
      ASSERT_EQ(text_of(plan),
                text_of(anew.plan({told.now, at_start.wall}, Telling::everything())));
      verify(told.world, plan);
      if (seed % 8 == 0) expect_to_know_what_could_fit(told);
      for (const Start& start : plan.starts) told.start(start);
      for (const Preemption& preemption : plan.preemptions) told.stop(preemption.victim);
      for (const Claimed& claimed : plan.claims) told.claim(claimed);
      starts += plan.starts.size();
      preemptions += plan.preemptions.size();
      if (passes % 2 == 0) told.turn_over_the_first();
      if (!told.advance()) break;
    }
  }
  EXPECT_GT(starts, 1'000u);
  EXPECT_GT(preemptions, 100u);
}

TEST(Engine, tells_nothing_more_of_jobs_that_left_the_line) {
  World world = world_from("node n1\nruns 1 on n1:4\nwants 2 tasks=4\nwants 3 held\n");
  Engine engine(world.nodes);
  engine.add(world.running[0]);
  for (const PendingJob& job : world.pending) engine.add(job);
  EXPECT_EQ(text_of(engine.plan(at_start, Telling::everything())),
            "2 waits: Resources\n3 waits: JobHeldUser\n");
  for (const PendingJob& job : world.pending) engine.remove(job);
  engine.remove_running(JobId{1});
  EXPECT_EQ(text_of(engine.plan(at_start, Telling::everything())), "");
}

// Job 9 keeps n1, which job 1 leaves, though the later job 10 is more urgent.
TEST(Engine, what_victims_leave_is_for_their_preemptor) {
  World world = world_from("node n1\nruns 1 on n1:4\nwants 9 tier=2 tasks=4\n");
  Engine engine(world.nodes);
  engine.add(world.running[0]);
  engine.add(world.pending[0]);
  const Plan plan = engine.plan(at_start, Telling::everything());
  EXPECT_EQ(text_of(plan), "1 gives way to 9\n9 waits: Resources\n");
  engine.claim(world.pending[0], plan.claims.at(0).placement);
  engine.remove_running(JobId{1});
  const World later = world_from("wants 10 tier=3 tasks=4");
  engine.add(later.pending[0]);
  EXPECT_EQ(text_of(engine.plan(at_start, Telling::everything())),
            "9 starts on n1:4\n10 waits: Resources\n");
  engine.remove(world.pending[0]);  // cancelled: its claim goes with it
  EXPECT_EQ(text_of(engine.plan(at_start, Telling::everything())), "10 starts on n1:4\n");
}

}  // namespace cox::schedule
