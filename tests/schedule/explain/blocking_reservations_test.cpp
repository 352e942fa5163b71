// Tests explanations of what blocks a job, until when, and what may free room before the time
// limits of jobs do.
#include <gtest/gtest.h>

#include "schedule/model/plan.h"
#include "schedule/model/scheduler_input.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

std::string why(const std::string& world, std::int64_t job) {
  const Plan plan = make_plan(world_from(world), at_start);
  const PendingExplanation& waiting = waiting_of(plan, job);
  std::string text = waiting.detail + "\n";
  for (const std::string& line : waiting.lines) text += "- " + line + "\n";
  return text;
}

}  // namespace

// n3 is reserved and n4 is busy. The job may use only n1 and n3, so the explanation does not
// mention n4 or its job.
TEST(Blocking, an_explanation_counts_only_the_nodes_that_the_job_names) {
  const std::string text =
      why("node n1,n2,n3,n4 cpus=4\n"
          "reserves d2 nodes=n3 from=-60 to=900\n"
          "runs 1 n4:1 ends=300\n"
          "wants 2 nodes=2 tasks=2 list=n1,n3 exclusive limit=60",
          2);
  EXPECT_TRUE(has(text, "by name n1,n3: 1 node qualifies, 1 has room now; n3 is reserved until "))
      << text;
  EXPECT_FALSE(has(text, "n4")) << text;
  EXPECT_FALSE(has(text, "job 1")) << text;
}

TEST(Blocking, the_expected_start_is_when_the_blocking_job_may_be_preempted) {
  const Plan plan = make_plan(world_from("node n1 cpus=4\n"
                                         "runs 1 n1:4 tier=1 ran=20 exempt=60 ends=780\n"
                                         "wants 2 tasks=4 tier=2 limit=60"),
                              at_start);
  EXPECT_EQ(waiting_of(plan, 2).expected_start, start_of_time + Milliseconds{40'000});
  EXPECT_TRUE(has(waiting_of(plan, 2).detail, " on other jobs may be preempted for it"))
      << waiting_of(plan, 2).detail;
  const Plan firm = make_plan(world_from("node n1 cpus=4\n"
                                         "runs 1 n1:4 tier=1 ran=20 exempt=60 ends=780\n"
                                         "wants 2 tasks=4 tier=2 limit=60 peaceful"),
                              at_start);
  EXPECT_EQ(waiting_of(firm, 2).expected_start, start_of_time + Milliseconds{780'000});
}

// Job 2 preempts job 1 on n2 once job 1 is no longer exempt. Job 3 then gets n1, which job 1 also
// leaves, and job 4 waits for job 2.
TEST(Blocking, expected_starts_count_on_preemptions_by_earlier_jobs) {
  const Plan plan = make_plan(world_from("node n1,n2 cpus=4\n"
                                         "runs 1 n1:4 n2:4 tier=1 ran=20 exempt=60 ends=780\n"
                                         "wants 2 tasks=4 list=n2 tier=2 limit=60\n"
                                         "wants 3 tasks=4 tier=1 limit=600\n"
                                         "wants 4 nodes=2 each=4 tier=1 at=1 limit=600"),
                              at_start);
  const auto after = [](std::int64_t seconds) {
    return start_of_time + Milliseconds{seconds * 1'000};
  };
  EXPECT_EQ(waiting_of(plan, 2).expected_start, after(40));
  EXPECT_EQ(waiting_of(plan, 3).expected_start, after(40)) << waiting_of(plan, 3).detail;
  EXPECT_EQ(waiting_of(plan, 4).expected_start, after(100)) << waiting_of(plan, 4).detail;
  EXPECT_TRUE(waiting_of(plan, 4).at_the_earliest);
  EXPECT_TRUE(has(waiting_of(plan, 3).detail, " on, when jobs may be preempted for job 2"))
      << waiting_of(plan, 3).detail;
}

TEST(Blocking, the_job_that_preemptable_room_is_reserved_for_is_named) {
  const std::string text =
      why("node n1,n2 cpus=4\n"
          "runs 95 n1:4 n2:4 tier=1 ends=900\n"
          "wants 3 nodes=2 each=4 tier=2 peaceful limit=600\n"
          "wants 4 nodes=2 each=4 tier=2 at=1 limit=600",
          4);
  EXPECT_TRUE(has(text,
                  "it could be preempted, but n[1-2] are reserved for job 3, which is expected "
                  "there at "))
      << text;
}

TEST(Blocking, the_room_that_all_preemptions_would_free_is_shown) {
  const std::string text =
      why("node n1,n2 cpus=4\n"
          "runs 1 n1:4 tier=1 ends=900\n"
          "runs 2 n2:4 tier=1 ends=900 firm\n"
          "wants 3 nodes=2 each=4 tier=2 limit=600",
          3);
  EXPECT_TRUE(has(text,
                  "it could be preempted, but if every job that may be preempted were, 1 of the 2 "
                  "nodes that the job needs would have room"))
      << text;
}

// In the past the text was "2 of the 1 node it asks for would have room", though a licence was
// missing.
TEST(Blocking, a_licence_that_no_preemption_frees_is_named) {
  const SchedulerInput world = world_from(
      "node n1,n2 cpus=4\n"
      "runs 1 n1:4 tier=1\n"
      "runs 2 n2:4 tier=1\n"
      "node n3 cpus=1\n"
      "runs 3 n3:1 firm licences=matlab:2\n"
      "wants 9 tier=2 tasks=4 licences=matlab");
  Settings settings;
  settings.licences = {{"matlab", 2}};
  const Plan plan = make_plan(world, at_start, settings);
  std::string text;
  for (const std::string& line : waiting_of(plan, 9).lines) text += line + "\n";
  EXPECT_TRUE(has(text,
                  "it could be preempted, but preempting every job that may be preempted would "
                  "still leave the job waiting for licence matlab"))
      << text;
  EXPECT_FALSE(has(text, "of the 1 node")) << text;
}

TEST(Blocking, nodes_with_room_that_are_too_far_apart_are_explained) {
  Settings settings;
  settings.topology_levels = {"leaf"};
  const Plan plan = make_plan(world_from("node a1,a2 cpus=4 in=l1\nnode b1,b2 cpus=4 in=l2\n"
                                         "runs 1 a1:4 tier=1\nruns 2 b1:4 tier=1\n"
                                         "runs 3 a2:4 firm\nruns 4 b2:4 firm\n"
                                         "wants 9 tier=2 nodes=2 each=4 switches=1"),
                              at_start, settings);
  std::string text;
  for (const std::string& line : waiting_of(plan, 9).lines) text += line + "\n";
  EXPECT_TRUE(has(text,
                  "if every job that may be preempted were, 2 nodes would have room, but not 2 "
                  "nodes together as the job asks"))
      << text;
}

}  // namespace cox::schedule
