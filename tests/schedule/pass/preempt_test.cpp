// Who gives way, to whom, and who does not.
#include "schedule/pass/preempt.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/top/scheduler.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {

TEST(Preempt, the_main_story) {
  // Training 1 runs on the fast nodes, a short job on the others; the urgent gang wants fast ones.
  EXPECT_EQ(plan_for("node n1,n2 cpus=4 features=fast\nnode n3,n4 cpus=4\n"
                     "runs 1 on n1:2 n2:2 tier=2 loss=100\n"
                     "runs 2 on n3:4 n4:4 tier=2\n"
                     "wants 3 nodes=2 each=4 tier=3 feature=fast"),
            "1 gives way to 3\n3 waits: Resources\n");
}

TEST(Preempt, the_set_that_loses_least_even_if_it_is_larger) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4 loss=1000\n"
                     "runs 2 on n2:2 loss=400\n"
                     "runs 3 on n2:2 loss=500\n"
                     "wants 9 tier=2 tasks=4"),
            "2 gives way to 9\n3 gives way to 9\n9 waits: Resources\n");
}

// Each that stops loses also what it takes to stop and to start again.
TEST(Preempt, to_start_again_costs_too) {
  const std::string world =
      "node n1,n2 cpus=4\n"
      "runs 1 on n1:4 loss=100\n"
      "runs 2 on n2:2 loss=40\nruns 3 on n2:2 loss=50\n"
      "wants 9 tier=2 tasks=4";
  const auto plan = [&](int seconds) {
    return plan_for(world, {.preempt_restart_cost = std::chrono::seconds{seconds}});
  };
  EXPECT_EQ(plan(11), "1 gives way to 9\n9 waits: Resources\n");
  EXPECT_EQ(plan(9), "2 gives way to 9\n3 gives way to 9\n9 waits: Resources\n");
}

TEST(Preempt, what_a_tier_weighs_counts_so_many_times) {
  const std::string world =
      "node n1,n2 cpus=4\nruns 1 on n1:4 tier=1 loss=300\nwants 9 tier=3 tasks=4\n";
  EXPECT_EQ(plan_for(world + "runs 2 on n2:4 tier=2 weight=3 loss=61"),
            "1 gives way to 9\n9 waits: Resources\n");  // 360 < 3 * 121
  EXPECT_EQ(plan_for(world + "runs 2 on n2:4 tier=2 weight=3 loss=59"),
            "2 gives way to 9\n9 waits: Resources\n");  // 360 > 3 * 119
}

TEST(Preempt, of_equal_losses_the_fewest_then_the_lowest_tier_then_the_youngest) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4\nruns 2 on n2:2\nruns 3 on n2:2\n"
                     "wants 9 tier=3 tasks=4"),
            "1 gives way to 9\n9 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4 tier=1\nruns 2 on n2:4 tier=2\n"
                     "wants 9 tier=3 tasks=4"),
            "1 gives way to 9\n9 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4\nruns 2 on n2:4\n"
                     "wants 9 tier=3 tasks=4"),
            "2 gives way to 9\n9 waits: Resources\n");
}

TEST(Preempt, of_equal_losses_one_of_a_higher_tier_before_two_of_a_lower) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4 tier=3\nruns 2 on n2:2 tier=1\nruns 3 on n2:2 tier=1\n"
                     "wants 9 tier=4 tasks=4"),
            "1 gives way to 9\n9 waits: Resources\n");
  // The other way round: what is found first are the two.
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:2 tier=1\nruns 2 on n1:2 tier=1\nruns 3 on n2:4 tier=3\n"
                     "wants 9 tier=4 tasks=4"),
            "3 gives way to 9\n9 waits: Resources\n");
}

TEST(Preempt, uses_free_room_and_takes_only_the_rest) {
  EXPECT_EQ(plan_for("node n1,n2,n3 cpus=4\n"
                     "runs 1 on n1:4 loss=9\nruns 2 on n2:4 loss=5\n"
                     "wants 9 tier=2 nodes=2 each=4"),
            "2 gives way to 9\n9 waits: Resources\n");
}

TEST(Preempt, nobody_is_stopped_in_vain) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4\nruns 2 on n2:4 firm\n"
                     "wants 9 tier=2 nodes=2 each=4"),
            "9 waits: Resources\n");
}

TEST(Preempt, only_lower_tiers_that_may_be_preempted_by_one_who_may) {
  EXPECT_EQ(plan_for("node n1\nruns 1 on n1:4 tier=2\nwants 9 tier=2"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1\nruns 1 on n1:4 tier=2\nwants 9 tier=1"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1\nruns 1 on n1:4 firm\nwants 9 tier=2"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1\nruns 1 on n1:4\nwants 9 tier=2 peaceful"), "9 waits: Resources\n");
}

TEST(Preempt, whoever_is_served_by_room_that_comes_free_anyway_stops_nobody) {
  EXPECT_EQ(plan_for("node n1,n2\n"
                     "runs 1 on n1:4 stopping ends=30\nruns 2 on n2:4\n"
                     "wants 9 tier=2 tasks=4"),
            "9 waits: Resources\n");
}

TEST(Preempt, the_second_pass_asks_for_no_more_and_keeps_the_room) {
  // Jobs 1 and 2 were asked to give way to 9; 1 is gone already.
  EXPECT_EQ(plan_for("node n1,n2,n3\n"
                     "runs 2 on n2:4 stopping ends=30\nruns 3 on n3:4\n"
                     "wants 9 tier=2 nodes=2 each=4\n"
                     "wants 10 tasks=4 limit=1"),
            "9 waits: Resources\n10 waits: Priority\n");
}

TEST(Preempt, two_urgent_jobs_get_victims_of_their_own) {
  EXPECT_EQ(plan_for("node n1,n2\n"
                     "runs 1 on n1:4 loss=1\nruns 2 on n2:4 loss=2\n"
                     "wants 8 tier=2 tasks=4\nwants 9 tier=2 tasks=4 at=1"),
            "1 gives way to 8\n2 gives way to 9\n8 waits: Resources\n9 waits: Resources\n");
}

TEST(Preempt, one_victim_of_two_nodes_serves_two_urgent_jobs) {
  EXPECT_EQ(plan_for("node n1,n2\n"
                     "runs 1 on n1:4 n2:4\n"
                     "wants 8 tier=2 tasks=4\nwants 9 tier=2 tasks=4 at=1"),
            "1 gives way to 8\n8 waits: Resources\n9 waits: Resources\n");
}

// Job 8 takes one node of two that its victim of tier 2 leaves; the other is for job 9 of that
// tier, which has the rest from below.
TEST(Preempt, what_a_victim_leaves_over_counts_for_those_below) {
  EXPECT_EQ(plan_for("node n1,n2,n3\n"
                     "runs 1 on n1:4 n2:4 tier=2\nruns 2 on n3:4\n"
                     "wants 8 tier=3 list=n1 tasks=4\nwants 9 tier=2 nodes=2 each=4 peaceful"),
            "1 gives way to 8\n8 waits: Resources\n9 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1,n2,n3\n"
                     "runs 1 on n1:4 n2:4 tier=2\nruns 2 on n3:4\n"
                     "wants 8 tier=3 list=n1 tasks=4\nwants 9 tier=2 nodes=2 each=4"),
            "1 gives way to 8\n2 gives way to 9\n8 waits: Resources\n9 waits: Resources\n");
}

// A gang is never told that nodes are not for it because they are only full of what gives way.
TEST(Preempt, a_cluster_full_of_what_gives_way_is_open_to_a_gang) {
  std::string world;
  for (int i = 1; i <= 20; ++i) {
    const std::string n = std::to_string(i);
    world += "node n" + n + " cpus=4\n";
    for (int part = 0; part < 4; ++part)
      world += "runs " + std::to_string(10 * i + part) + " on n" + n +
               ":1 loss=" + std::to_string(part == 0 ? 10 * i : 1) + "\n";
  }
  const Plan plan = make_plan(world_from(world + "wants 999 tier=2 nodes=3 each=4"), at_start);
  EXPECT_EQ(plan.preemptions.size(), 12u);  // three whole nodes and nobody else
  EXPECT_EQ(plan.claims.size(), 1u);
  EXPECT_TRUE(make_plan(world_from(world + "wants 999 tier=2 nodes=21 each=4"), at_start)
                  .preemptions.empty());
}

TEST(Preempt, frees_gpus_where_gpus_are_short) {
  EXPECT_EQ(plan_for("node n1 cpus=64 gpus=h100:4\n"
                     "runs 1 on n1:1:0+1 loss=50\nruns 2 on n1:1:2+3 loss=20\nruns 3 on n1:40\n"
                     "wants 9 tier=2 gpus=2"),
            "2 gives way to 9\n9 waits: Resources\n");
}

TEST(Preempt, who_has_just_begun_is_left_to_run) {
  const Settings settings{.preempt_exempt_time = Milliseconds{60'000}};
  const auto plan = [&](const std::string& job) {
    return plan_for("node n1\nruns 1 on n1:4 " + job + "\nwants 9 tier=2", settings);
  };
  EXPECT_EQ(plan("ran=59"), "9 waits: Resources\n");
  EXPECT_EQ(plan("ran=60"), "1 gives way to 9\n9 waits: Resources\n");
  EXPECT_EQ(plan("ran=60 exempt=61"), "9 waits: Resources\n");  // its QOS says more
  EXPECT_EQ(plan("ran=0 exempt=0"), "1 gives way to 9\n9 waits: Resources\n");
}

TEST(Preempt, who_has_just_begun_is_left_to_run_also_by_what_is_dearer) {
  EXPECT_EQ(plan_for("node n1,n2\nruns 1 on n1:4 ran=10\nruns 2 on n2:4 ran=900 loss=900\n"
                     "wants 9 tier=2 tasks=4",
                     {.preempt_exempt_time = Milliseconds{60'000}}),
            "2 gives way to 9\n9 waits: Resources\n");
}

// A critical job waited for an hour behind a standard one that had been preempted so often.
TEST(Preempt, a_spent_budget_keeps_no_higher_tier_waiting) {
  EXPECT_EQ(plan_for("node n1\nruns 1 on n1:4 ran=10 preempted=300,200,100,50\nwants 9 tier=2",
                     {.preempt_budget = 4}),
            "1 gives way to 9\n9 waits: Resources\n");
}

TEST(Preempt, of_two_the_one_whose_budget_is_spent_costs_so_many_times_as_much) {
  const auto plan = [&](const std::string& loss, const std::string& ago, std::int64_t budget) {
    return plan_for("node n1,n2\nruns 1 on n1:4 ran=900 loss=10 preempted=" + ago +
                        "\nruns 2 on n2:4 ran=900 loss=" + loss + "\nwants 9 tier=2 tasks=4",
                    {.preempt_restart_cost = Milliseconds{0},
                     .preempt_budget = budget,
                     .preempt_budget_window = Milliseconds{600'000}});
  };
  const std::string spares_1 = "2 gives way to 9\n9 waits: Resources\n";
  const std::string takes_1 = "1 gives way to 9\n9 waits: Resources\n";
  EXPECT_EQ(plan("159", "599,300", 2), spares_1);
  EXPECT_EQ(plan("161", "599,300", 2), takes_1) << "it is a price and no bar";
  EXPECT_EQ(plan("11", "600,300", 2), takes_1) << "the window has passed";
  EXPECT_EQ(plan("11", "599,300", 3), takes_1);
  EXPECT_EQ(plan("11", "599,300,200", 0), takes_1) << "no budget";
  EXPECT_EQ(plan("11", "900,599,300", 2), spares_1);
}

TEST(Preempt, a_spent_budget_spares_from_its_own_tier_until_the_window_has_passed) {
  const Settings settings{.preempt_budget = 2, .preempt_budget_window = Milliseconds{600'000}};
  const Boot now = at_start.boot;
  RunningJob job;
  job.tier = 2;
  job.began = now - Milliseconds{900'000};
  job.preempted = {now - Milliseconds{500'000}, now - Milliseconds{300'000}};
  const auto own = spared(settings, job, 2, now);
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->why, Sparing::BudgetSpent);
  EXPECT_EQ(own->until, now + Milliseconds{100'000});
  EXPECT_FALSE(spared(settings, job, 2, own->until).has_value());
  EXPECT_FALSE(spared(settings, job, 3, now).has_value());
}

TEST(Preempt, tells_who_is_spared_and_for_how_long) {
  const Settings settings{.preempt_exempt_time = Milliseconds{60'000}};
  const Plan plan =
      make_plan(world_from("node n1\nruns 1 on n1:4 ran=20\nwants 9 tier=2"), at_start, settings);
  const auto& lines = waiting_of(plan, 9).lines;
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back(),
            "job 1 holds 4 CPUs on n1, without a time limit; it does not give way before "
            "1970-01-01T00:17:20Z: it runs for at least 60 s first");
}

TEST(Preempt, tells_the_loss) {
  const Plan plan =
      make_plan(world_from("node n1\nruns 1 on n1:4 loss=77\nwants 9 tier=2"), at_start);
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_DOUBLE_EQ(plan.preemptions[0].loss_unit_seconds, 77);
  EXPECT_DOUBLE_EQ(plan.preemptions[0].restart_unit_seconds, 60);
}

// Beyond victims_exact_max candidates the search is greedy; still nobody is stopped needlessly.
TEST(Preempt, of_many_candidates_the_cheap_and_none_in_vain) {
  std::string world = "node big cpus=8\n";
  for (int i = 1; i <= 8; ++i) world += "runs " + std::to_string(i) + " on big:1 loss=50\n";
  for (int i = 11; i <= 30; ++i) {
    const std::string n = std::to_string(i);
    world += "node n" + n + " cpus=1\nruns " + n + " on n" + n + ":1 loss=" + n + "\n";
  }
  EXPECT_EQ(plan_for(world + "wants 99 tier=2 nodes=3"),
            "11 gives way to 99\n12 gives way to 99\n13 gives way to 99\n99 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 99 tier=2 tasks=2").substr(0, 36),
            "7 gives way to 99\n8 gives way to 99\n");
}

TEST(Preempt, of_many_candidates_the_cheap_that_turn_out_useless_are_spared) {
  std::string world = "node big cpus=4\nruns 99 on big:4 loss=500\n";
  for (int i = 1; i <= 20; ++i) {  // each shares its node with one that does not give way
    const std::string n = std::to_string(i);
    world += "node n" + n + " cpus=4\nruns " + n + " on n" + n + ":1 loss=1\nruns 1" + n +
             "00 on n" + n + ":3 firm\n";
  }
  EXPECT_EQ(plan_for(world + "wants 999 tier=2 tasks=4"),
            "99 gives way to 999\n999 waits: Resources\n");
}

TEST(Preempt, an_exclusive_job_clears_a_node) {
  EXPECT_EQ(plan_for("node n1,n2\n"
                     "runs 1 on n1:1 loss=100\nruns 2 on n1:1 loss=100\nruns 3 on n2:1 loss=300\n"
                     "wants 9 tier=2 exclusive"),
            "1 gives way to 9\n2 gives way to 9\n9 waits: Resources\n");
}

// ---- by standing still

TEST(Suspend, frees_the_cpus_alone) {
  const std::string world =
      "node n1 cpus=4 mem=1000 gpus=h100:2\nruns 1 on n1:4:0 suspends mem=600\n";
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 tasks=4 mem=400 gpus=1"),
            "1 is suspended for 9\n9 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 mem=401"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 gpus=2"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 exclusive"), "9 waits: Resources\n");
}

TEST(Suspend, loses_nothing_and_so_gives_way_first) {
  const std::string world =
      "node n1,n2 cpus=4\nruns 1 on n1:4 suspends loss=9000\nruns 2 on n2:4 loss=1\n";
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 tasks=4"),
            "1 is suspended for 9\n9 waits: Resources\n");
  const Plan plan = make_plan(world_from(world + "wants 9 tier=2 tasks=4"), at_start);
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_DOUBLE_EQ(plan.preemptions[0].loss_unit_seconds, 0);
  EXPECT_DOUBLE_EQ(plan.preemptions[0].restart_unit_seconds, 0);
}

// Its memory is what is short: only the other helps.
TEST(Suspend, who_does_not_help_is_left_to_run) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4 mem=1000\n"
                     "runs 1 on n1:4 suspends mem=1000\nruns 2 on n2:4 mem=1000 loss=500\n"
                     "wants 9 tier=2 tasks=4 mem=500"),
            "2 gives way to 9\n9 waits: Resources\n");
}

TEST(Suspend, what_is_about_to_stand_still_serves_and_nobody_else_is_asked) {
  EXPECT_EQ(plan_for("node n1,n2\nruns 1 on n1:4 suspending\nruns 2 on n2:4\n"
                     "wants 9 tier=2 tasks=4"),
            "9 waits: Resources\n");
}

TEST(Suspend, exemption_holds_as_for_any_other) {
  const Settings settings{.preempt_exempt_time = Milliseconds{60'000}};
  const auto plan = [&](const std::string& job) {
    return plan_for("node n1\nruns 1 on n1:4 suspends " + job + "\nwants 9 tier=2", settings);
  };
  EXPECT_EQ(plan("ran=59"), "9 waits: Resources\n");
  EXPECT_EQ(plan("ran=60"), "1 is suspended for 9\n9 waits: Resources\n");
  EXPECT_EQ(plan("ran=900 resumed=59"), "9 waits: Resources\n");
  EXPECT_EQ(plan("ran=900 resumed=60"), "1 is suspended for 9\n9 waits: Resources\n");
}

TEST(Resume, when_its_cpus_are_free_on_all_its_nodes) {
  const std::string world = "node n1,n2\nruns 1 on n1:4 n2:4 still\n";
  EXPECT_EQ(plan_for(world), "1 goes on\n");
  EXPECT_EQ(plan_for(world + "runs 2 on n2:1"), "1 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1,n2\nruns 1 on n1:4 n2:3 still\nruns 2 on n2:1"), "1 goes on\n");
}

TEST(Resume, before_those_of_its_tier_and_behind_those_above) {
  const std::string world = "node n1\nruns 1 on n1:4 tier=2 still\n";
  EXPECT_EQ(plan_for(world + "wants 9 tier=2"), "1 goes on\n9 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=1"), "1 goes on\n9 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=3"), "9 starts on n1:1\n1 waits: Resources\n");
}

TEST(Resume, whoever_goes_on_is_not_suspended_again_in_the_same_pass) {
  // Both in one tier below: 9 takes 2's place, and 1 is not asked although it would serve as well.
  EXPECT_EQ(plan_for("node n1,n2\nruns 1 on n1:4 tier=2 still\nruns 2 on n2:4\n"
                     "wants 9 tier=2 tasks=4"),
            "1 goes on\n2 gives way to 9\n9 waits: Resources\n");
}

// What is free of its CPUs stays for it, unless who takes it is gone when it could go on.
TEST(Resume, nobody_of_its_tier_passes_it_for_longer_than_it_waits) {
  const std::string world =
      "node n1,n2\nruns 1 on n1:4 n2:4 still\nruns 2 on n2:4 tier=2 ends=60\n";
  EXPECT_EQ(plan_for(world + "wants 9 tasks=4 limit=60"), "9 starts on n1:4\n1 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tasks=4 limit=61"),
            "9 waits: Priority\n1 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 tasks=4"), "9 starts on n1:4\n1 waits: Resources\n");
}

TEST(Resume, keeps_what_is_free_also_when_nobody_knows_until_when) {
  EXPECT_EQ(plan_for("node n1,n2\nruns 1 on n1:4 n2:4 still\nruns 2 on n2:4 tier=2\n"
                     "wants 9 tasks=4 limit=1"),
            "9 waits: Priority\n1 waits: Resources\n");
}

// n2 is kept for 1, so 3 can have n3 alone: there it is reserved for, and 4 does not pass it.
TEST(Resume, nobody_counts_on_what_is_kept) {
  EXPECT_EQ(plan_for("node n1,n2,n3 cpus=2\nruns 1 on n1:2 n2:2 still\nruns 2 on n1:2 firm\n"
                     "runs 5 on n3:1 firm ends=600\nwants 3 tasks=2\nwants 4 at=9"),
            "3 waits: Priority\n4 waits: Priority\n1 waits: Resources\n");
}

// What comes free of n1 is kept as well, so 3 waits for n2.
TEST(Resume, nobody_counts_on_what_will_be_kept) {
  const Plan plan = make_plan(
      world_from("node n1,n2 cpus=4\nruns 1 on n1:4 still\nruns 2 on n1:2 firm\n"
                 "runs 5 on n1:2 firm ends=60\nruns 6 on n2:4 firm ends=600\nwants 3 tasks=2"),
      at_start);
  EXPECT_EQ(waiting_of(plan, 3).expected_start, start_of_time + Milliseconds{600'000});
}

TEST(Resume, nobody_goes_on_with_what_is_kept_for_one_before) {
  const std::string world =
      "node n1,n2 cpus=2\nruns 1 on n1:2 n2:2 tier=1 still\n"
      "runs 3 on n2:2 still\n";
  EXPECT_EQ(plan_for(world + "runs 2 on n1:2 firm"), "1 waits: Resources\n3 waits: Priority\n");
  EXPECT_EQ(plan_for(world), "1 goes on\n3 waits: Resources\n");
}

TEST(Resume, does_not_delay_a_reservation_above_it) {
  const std::string world =
      "node n1,n2\nruns 2 on n2:4 tier=3 ends=60\nwants 9 tier=3 nodes=2 each=4\n";
  EXPECT_EQ(plan_for(world + "runs 1 on n1:4 still left=60"), "1 goes on\n9 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "runs 1 on n1:4 still left=61"),
            "9 waits: Resources\n1 waits: Priority\n");
}

// Job 9 wants the memory that 1 keeps while it stands still: it waits for 1, so 1 goes on.
TEST(Resume, nobody_waits_in_a_circle) {
  EXPECT_EQ(plan_for("node n1 cpus=4 mem=1000\nruns 1 on n1:4 mem=600 still\n"
                     "wants 9 tier=3 tasks=4 mem=500"),
            "1 goes on\n9 waits: Resources\n");
}

TEST(Resume, who_cannot_be_told_waits_and_so_does_what_is_its_own) {
  SchedulerInput world = world_from("node n1\nruns 1 on n1:4 still\nwants 9");
  world.running.front().resumable = false;
  EXPECT_EQ(text_of(make_plan(world, at_start)), "9 waits: Priority\n1 waits: ReqNodeNotAvail\n");
}

TEST(Resume, whom_it_is_kept_from_is_told_for_whom) {
  const Plan plan = make_plan(world_from("node n1,n2\nruns 1 on n1:4 n2:4 still\n"
                                         "runs 2 on n2:4 firm\nwants 9 tasks=4 limit=1"),
                              at_start);
  EXPECT_NE(waiting_of(plan, 9).detail.find("kept for others before it: job 1"), std::string::npos)
      << waiting_of(plan, 9).detail;
}

// Behind a reservation 1 goes on for 60 s, and then its memory is 4's.
TEST(Resume, what_it_holds_comes_free_at_its_end) {
  const Plan plan = make_plan(
      world_from("node n1,n2 cpus=4 mem=1000\nruns 2 on n2:4 tier=3 firm ends=600\n"
                 "wants 3 tier=3 list=n2 tasks=4\nruns 1 on n1:4 mem=600 tier=2 still left=60\n"
                 "wants 4 tier=1 list=n1 tasks=4 mem=1000"),
      at_start, Settings{.backfill = {.reservations = 8}});
  EXPECT_EQ(waiting_of(plan, 4).expected_start, start_of_time + Milliseconds{60'000});
}

TEST(Suspend, whom_its_memory_is_missing_is_told_of_its_time_limit) {
  const Plan plan = make_plan(world_from("node n1 cpus=4 mem=1000\n"
                                         "runs 1 on n1:4 mem=600 still left=90\n"
                                         "wants 9 tier=3 tasks=1 mem=500"),
                              at_start);
  const auto& lines = waiting_of(plan, 9).lines;
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
    return line.find("with 90 s of its time limit left") != std::string::npos;
  })) << (lines.empty() ? "" : lines.back());
}

TEST(Resume, says_what_it_waits_for) {
  const Plan plan = make_plan(world_from("node n1,n2\nruns 1 on n1:4 n2:4 still\n"
                                         "runs 2 on n2:3 tier=2 ends=60"),
                              at_start);
  EXPECT_EQ(waiting_of(plan, 1).detail,
            "stands still on n[1-2] until its CPUs are free again on 1 node, expected at "
            "1970-01-01T00:17:40Z by time limits");
  EXPECT_EQ(waiting_of(plan, 1).lines,
            std::vector<std::string>{"node n2: 1 of its 4 CPUs free; held by job 2 (3 CPUs)"});
}

// What 1 would have left at its end is no longer there at that time: job 8, which counts on it,
// stands before 9.
TEST(Suspend, delays_no_reservation_that_counts_on_its_memory) {
  EXPECT_EQ(plan_for("node n1 cpus=8 mem=1000\n"
                     "runs 1 on n1:4 suspends mem=600 ends=60\nruns 2 on n1:4 firm ends=60\n"
                     "wants 8 tier=3 tasks=4 mem=1000 peaceful\nwants 9 tier=2 tasks=4 limit=30"),
            "8 waits: Resources\n9 waits: Resources\n");
}

// Job 9 keeps n1, which job 1 leaves, though the later job 10 is more urgent.
TEST(Preempt, what_victims_leave_is_for_their_preemptor) {
  SchedulerInput world = world_from("node n1\nruns 1 on n1:4\nwants 9 tier=2 tasks=4\n");
  Scheduler scheduler(world.nodes);
  Engine& engine = scheduler.engine();
  engine.add(world.running[0]);
  engine.add(world.pending[0]);
  const Plan plan = scheduler.plan(at_start, ExplainDepth::everything());
  EXPECT_EQ(text_of(plan), "1 gives way to 9\n9 waits: Resources\n");
  engine.claim(world.pending[0], plan.claims.at(0).placement);
  engine.remove_running(JobId{1});
  const SchedulerInput later = world_from("wants 10 tier=3 tasks=4");
  engine.add(later.pending[0]);
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())),
            "9 starts on n1:4\n10 waits: Resources\n");
  engine.remove(world.pending[0]);  // cancelled: its claim goes with it
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())), "10 starts on n1:4\n");
}

}  // namespace cox::schedule
