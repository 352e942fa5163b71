// Tests the order of jobs, and backfill: which jobs may start before earlier jobs without delaying
// these.
#include "schedule/pass/backfill.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/schedule/scenario.h"

namespace cox::schedule {

TEST(Order, is_tier_then_eligible_time_then_id) {
  EXPECT_EQ(plan_for("node n1 cpus=4\n"
                     "wants 1 tier=1 at=0 tasks=4\n"
                     "wants 2 tier=2 at=9 tasks=4\n"
                     "wants 4 tier=2 at=5 tasks=4\n"
                     "wants 3 tier=2 at=5 tasks=4"),
            "3 starts on n1:4\n"
            "4 waits: Resources\n"
            "2 waits: Resources\n"
            "1 waits: Resources\n");
}

TEST(Order, is_priority_before_time_inside_a_tier) {
  EXPECT_EQ(plan_for("node n1 cpus=4\n"
                     "wants 1 tier=1 tasks=4 priority=99\n"
                     "wants 2 tier=2 at=0 tasks=4 priority=5\n"
                     "wants 3 tier=2 at=9 tasks=4 priority=6"),
            "3 starts on n1:4\n2 waits: Resources\n1 waits: Resources\n");
}

TEST(Order, a_held_job_delays_no_other) {
  EXPECT_EQ(plan_for("node n1\nwants 1 tasks=4 tier=3 held\nwants 2 tasks=4"),
            "2 starts on n1:4\n1 waits: JobHeldUser\n");
}

// Job 2 needs both nodes, and gets them when job 1 ends after 600 s.
const std::string wide_job_waits =
    "node n1,n2 cpus=4\n"
    "runs 1 on n1:4 ends=600\n"
    "wants 2 nodes=2 each=4\n";

TEST(Backfill, a_job_that_ends_before_the_reservation_starts_first) {
  EXPECT_EQ(plan_for(wide_job_waits + "wants 3 at=1 limit=600"),
            "3 starts on n2:1\n2 waits: Resources\n");
}

TEST(Backfill, a_job_that_would_delay_the_reservation_waits) {
  EXPECT_EQ(plan_for(wide_job_waits + "wants 3 at=1 limit=601\nwants 4 at=2"),
            "2 waits: Resources\n3 waits: Priority\n4 waits: Priority\n");
}

// Job 2 and job 3 have equal requests, so the scheduler evaluates them together, but only the first
// gets a reservation.
TEST(Backfill, of_equal_waiting_jobs_the_first_has_the_reservation) {
  const Plan plan = make_plan(world_from("node n1 cpus=4\n"
                                         "wants 1 tasks=4 limit=600\n"
                                         "wants 2 tasks=4 at=1 limit=600\n"
                                         "wants 3 tasks=4 at=2 limit=600\n"),
                              at_start);
  EXPECT_EQ(text_of(plan), "1 starts on n1:4\n2 waits: Resources\n3 waits: Resources\n");
  EXPECT_EQ(waiting_of(plan, 2).expected_start, start_of_time + std::chrono::seconds{600});
  EXPECT_FALSE(waiting_of(plan, 2).at_the_earliest);
  EXPECT_TRUE(waiting_of(plan, 3).at_the_earliest) << "it has no reservation";
}

TEST(Backfill, the_reserved_job_has_an_expected_start) {
  const Plan plan = make_plan(world_from(wide_job_waits), at_start);
  EXPECT_EQ(waiting_of(plan, 2).expected_start, start_of_time + std::chrono::seconds{600});
}

TEST(Backfill, a_job_without_a_limit_may_use_room_that_the_reservation_spares) {
  EXPECT_EQ(plan_for("node n1,n2,n3 cpus=4\n"
                     "runs 1 on n1:4 ends=600\n"
                     "runs 9 on n3:4 ends=9000\n"
                     "wants 2 nodes=2 each=3\n"
                     "wants 3 at=1 tasks=1\n"
                     "wants 4 at=2 tasks=1"),
            "3 starts on n2:1\n2 waits: Resources\n4 waits: Priority\n");
}

TEST(Backfill, a_job_takes_a_spare_node_instead_of_its_reserved_best_fit) {
  // Job 3 fits best on n2, but the reservation of job 2 needs n2. So job 3 takes n3.
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "node n3 cpus=8\n"
                     "runs 1 on n1:4 ends=600\n"
                     "runs 9 on n3:2 ends=9000\n"
                     "wants 2 nodes=2 each=4 partition=n1,n2\n"
                     "wants 3 at=1 tasks=4"),
            "3 starts on n3:4\n2 waits: Resources\n");
}

// Job 2 waits for n1 and n2, whose jobs have no time limit.
const std::string wide_job_waits_for_endless_jobs =
    "node n1,n2,n3,n4 cpus=4\n"
    "runs 1 on n1:4\n"
    "runs 9 on n2:4\n"
    "wants 2 nodes=4 exclusive partition=n1,n2,n3,n4\n";

TEST(Backfill, a_job_that_waits_for_jobs_without_a_limit_keeps_no_idle_node) {
  const std::string two_more = "wants 3 at=1 tasks=4 limit=60\nwants 4 at=2 tasks=4";
  for (const Backfill backfill : {Backfill{}, Backfill{4}, Backfill{Backfill::all}})
    EXPECT_EQ(plan_for(wide_job_waits_for_endless_jobs + two_more, {.backfill = backfill}),
              "3 starts on n3:4\n4 starts on n4:4\n2 waits: Resources\n");
}

TEST(Backfill, a_job_that_waits_for_jobs_without_a_limit_has_no_expected_start) {
  const Plan plan = make_plan(
      world_from(wide_job_waits_for_endless_jobs + "wants 3 at=1 nodes=3 each=4"), at_start);
  for (const std::int64_t job : {2, 3}) {
    EXPECT_EQ(waiting_of(plan, job).expected_start, std::nullopt) << "job " << job;
    EXPECT_TRUE(has(waiting_of(plan, job).detail,
                    "its start is unknown: jobs there have no time limit, so nothing is reserved"))
        << waiting_of(plan, job).detail;
  }
  EXPECT_TRUE(std::ranges::any_of(waiting_of(plan, 2).lines, [](const std::string& line) {
    return has(line, "job 1 holds 4 CPUs on n1, without a time limit");
  })) << testing::PrintToString(waiting_of(plan, 2).lines);
}

TEST(Backfill, a_job_without_a_known_start_takes_the_nodes_when_they_become_free) {
  EXPECT_EQ(plan_for("node n1,n2,n3,n4 cpus=4\n"
                     "wants 2 nodes=4 exclusive\n"
                     "wants 3 at=1 tasks=4 limit=60"),
            "2 starts on n1:1 n2:1 n3:1 n4:1\n3 waits: Resources\n");
}

// Job 5 has the reservation in place of job 2. It begins after 600 s, so job 6 would delay it.
TEST(Backfill, a_later_job_with_a_known_start_gets_the_reservation) {
  const Plan plan = make_plan(world_from("node n5,n6 cpus=4\n" + wide_job_waits_for_endless_jobs +
                                         "runs 8 on n5:4 ends=600\n"
                                         "wants 5 at=1 nodes=2 each=4 list=n5,n6\n"
                                         "wants 6 at=2 tasks=4 list=n6\n"),
                              at_start);
  EXPECT_EQ(text_of(plan), "2 waits: Resources\n5 waits: Resources\n6 waits: Priority\n");
  EXPECT_EQ(waiting_of(plan, 5).expected_start, start_of_time + std::chrono::seconds{600});
}

TEST(Backfill, a_start_beyond_the_window_is_not_reserved) {
  const auto plan = [](Milliseconds ends) {
    return plan_for(
        "node n1,n2 cpus=4\nruns 1 on n1:4 ends=" + std::to_string(ends.count() / 1000) +
        "\nwants 2 nodes=2 each=4\nwants 3 at=1 tasks=4");
  };
  EXPECT_EQ(plan(Reservations::window), "2 waits: Resources\n3 waits: Priority\n");
  EXPECT_EQ(plan(Reservations::window + std::chrono::seconds{1}),
            "3 starts on n2:4\n2 waits: Resources\n");
}

// Job 9 preempts job 1 and gets n1 for 600 s from an uncertain time on. So the start of job 2 is
// uncertain too, but it will come: n2 is held for it.
TEST(Backfill, a_place_is_held_for_a_job_whose_start_is_only_uncertain) {
  const std::string world =
      "node n1,n2 cpus=4\n"
      "runs 1 on n1:4\n"
      "wants 2 nodes=2 each=4 peaceful\n"
      "wants 3 at=1 tasks=4 limit=1\n";
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 tasks=4 list=n1 limit=600"),
            "1 preempted by 9\n9 waits: Resources\n2 waits: Resources\n3 waits: Priority\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 tasks=4 list=n1"),
            "3 starts on n2:4\n1 preempted by 9\n9 waits: Resources\n2 waits: Resources\n")
      << "without a time limit of job 9 the start of job 2 is unknown";
}

TEST(Backfill, a_place_is_held_for_a_job_that_may_preempt_jobs_without_a_limit_later) {
  const std::string world =
      "node n1,n2 cpus=4\n"
      "runs 1 on n1:4 ran=10\n"
      "wants 2 tier=2 nodes=2 each=4\n"
      "wants 3 at=1 tasks=4\n";
  const Settings settings{.preempt_exempt_time = std::chrono::seconds{60}};
  EXPECT_EQ(plan_for(world, settings), "2 waits: Resources\n3 waits: Priority\n");
  const Plan plan = make_plan(world_from(world), at_start, settings);
  EXPECT_EQ(waiting_of(plan, 2).expected_start, start_of_time + std::chrono::seconds{50});
  EXPECT_NE(waiting_of(plan, 3).expected_start, start_of_time) << "n2 is held for job 2";
}

TEST(Backfill, by_default_only_the_first_waiting_job_has_a_reservation) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4 ends=600\n"
                     "wants 2 nodes=2 each=4\n"
                     "wants 3 nodes=2 each=4 at=1\n"
                     "wants 4 at=2 tasks=4 limit=500"),
            "4 starts on n2:4\n2 waits: Resources\n3 waits: Resources\n");
}

// n1 is free after 600 s, n2 after 900 s, and n3 now. Job 2 needs three nodes, job 3 two. A job
// that holds n3 for long would delay both.
const std::string two_wide_jobs_wait =
    "node n1,n2,n3 cpus=4\n"
    "runs 1 on n1:4 ends=600\n"
    "runs 9 on n2:4 ends=900\n"
    "wants 2 nodes=3 each=4 limit=100\n"
    "wants 3 nodes=2 each=4 at=1 limit=100\n";

TEST(Backfill, as_many_jobs_hold_reservations_as_the_settings_say) {
  const Plan plan = make_plan(world_from(two_wide_jobs_wait), at_start, {.backfill = {2}});
  EXPECT_EQ(waiting_of(plan, 2).expected_start, start_of_time + std::chrono::seconds{900});
  EXPECT_EQ(waiting_of(plan, 3).expected_start, start_of_time + std::chrono::seconds{600});
  const Plan easy = make_plan(world_from(two_wide_jobs_wait), at_start);
  EXPECT_TRUE(waiting_of(easy, 3).at_the_earliest) << "it has no reservation";
}

TEST(Backfill, no_job_delays_the_second_reservation) {
  // Job 4 would hold n3 until 700 s. That does not delay job 2, which starts at 900 s. But it
  // delays job 3, which could have n1 and n3 at 600 s.
  const std::string late = two_wide_jobs_wait + "wants 4 at=2 tasks=4 limit=700";
  EXPECT_EQ(plan_for(late, {.backfill = {1}}),
            "4 starts on n3:4\n2 waits: Resources\n3 waits: Resources\n");
  EXPECT_EQ(plan_for(late, {.backfill = {2}}),
            "2 waits: Resources\n3 waits: Resources\n4 waits: Priority\n");
  EXPECT_EQ(plan_for(two_wide_jobs_wait + "wants 4 at=2 tasks=4 limit=600", {.backfill = {2}}),
            "4 starts on n3:4\n2 waits: Resources\n3 waits: Resources\n");
}

// Job 4 would take n3, which job 3 needs. Job 3 is protected only if it has a reservation of its
// own, as the first job of account 2.
TEST(Backfill, the_first_job_of_each_account_has_a_reservation) {
  const auto world = [](const std::string& charged) {
    return "node n1,n2,n3 cpus=4\n"
           "runs 1 on n1:4 ends=600\n"
           "runs 9 on n2:4 ends=900\n"
           "wants 2 nodes=2 each=4 list=n1,n2 limit=100 charged=1\n"
           "wants 3 nodes=2 each=4 list=n1,n3 at=1 limit=100" +
           charged +
           "\n"
           "wants 4 at=2 tasks=4 limit=800 charged=1";
  };
  EXPECT_EQ(plan_for(world(" charged=1")),
            "4 starts on n3:4\n2 waits: Resources\n3 waits: Resources\n");
  EXPECT_EQ(plan_for(world(" charged=2")),
            "2 waits: Resources\n3 waits: Resources\n4 waits: Priority\n");
  EXPECT_EQ(plan_for(world(" charged=2"), {.backfill = {0}}),
            "2 waits: Resources\n3 waits: Resources\n4 waits: Priority\n");
}

TEST(Backfill, the_number_of_accounts_with_a_reservation_is_limited) {
  std::string world = "node n[1-20] cpus=4\n";
  for (int i = 1; i <= 20; ++i) {
    const std::string at = std::to_string(i);
    world += "runs " + at + " on n" + at + ":4 ends=600\nwants 1" + at + " at=" + at +
             " tasks=4 limit=60 charged=" + at + "\n";
  }
  const Plan plan = make_plan(world_from(world), at_start);
  EXPECT_EQ(std::ranges::count_if(plan.waiting,
                                  [](const PendingExplanation& one) {
                                    return one.expected_start && !one.at_the_earliest;
                                  }),
            static_cast<std::ptrdiff_t>(Reservations::accounts_max));
}

TEST(Backfill, a_reservation_begins_after_those_that_leave_no_gap_for_it) {
  const Plan plan =
      make_plan(world_from(two_wide_jobs_wait + "wants 5 nodes=2 each=4 at=3 limit=400\n"
                                                "wants 6 tasks=4 at=4 limit=900"),
                at_start, {.backfill = {4}});
  EXPECT_EQ(waiting_of(plan, 5).expected_start, start_of_time + std::chrono::seconds{1000});
  EXPECT_EQ(waiting_of(plan, 6).expected_start, start_of_time + std::chrono::seconds{1000});
}

TEST(Backfill, without_backfill_no_job_starts_before_the_first_that_waits) {
  EXPECT_EQ(plan_for(wide_job_waits + "wants 3 at=1 limit=1", {.backfill = {0}}),
            "2 waits: Resources\n3 waits: Priority\n");
  EXPECT_EQ(
      plan_for("node n1\nnode n2 down\nwants 1 nodes=2\nwants 2 at=1 tasks=4", {.backfill = {0}}),
      "2 starts on n1:4\n1 waits: ReqNodeNotAvail\n");
}

TEST(Backfill, a_job_that_waits_for_a_drained_node_delays_no_other) {
  EXPECT_EQ(plan_for("node n1\nnode n2 down\nwants 1 nodes=2\nwants 2 at=1 tasks=4"),
            "2 starts on n1:4\n1 waits: ReqNodeNotAvail\n");
}

TEST(Promise, room_of_stopping_jobs_is_reserved_for_the_first_job_that_fits) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4 stopping ends=30\n"
                     "wants 2 nodes=2 each=4 tier=2\n"
                     "wants 3 tasks=4 limit=5"),
            "2 waits: Resources\n3 waits: Priority\n");
}

TEST(Promise, room_that_the_first_job_does_not_need_is_free_for_others) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4 stopping ends=30\n"
                     "wants 2 nodes=2 each=3 tier=2\n"
                     "wants 3 tasks=1"),
            "3 starts on n2:1\n2 waits: Resources\n");
}

TEST(Promise, the_expected_start_is_the_end_of_the_stopping_job) {
  const Plan plan =
      make_plan(world_from("node n1\nruns 1 on n1:4 stopping ends=30\nwants 2"), at_start);
  EXPECT_EQ(waiting_of(plan, 2).expected_start, start_of_time + std::chrono::seconds{30});
  EXPECT_EQ(waiting_of(plan, 2).detail,
            "has a place reserved on n1; starts when job 1 has stopped there, by "
            "1970-01-01T00:17:10Z at the latest");
}

}  // namespace cox::schedule
