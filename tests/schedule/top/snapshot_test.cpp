// Tests that a snapshot has all that a decision depends on: an engine that is restored from it
// decides the same.
#include "schedule/top/snapshot.h"

#include <gtest/gtest.h>

#include "schedule/queue/order.h"
#include "tests/schedule/random_world.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

std::unique_ptr<Scheduler> scheduler_of(const SchedulerInput& world, const Settings& settings) {
  auto scheduler = std::make_unique<Scheduler>(world.nodes, settings);
  Engine& engine = scheduler->engine();
  engine.set_reservations(world.reservations);
  for (const PendingJob& job : world.pending) engine.learn(*job.request);
  for (const RunningJob& job : world.running) engine.put(job);
  for (const PendingJob& job : world.pending) engine.put(job);
  return scheduler;
}

// Returns the plan as text, with all explanations.
std::string all_of(const Plan& plan) {
  std::string text = text_of(plan);
  for (const Claimed& claim : plan.claims)
    for (const NodeGrant& grant : claim.placement)
      text += "\nclaim " + std::to_string(claim.job.value) + " " + grant.node;
  for (const PendingExplanation& waiting : plan.waiting) {
    text += "\n" + waiting.detail;
    for (const std::string& line : waiting.lines) text += "\n- " + line;
    if (waiting.expected_start) text += "\n" + std::to_string(to_ms(*waiting.expected_start));
  }
  return text;
}

std::string refusal_of(const std::string& text) {
  const auto input = input_from(text);
  return input ? "" : input.refusal().fact;
}

}  // namespace

TEST(Snapshot, a_restored_snapshot_is_equal_and_plans_the_same) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const WorldShape shape{
        .nodes_max = 6, .running_max = 10, .pending_max = 12, .suspending = seed % 3 > 0};
    Settings settings;
    settings.backfill.reservations = static_cast<std::int64_t>(seed % 4);
    settings.placement = seed % 2 == 0 ? PlacementPolicy::Fgd : PlacementPolicy::Spreading;
    SchedulerInput world = random_world(seed, shape);
    for (PendingJob& job : world.pending)
      if (job.id.value % 3 == 0) job.copies = job.id.value % 7 + 1;
    const auto scheduler = scheduler_of(world, settings);
    const Plan first = scheduler->plan(at_start, ExplainDepth::nothing());
    for (const Claimed& claim : first.claims)
      for (const PendingJob& job : world.pending)
        if (job.id == claim.job && job.copies == 1)
          scheduler->engine().claim(job.id, claim.placement);
    const std::string text = text_of(input_of(scheduler->engine(), at_start));
    const auto input = input_from(text);
    ASSERT_TRUE(input.ok()) << input.refusal().fact;
    EXPECT_EQ(text_of(*input), text) << "seed " << seed;
    const auto again = scheduler_from(*input);
    EXPECT_EQ(all_of(again->plan(input->now, ExplainDepth::everything())),
              all_of(scheduler->plan(at_start, ExplainDepth::everything())))
        << "seed " << seed;
  }
}

// Job 102 starts first because it is smaller, until jobs of its size are known to run for hours.
// The restored engine knows that too.
TEST(Snapshot, learnt_lifetimes_are_restored_and_decide_the_same) {
  const SchedulerInput world = world_from("node n1 cpus=4\nwants 101 tasks=4\nwants 102 tasks=3");
  Settings settings;
  settings.order = OrderPolicy::Gittins;
  const auto scheduler = scheduler_of(world, settings);
  EXPECT_EQ(text_of(scheduler->plan(at_start, ExplainDepth::nothing())), "102 starts on n1:3\n");
  for (std::int64_t id = 1; id <= 10; ++id) {
    scheduler->engine().learn_ended(JobId{id}, 4, std::chrono::minutes{1});
    scheduler->engine().learn_ended(JobId{10 + id}, 3, std::chrono::hours{9});
  }
  const std::string text = text_of(input_of(scheduler->engine(), at_start));
  const auto input = input_from(text);
  ASSERT_TRUE(input.ok()) << input.refusal().fact;
  EXPECT_EQ(text_of(*input), text);
  const std::string explained = all_of(scheduler->plan(at_start, ExplainDepth::everything()));
  EXPECT_EQ(explained.substr(0, 10), "101 starts");
  EXPECT_EQ(all_of(scheduler_from(*input)->plan(input->now, ExplainDepth::everything())),
            explained);
}

// Job 101 has waited for 90 minutes and goes first, unless a wait of two hours is known.
TEST(Snapshot, the_longest_waits_are_restored_and_decide_the_same) {
  SchedulerInput world = world_from("node n1 cpus=4\nwants 101 tasks=4\nwants 102 tasks=4");
  world.pending[0].priority = -1;
  const Now later{start_of_time, world.pending[0].eligible + std::chrono::minutes{90}};
  world.pending[1].eligible = later.wall;
  const auto scheduler = scheduler_of(world, {});
  const auto first = [&](Scheduler& one) {
    return one.plan(later, ExplainDepth::nothing()).starts.at(0).job.value;
  };
  EXPECT_EQ(first(*scheduler), 101);
  scheduler->engine().learn_wait({0, world.pending[0].tier}, later.wall, std::chrono::hours{2});
  EXPECT_EQ(first(*scheduler), 102);
  const auto input = input_from(text_of(input_of(scheduler->engine(), later)));
  ASSERT_TRUE(input.ok()) << input.refusal().fact;
  EXPECT_EQ(first(*scheduler_from(*input)), 102);
}

TEST(Snapshot, the_owners_of_jobs_are_restored_for_explanations) {
  const SchedulerInput world = world_from("node n1\nruns 1 on n1:4\nwants 2\nwants 3");
  const auto scheduler = scheduler_of(world, {});
  const TitleOf title_of = [](JobId job) {
    return job == JobId{2} ? JobTitle{"bob", "2_7"} : JobTitle{"alice"};
  };
  const auto input = input_from(text_of(input_of(scheduler->engine(), at_start, title_of)));
  ASSERT_TRUE(input.ok()) << input.refusal().fact;
  const auto explained = [](Scheduler& by, const TitleOf& users) {
    return all_of(by.plan(at_start, ExplainDepth::first(ExplainDepth::all, JobId{3}, users)));
  };
  const std::string text = explained(*scheduler, title_of);
  EXPECT_NE(text.find("job 1 of alice holds"), std::string::npos) << text;
  EXPECT_NE(text.find("job 2_7 of bob"), std::string::npos) << text;
  EXPECT_EQ(explained(*scheduler_from(*input), titles_in(*input)), text);
}

// The title of a job is found by its id, since several jobs may have the same title.
TEST(Snapshot, the_names_of_array_tasks_are_restored_by_job_id) {
  const auto scheduler = scheduler_of(world_from("node n1\nruns 1 on n1:4\nwants 2\nwants 3"), {});
  const TitleOf title_of = [](JobId) { return JobTitle{"alice", "2_7"}; };
  const auto input = input_from(text_of(input_of(scheduler->engine(), at_start, title_of)));
  ASSERT_TRUE(input.ok()) << input.refusal().fact;
  for (const std::int64_t id : {1, 2, 3}) EXPECT_EQ(input->titles.at(JobId{id}).id, "2_7") << id;
}

TEST(Snapshot, every_field_of_a_request_is_restored) {
  SchedulerInput world;
  PendingJob job;
  job.id = JobId{7};
  job.priority = 0.1;
  job.time_limit = Milliseconds{60'000};
  Request request{2,
                  8,
                  16,
                  {2, 4, 16},
                  4,
                  3,
                  12,
                  500,
                  true,
                  true,
                  {"h100", "a100"},
                  2,
                  250,
                  true,
                  {{"fpga", "u280", 2}},
                  {{"matlab", 1}},
                  {"n1"},
                  "gone",
                  {"n2"},
                  {"n4"},
                  {"n3"},
                  "fast",
                  "maint",
                  true,
                  1,
                  Milliseconds{5'000},
                  "leaf",
                  {Shared<Request>(Request{}), Shared<Request>(Request{})},
                  Shared<Request>(Request{})};
  job.request = request;
  world.pending.push_back(job);
  world.reservations.push_back(
      {"maint", {"n1"}, {{start_of_time, start_of_time + Milliseconds{5}}}, true, true, "alice"});
  const auto scheduler = scheduler_of(world, {});
  const auto back = input_from(text_of(input_of(scheduler->engine(), at_start)));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back->world.pending.at(0).request, request);
  EXPECT_EQ(back->world.pending.at(0).priority, 0.1);
  EXPECT_EQ(back->world.pending.at(0).time_limit, job.time_limit);
  EXPECT_EQ(back->now.wall, at_start.wall);
  EXPECT_EQ(back->world.reservations, world.reservations);
}

TEST(Snapshot, a_text_that_is_not_a_snapshot_is_refused) {
  EXPECT_NE(refusal_of("no JSON").find("it is not JSON"), std::string::npos);
  EXPECT_NE(refusal_of("[]"), "");
  EXPECT_NE(refusal_of("{}").find("does not begin like a snapshot"), std::string::npos);
  const std::string head = R"({"format": "coxswain-snapshot", "version": 1, )";
  EXPECT_EQ(refusal_of(head + R"("nodes": []})"), "");
  EXPECT_NE(refusal_of(head + R"("nodes": 3})").find("a value is not a list"), std::string::npos);
  EXPECT_NE(refusal_of(head + R"("nodes": [{"name": 3}]})").find("name has the wrong type"),
            std::string::npos);
  EXPECT_NE(refusal_of(head + R"("pending": [{"id": 1, "request": 0}]})").find("unknown request"),
            std::string::npos);
  const std::string twice = R"("requests": [{}], "pending": [{"id": 1}, {"id": 1}]})";
  EXPECT_NE(refusal_of(head + twice).find("job 1 occurs twice"), std::string::npos);
  EXPECT_NE(refusal_of(head + R"("nodes": [{"name": "n1"}, {"name": "n2"}, {"name": "n1"}]})")
                .find("two nodes are called n1"),
            std::string::npos);
  EXPECT_NE(refusal_of(head + R"("users": {"ada": 3}})").find("a value is not a list"),
            std::string::npos);
  EXPECT_NE(
      refusal_of(head + R"("ended": [{"id": 1, "units": 1, "bin": 64}]})").find("invalid service"),
      std::string::npos);
}

}  // namespace cox::schedule
