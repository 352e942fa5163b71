// Who comes first, and who may pass without delaying anybody.
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

TEST(Order, a_held_job_holds_up_nobody) {
  EXPECT_EQ(plan_for("node n1\nwants 1 tasks=4 tier=3 held\nwants 2 tasks=4"),
            "2 starts on n1:4\n1 waits: JobHeldUser\n");
}

// Job 2 wants both nodes, and gets them when job 1 ends after 600 s.
const std::string wide_job_waits =
    "node n1,n2 cpus=4\n"
    "runs 1 on n1:4 ends=600\n"
    "wants 2 nodes=2 each=4\n";

TEST(Backfill, a_short_job_passes) {
  EXPECT_EQ(plan_for(wide_job_waits + "wants 3 at=1 limit=600"),
            "3 starts on n2:1\n2 waits: Resources\n");
}

TEST(Backfill, a_long_or_endless_job_does_not) {
  EXPECT_EQ(plan_for(wide_job_waits + "wants 3 at=1 limit=601\nwants 4 at=2"),
            "2 waits: Resources\n3 waits: Priority\n4 waits: Priority\n");
}

// Judged once for all that want the same, and yet each by itself.
TEST(Backfill, the_first_of_its_like_that_waits_is_the_one_reserved_for) {
  const Plan plan = make_plan(world_from("node n1 cpus=4\n"
                                         "wants 1 tasks=4 limit=600\n"
                                         "wants 2 tasks=4 at=1 limit=600\n"
                                         "wants 3 tasks=4 at=2 limit=600\n"),
                              at_start);
  EXPECT_EQ(text_of(plan), "1 starts on n1:4\n2 waits: Resources\n3 waits: Resources\n");
  EXPECT_EQ(waiting_of(plan, 2).expected_start, start_of_time + std::chrono::seconds{600});
  EXPECT_FALSE(waiting_of(plan, 2).at_the_earliest);
  EXPECT_TRUE(waiting_of(plan, 3).at_the_earliest) << "no place is kept for it";
}

TEST(Backfill, the_reserved_job_knows_its_time) {
  const Plan plan = make_plan(world_from(wide_job_waits), at_start);
  EXPECT_EQ(waiting_of(plan, 2).expected_start, start_of_time + std::chrono::seconds{600});
}

TEST(Backfill, an_endless_job_passes_on_what_is_spare_then) {
  EXPECT_EQ(plan_for("node n1,n2,n3 cpus=4\n"
                     "runs 1 on n1:4 ends=600\n"
                     "runs 9 on n3:4 ends=9000\n"
                     "wants 2 nodes=2 each=3\n"
                     "wants 3 at=1 tasks=1\n"
                     "wants 4 at=2 tasks=1"),
            "3 starts on n2:1\n2 waits: Resources\n4 waits: Priority\n");
}

TEST(Backfill, the_reserved_job_may_be_moved_to_let_another_pass) {
  // Best fit for job 3 is n2, where job 2 will want to go; n3 is spare.
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "node n3 cpus=8\n"
                     "runs 1 on n1:4 ends=600\n"
                     "runs 9 on n3:2 ends=9000\n"
                     "wants 2 nodes=2 each=4 partition=n1,n2\n"
                     "wants 3 at=1 tasks=4"),
            "3 starts on n3:4\n2 waits: Resources\n");
}

TEST(Backfill, without_a_known_time_what_is_free_of_its_place_is_held) {
  EXPECT_EQ(plan_for("node n1,n2,n3 cpus=4\n"
                     "runs 1 on n1:4\n"
                     "runs 9 on n3:2\n"
                     "wants 2 nodes=2 each=4\n"
                     "wants 3 at=1 limit=1 tasks=2\n"
                     "wants 4 at=2 limit=1 tasks=2"),
            "3 starts on n3:2\n2 waits: Resources\n4 waits: Priority\n");
  EXPECT_EQ(plan_for("node n1,n2,n3 cpus=4 \n"
                     "node n4 cpus=1\n"
                     "runs 1 on n1:4\n"
                     "runs 9 on n3:2\n"
                     "wants 2 nodes=2 each=4\n"
                     "wants 3 at=1 tasks=1"),
            "3 starts on n4:1\n2 waits: Resources\n");
}

TEST(Backfill, only_the_first_waiting_job_is_protected) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4 ends=600\n"
                     "wants 2 nodes=2 each=4\n"
                     "wants 3 nodes=2 each=4 at=1\n"
                     "wants 4 at=2 tasks=4 limit=500"),
            "4 starts on n2:4\n2 waits: Resources\n3 waits: Resources\n");
}

// n1 is free at 600 s, n2 at 900 s. Jobs 2 and 3 want both; job 4 fits beside neither for long.
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
  EXPECT_TRUE(waiting_of(easy, 3).at_the_earliest) << "no place is kept for it";
}

TEST(Backfill, nobody_delays_the_second_reservation_either) {
  // On n3 until 700 s: job 2 begins at 900 s, but job 3 wants n3 from 600 s to 700 s.
  const std::string late = two_wide_jobs_wait + "wants 4 at=2 tasks=4 limit=700";
  EXPECT_EQ(plan_for(late, {.backfill = {1}}),
            "4 starts on n3:4\n2 waits: Resources\n3 waits: Resources\n");
  EXPECT_EQ(plan_for(late, {.backfill = {2}}),
            "2 waits: Resources\n3 waits: Resources\n4 waits: Priority\n");
  EXPECT_EQ(plan_for(two_wide_jobs_wait + "wants 4 at=2 tasks=4 limit=600", {.backfill = {2}}),
            "4 starts on n3:4\n2 waits: Resources\n3 waits: Resources\n");
}

// Job 3 would take the room on n3 that job 4 wants: job 4 has a reservation by its account alone.
TEST(Backfill, the_first_of_each_account_holds_a_reservation_too) {
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

TEST(Backfill, reservations_of_accounts_have_a_limit) {
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

TEST(Backfill, a_reservation_finds_the_gap_before_another_or_comes_after_it) {
  const Plan plan =
      make_plan(world_from(two_wide_jobs_wait + "wants 5 nodes=2 each=4 at=3 limit=400\n"
                                                "wants 6 tasks=4 at=4 limit=900"),
                at_start, {.backfill = {4}});
  EXPECT_EQ(waiting_of(plan, 5).expected_start, start_of_time + std::chrono::seconds{1000});
  EXPECT_EQ(waiting_of(plan, 6).expected_start, start_of_time + std::chrono::seconds{1000});
}

TEST(Backfill, none_means_that_nobody_passes_the_first_that_waits) {
  EXPECT_EQ(plan_for(wide_job_waits + "wants 3 at=1 limit=1", {.backfill = {0}}),
            "2 waits: Resources\n3 waits: Priority\n");
  EXPECT_EQ(
      plan_for("node n1\nnode n2 down\nwants 1 nodes=2\nwants 2 at=1 tasks=4", {.backfill = {0}}),
      "2 starts on n1:4\n1 waits: ReqNodeNotAvail\n");
}

TEST(Backfill, a_job_that_waits_for_a_drained_node_holds_up_nobody) {
  EXPECT_EQ(plan_for("node n1\nnode n2 down\nwants 1 nodes=2\nwants 2 at=1 tasks=4"),
            "2 starts on n1:4\n1 waits: ReqNodeNotAvail\n");
}

TEST(Promise, room_of_stopping_jobs_is_kept_for_the_first_who_can_use_it) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4 stopping ends=30\n"
                     "wants 2 nodes=2 each=4 tier=2\n"
                     "wants 3 tasks=4 limit=5"),
            "2 waits: Resources\n3 waits: Priority\n");
}

TEST(Promise, what_it_does_not_need_is_free_for_others) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4 stopping ends=30\n"
                     "wants 2 nodes=2 each=3 tier=2\n"
                     "wants 3 tasks=1"),
            "3 starts on n2:1\n2 waits: Resources\n");
}

TEST(Promise, tells_when) {
  const Plan plan =
      make_plan(world_from("node n1\nruns 1 on n1:4 stopping ends=30\nwants 2"), at_start);
  EXPECT_EQ(waiting_of(plan, 2).expected_start, start_of_time + std::chrono::seconds{30});
  EXPECT_EQ(waiting_of(plan, 2).detail,
            "keeps its place on n1; starts when job 1 has stopped there, by "
            "1970-01-01T00:17:10Z at the latest");
}

}  // namespace cox::schedule
