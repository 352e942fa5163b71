// Tests limits (of QOS, accounts and users) in the scheduler: which jobs they keep from starting,
// and that such jobs delay no other job.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "schedule/explain/why_never_fits.h"
#include "schedule/top/scheduler.h"
#include "schedule/top/snapshot.h"
#include "tests/schedule/random_world.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

LimitName name_of_limit(const Limit& limit) {
  return {WaitReason::QOSGrpCpuLimit, "the limit " + std::to_string(limit.id)};
}

// Returns the plan for a scenario as text, with the pending reason of the limit that holds each
// job.
std::string plan_text(const std::string& text) {
  const SchedulerInput world = world_from(text);
  Scheduler scheduler(world.nodes);
  Engine& engine = scheduler.engine();
  for (const RunningJob& job : world.running) engine.put(job);
  for (const PendingJob& job : world.pending) engine.put(job);
  ExplainDepth depth;
  depth.limit_of = name_of_limit;
  return text_of(scheduler.plan(at_start, depth));
}

TEST(Limits, hold_only_jobs_that_would_exceed_them) {
  const std::string node = "node n1 cpus=16 gpus=h100:8\nruns 9 on n1:2 limits=cpus:4\n";
  EXPECT_EQ(plan_text(node + "wants 1 cpus=2 limits=cpus:4"), "1 starts on n1:1\n");
  EXPECT_EQ(plan_text(node + "wants 1 cpus=3 limits=cpus:4\nwants 2 cpus=3"),
            "2 starts on n1:1\n1 waits: QOSGrpCpuLimit\n");
  EXPECT_EQ(plan_text(node + "wants 1 cpus=1 limits=cpus:4\nwants 2 cpus=1 limits=cpus:4\n"
                             "wants 3 cpus=1 limits=cpus:4"),
            "1 starts on n1:1\n2 starts on n1:1\n3 waits: QOSGrpCpuLimit\n")
      << "a start counts at once in the same pass";
}

TEST(Limits, count_each_resource_by_itself) {
  const std::string node = "node n1,n2 cpus=16 mem=900 gpus=h100:4,a100:4 gres=fpga:2\n";
  for (const auto& [first, second, limits] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"", "", "jobs:1"},
           {"nodes=2 tasks=2", "", "nodes:2"},
           {"mem=300", "mem=300", "mem:500"},
           {"gpus=2 type=h100", "gpus=2 type=a100", "gpus:3"},
           {"gpus=1 milli=750", "gpus=1 milli=500", "gpus:1"},
           {"gpus=3 type=h100", "gpus=1 type=h100", "h100:3"},
           {"gres=fpga:1", "gres=fpga:1", "fpga:1"}})
    EXPECT_TRUE(plan_text(node + "wants 1 " + first + " limits=" + limits + "\nwants 2 " + second +
                          " limits=" + limits)
                    .ends_with("\n2 waits: QOSGrpCpuLimit\n"))
        << limits;
  EXPECT_EQ(plan_text(node + "wants 1 gpus=3 type=h100 limits=h100:3\n"
                             "wants 2 gpus=1 type=a100 limits=h100:3"),
            "1 starts on n1:1:0+1+2\n2 starts on n1:1:4\n")
      << "GPUs of another type do not count";
}

TEST(Limits, count_each_copy_of_a_job) {
  EXPECT_EQ(
      plan_text("node n1 cpus=8\nruns 9 on n1:1 limits=jobs:3\nwants 1 copies=5 limits=jobs:3\n"
                "wants 2 limits=jobs:3\nwants 3"),
      "1 starts on n1:1\n1 starts on n1:1\n3 starts on n1:1\n1 waits: QOSGrpCpuLimit\n"
      "2 waits: QOSGrpCpuLimit\n");
}

TEST(Limits, a_job_held_by_a_limit_preempts_and_reserves_nothing) {
  EXPECT_EQ(plan_text("node n1 cpus=4\nruns 9 on n1:2 limits=cpus:2\n"
                      "wants 1 cpus=1 tier=3 limits=cpus:2\nwants 2 cpus=2 limit=99"),
            "2 starts on n1:1\n1 waits: QOSGrpCpuLimit\n");
}

TEST(Limits, a_stopping_job_counts_until_it_has_ended) {
  EXPECT_EQ(plan_text("node n1 cpus=4\nruns 9 on n1:2 stopping limits=cpus:2\n"
                      "wants 1 cpus=1 limits=cpus:2"),
            "1 waits: QOSGrpCpuLimit\n");
}

TEST(Limits, an_elastic_gang_starts_on_as_many_nodes_as_its_limits_allow) {
  EXPECT_EQ(plan_text("node n1,n2,n3,n4 cpus=2\nwants 1 nodes=1 tasks=1 most=4 limits=nodes:3"),
            "1 starts on n1:1 n2:1 n3:1\n");
}

TEST(Limits, all_reached_limits_and_the_jobs_that_use_them_are_named) {
  const SchedulerInput world = world_from(
      "node n1 cpus=16\nruns 7 on n1:3 limits=cpus:4\nruns 9 on n1:1 limits=cpus:4,jobs:1\n"
      "wants 1 cpus=2 limits=cpus:4,jobs:1");
  Scheduler scheduler(world.nodes);
  Engine& engine = scheduler.engine();
  for (const RunningJob& job : world.running) engine.put(job);
  engine.put(world.pending.front());
  ExplainDepth depth;
  depth.limit_of = name_of_limit;
  depth.title_of = [](JobId id) { return JobTitle{id == JobId{7} ? "ada" : "bob"}; };
  const Plan plan = scheduler.plan(at_start, depth);
  const PendingExplanation& waiting = waiting_of(plan, 1);
  EXPECT_EQ(waiting.detail,
            "the limit 0 is 4: 4 in use by jobs 7 of ada, 9 of bob, and it asks for 2");
  EXPECT_EQ(waiting.lines,
            (std::vector<std::string>{
                "asks for 1 node with 2 CPUs",
                "the limit 0 is 4: 4 in use by jobs 7 of ada, 9 of bob, and it asks for 2",
                "the limit 4 is 1: 1 in use by job 9 of bob, and it asks for 1"}));
}

TEST(Limits, a_started_job_counts_until_it_is_removed) {
  SchedulerInput world =
      world_from("node n1 cpus=4\nwants 1 cpus=2 limits=cpus:2\nwants 2 limits=cpus:2");
  Scheduler scheduler(world.nodes);
  Engine& engine = scheduler.engine();
  for (PendingJob& job : world.pending) {
    job.limits = world.pending.front().limits;
    engine.put(job);
  }
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::nothing())), "1 starts on n1:1\n");
  EXPECT_EQ(engine.limit_use().used(0), 0) << "a plan alone starts nothing";
  const Plan part = scheduler.plan_part(at_start, 1);
  EXPECT_EQ(text_of(part), "1 starts on n1:1\n");
  EXPECT_EQ(engine.limit_use().used(0), 2) << "between the parts the start counts";
  engine.remove(world.pending.front().id);
  RunningJob running;
  running.id = JobId{1};
  running.request = world.pending.front().request;
  running.limits = world.pending.front().limits;
  running.grants = part.starts.front().placement;
  engine.put(running);
  while (scheduler.is_passing()) EXPECT_EQ(text_of(scheduler.plan_part(at_start, 1)), "");
  EXPECT_EQ(engine.limit_use().used(0), 2);
  engine.remove(JobId{1});
  EXPECT_EQ(engine.limit_use().used(0), 0);
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::nothing())), "2 starts on n1:1\n");
}

TEST(Limits, a_limit_on_one_gpu_type_leaves_a_job_its_other_types) {
  const std::string node = "node n1 cpus=16 gpus=h100:4\nnode n2 cpus=16 gpus=a100:4\n";
  EXPECT_EQ(plan_text(node + "wants 1 gpus=2 type=h100|a100 limits=h100:1"),
            "1 starts on n2:1:0+1\n");
  EXPECT_EQ(plan_text(node + "wants 1 gpus=2 type=h100 limits=h100:1"),
            "1 waits: QOSGrpCpuLimit\n");
}

TEST(Limits, show_when_they_are_expected_to_clear) {
  const Plan plan = make_plan(world_from("node n1 cpus=8\n"
                                         "runs 1 n1:2 limits=cpus:4 ends=600\n"
                                         "runs 2 n1:2 limits=cpus:4 ends=900\n"
                                         "wants 3 tasks=3 limits=cpus:4 limit=60"),
                              at_start);
  EXPECT_TRUE(waiting_of(plan, 3).detail.ends_with(
      "and it asks for 3; expected to clear by 1970-01-01T00:31:40Z"))
      << waiting_of(plan, 3).detail;
}

TEST(Limits, a_request_above_a_limit_is_shown_as_unable_to_start) {
  const Plan plan =
      make_plan(world_from("node n1 cpus=8\nwants 1 tasks=5 limits=cpus:4 limit=60"), at_start);
  EXPECT_TRUE(waiting_of(plan, 1).detail.ends_with(
      "and it asks for 5; it cannot start while the limit is that low: `cox cancel 1` ends it"))
      << waiting_of(plan, 1).detail;
}

// n1 has room with h100 GPUs, but the limit of this type is reached. The h200 GPUs of n2 have no
// limit, but are in use.
TEST(Limits, a_reached_limit_on_one_gpu_type_and_the_lack_of_another_are_shown) {
  const Plan plan = make_plan(world_from("node n1 cpus=4 gpus=h100:4\n"
                                         "node n2 cpus=4 gpus=h200:2\n"
                                         "runs 1 n1:1:0 gpus=1 type=h100 limits=h100:2 ends=600\n"
                                         "runs 2 n2:1:0+1 ends=900\n"
                                         "wants 3 gpus=2 type=h100|h200 partition=n1,n2 "
                                         "limits=h100:2 limit=60"),
                              at_start);
  const PendingExplanation& waiting = waiting_of(plan, 3);
  EXPECT_EQ(waiting.reason, WaitReason::Resources);
  EXPECT_EQ(waiting.detail.find("h100"), std::string::npos) << waiting.detail;
  std::string all;
  for (const std::string& line : waiting.lines) all += line + "\n";
  EXPECT_NE(all.find("not now: 1 node with 1 CPU and 2 h100 GPUs: the limit of gres/gpu:h100 is 2: "
                     "1 in use by job 1, and it asks for 2; expected to clear by "),
            std::string::npos)
      << all;
  EXPECT_EQ(all.find("it would start now"), std::string::npos) << all;
}

TEST(Limits, a_claim_counts_against_limits_only_while_its_nodes_are_available) {
  SchedulerInput world = world_from(
      "node n1,n2 cpus=2\nruns 9 on n1:2\nwants 1 cpus=2 tier=3 limits=jobs:1\n"
      "wants 2 cpus=1 limits=jobs:1");
  world.pending[1].limits = world.pending[0].limits;
  world.nodes[1].available = false;
  Scheduler scheduler(world.nodes);
  Engine& engine = scheduler.engine();
  engine.put(world.running.front());
  for (const PendingJob& job : world.pending) engine.put(job);
  const Plan plan = scheduler.plan(at_start, ExplainDepth::nothing());
  ASSERT_EQ(plan.claims.size(), 1u);
  engine.claim(world.pending[0].id, plan.claims.front().placement);
  EXPECT_EQ(engine.limit_use().used(world.pending[0].limits->front().id), 1);
  engine.remove(JobId{9});
  world.nodes[0].available = false;
  world.nodes[1].available = true;
  engine.set_nodes(world.nodes);
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::nothing())), "1 starts on n2:1\n")
      << "the claimed node is unavailable and delays no other";
}

TEST(Limits, a_claim_above_a_lowered_limit_is_dropped) {
  SchedulerInput world = world_from("node n1 cpus=4\nruns 9 on n1:4 tier=1\nwants 1 cpus=4 tier=3");
  world.pending.front().limits = Limits{{0, {Tres::Cpus, "", "", 4}}};
  Scheduler scheduler(world.nodes);
  Engine& engine = scheduler.engine();
  engine.put(world.running.front());
  engine.put(world.pending.front());
  const Plan plan = scheduler.plan(at_start, ExplainDepth::nothing());
  ASSERT_EQ(plan.claims.size(), 1u);
  engine.claim(world.pending.front().id, plan.claims.front().placement);
  world.running.front().stopping = true;
  engine.put(world.running.front());
  EXPECT_EQ(engine.limit_use().used(0), 4);
  PendingJob lowered = world.pending.front();
  lowered.limits = Limits{{0, {Tres::Cpus, "", "", 2}}};
  engine.put(lowered);
  EXPECT_EQ(engine.limit_use().used(0), 4) << "until a pass has checked the claim";
  scheduler.plan(at_start, ExplainDepth::nothing());
  EXPECT_EQ(engine.limit_use().used(0), 0) << "the claim is dropped";
  EXPECT_TRUE(engine.claims().empty());
}

TEST(Limits, are_in_a_snapshot_and_apply_in_its_replay) {
  const SchedulerInput world = world_from(
      "node n1 cpus=16\nruns 9 on n1:2 limits=cpus:4\nwants 1 cpus=3 limits=cpus:4\nwants 2");
  Engine engine(world.nodes);
  engine.put(world.running.front());
  for (const PendingJob& job : world.pending) engine.put(job);
  const auto read = input_from(text_of(input_of(engine, at_start)));
  ASSERT_TRUE(read.ok()) << read.refusal().fact;
  ExplainDepth depth;
  depth.limit_of = name_of_limit;
  EXPECT_EQ(text_of(scheduler_from(*read)->plan(at_start, depth)),
            "2 starts on n1:1\n1 waits: QOSGrpCpuLimit\n");
}

TEST(Switches, a_job_that_waits_only_some_time_for_few_switches_is_possible) {
  const SchedulerInput world = world_from(
      "node n1,n2 cpus=2 in=leaf1\nnode n3 cpus=2 in=leaf2\n"
      "wants 1 nodes=3 tasks=3 switches=1 patience=60\n"
      "wants 2 nodes=3 tasks=3 switches=1");
  Settings settings;
  settings.topology_levels = {"leaf"};
  const Nodes nodes(world.nodes, settings);
  EXPECT_EQ(impossible(nodes, *world.pending[0].request), std::nullopt);
  EXPECT_NE(impossible(nodes, *world.pending[1].request), std::nullopt) << "it would wait for ever";
}

// Checks 1,000 random worlds.
TEST(Limits, property_starts_never_exceed_a_limit) {
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    SchedulerInput world = random_world(seed, {.nodes_max = 4, .running_max = 6, .pending_max = 6});
    const Shared<Limits> of_all = Limits{{0, {Tres::Cpus, "", "", 6}}};
    const Shared<Limits> of_some =
        Limits{{0, {Tres::Cpus, "", "", 6}}, {1, {Tres::Jobs, "", "", 2}}};
    for (RunningJob& job : world.running) job.limits = job.id.value % 2 == 0 ? of_all : of_some;
    for (PendingJob& job : world.pending) job.limits = job.id.value % 2 == 0 ? of_all : of_some;
    Scheduler scheduler(world.nodes);
    Engine& engine = scheduler.engine();
    for (const RunningJob& job : world.running) engine.put(job);
    for (const PendingJob& job : world.pending) engine.put(job);
    const std::int64_t cpus = engine.limit_use().used(0);
    const std::int64_t jobs = engine.limit_use().used(1);
    ExplainDepth depth;
    depth.limit_of = name_of_limit;
    const Plan plan = scheduler.plan(at_start, depth);
    LimitUse after = engine.limit_use();
    for (const Start& start : plan.starts) {
      const auto job = std::ranges::find(world.pending, start.job, &PendingJob::id);
      std::int64_t tasks = 0;
      for (const NodeGrant& grant : start.placement) tasks += grant.ranks;
      after.hold(job->id, *job->limits, *job->request, std::ssize(start.placement), tasks);
    }
    EXPECT_LE(after.used(0), std::max<std::int64_t>(cpus, 6)) << "seed " << seed;
    EXPECT_LE(after.used(1), std::max<std::int64_t>(jobs, 2)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace cox::schedule
