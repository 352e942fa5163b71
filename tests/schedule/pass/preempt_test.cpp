// Tests preemption: which jobs are preempted, for which jobs, and which jobs are not.
#include "schedule/pass/preempt.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/top/scheduler.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {

TEST(Preempt, an_urgent_gang_preempts_only_the_job_on_nodes_that_it_can_use) {
  // Job 1 runs on the fast nodes, job 2 on the others. The urgent gang needs fast nodes.
  EXPECT_EQ(plan_for("node n1,n2 cpus=4 features=fast\nnode n3,n4 cpus=4\n"
                     "runs 1 on n1:2 n2:2 tier=2 loss=100\n"
                     "runs 2 on n3:4 n4:4 tier=2\n"
                     "wants 3 nodes=2 each=4 tier=3 feature=fast"),
            "1 preempted by 3\n3 waits: Resources\n");
}

TEST(Preempt, the_victims_that_lose_least_are_chosen_even_if_they_are_more) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4 loss=1000\n"
                     "runs 2 on n2:2 loss=400\n"
                     "runs 3 on n2:2 loss=500\n"
                     "wants 9 tier=2 tasks=4"),
            "2 preempted by 9\n3 preempted by 9\n9 waits: Resources\n");
}

// Besides the lost work, the cost of each victim includes preempt_restart_cost, the time to stop
// and to start again.
TEST(Preempt, the_restart_of_a_victim_adds_to_its_cost) {
  const std::string world =
      "node n1,n2 cpus=4\n"
      "runs 1 on n1:4 loss=100\n"
      "runs 2 on n2:2 loss=40\nruns 3 on n2:2 loss=50\n"
      "wants 9 tier=2 tasks=4";
  const auto plan = [&](int seconds) {
    return plan_for(world, {.preempt_restart_cost = std::chrono::seconds{seconds}});
  };
  EXPECT_EQ(plan(11), "1 preempted by 9\n9 waits: Resources\n");
  EXPECT_EQ(plan(9), "2 preempted by 9\n3 preempted by 9\n9 waits: Resources\n");
}

TEST(Preempt, the_preempt_weight_multiplies_the_cost_of_a_victim) {
  const std::string world =
      "node n1,n2 cpus=4\nruns 1 on n1:4 tier=1 loss=300\nwants 9 tier=3 tasks=4\n";
  EXPECT_EQ(plan_for(world + "runs 2 on n2:4 tier=2 weight=3 loss=61"),
            "1 preempted by 9\n9 waits: Resources\n");  // costs: 300 + 60 < 3 * (61 + 60)
  EXPECT_EQ(plan_for(world + "runs 2 on n2:4 tier=2 weight=3 loss=59"),
            "2 preempted by 9\n9 waits: Resources\n");  // costs: 300 + 60 > 3 * (59 + 60)
}

TEST(Preempt, equal_losses_prefer_the_fewest_then_the_lowest_tier_then_the_youngest) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4\nruns 2 on n2:2\nruns 3 on n2:2\n"
                     "wants 9 tier=3 tasks=4"),
            "1 preempted by 9\n9 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4 tier=1\nruns 2 on n2:4 tier=2\n"
                     "wants 9 tier=3 tasks=4"),
            "1 preempted by 9\n9 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4\nruns 2 on n2:4\n"
                     "wants 9 tier=3 tasks=4"),
            "2 preempted by 9\n9 waits: Resources\n");
}

TEST(Preempt, equal_losses_prefer_one_of_a_higher_tier_to_two_of_a_lower) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4 tier=3\nruns 2 on n2:2 tier=1\nruns 3 on n2:2 tier=1\n"
                     "wants 9 tier=4 tasks=4"),
            "1 preempted by 9\n9 waits: Resources\n");
  // Two jobs of the lower tier, which the search finds first, lose as much as one job of a higher
  // tier.
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:2 tier=1\nruns 2 on n1:2 tier=1\nruns 3 on n2:4 tier=3\n"
                     "wants 9 tier=4 tasks=4"),
            "3 preempted by 9\n9 waits: Resources\n");
}

TEST(Preempt, free_room_is_used_and_only_the_rest_preempted) {
  EXPECT_EQ(plan_for("node n1,n2,n3 cpus=4\n"
                     "runs 1 on n1:4 loss=9\nruns 2 on n2:4 loss=5\n"
                     "wants 9 tier=2 nodes=2 each=4"),
            "2 preempted by 9\n9 waits: Resources\n");
}

TEST(Preempt, no_job_is_preempted_if_the_preemptor_still_could_not_start) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\n"
                     "runs 1 on n1:4\nruns 2 on n2:4 firm\n"
                     "wants 9 tier=2 nodes=2 each=4"),
            "9 waits: Resources\n");
}

TEST(Preempt, only_preemptable_jobs_of_lower_tiers_become_victims) {
  EXPECT_EQ(plan_for("node n1\nruns 1 on n1:4 tier=2\nwants 9 tier=2"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1\nruns 1 on n1:4 tier=2\nwants 9 tier=1"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1\nruns 1 on n1:4 firm\nwants 9 tier=2"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1\nruns 1 on n1:4\nwants 9 tier=2 peaceful"), "9 waits: Resources\n");
}

TEST(Preempt, a_job_that_fits_where_another_stops_preempts_nothing) {
  EXPECT_EQ(plan_for("node n1,n2\n"
                     "runs 1 on n1:4 stopping ends=30\nruns 2 on n2:4\n"
                     "wants 9 tier=2 tasks=4"),
            "9 waits: Resources\n");
}

TEST(Preempt, a_second_pass_preempts_no_more_and_keeps_the_room_reserved) {
  // Jobs 1 and 2 were preempted for job 9. Job 1 has ended already; job 2 is stopping.
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
            "1 preempted by 8\n2 preempted by 9\n8 waits: Resources\n9 waits: Resources\n");
}

TEST(Preempt, one_victim_of_two_nodes_serves_two_urgent_jobs) {
  EXPECT_EQ(plan_for("node n1,n2\n"
                     "runs 1 on n1:4 n2:4\n"
                     "wants 8 tier=2 tasks=4\nwants 9 tier=2 tasks=4 at=1"),
            "1 preempted by 8\n8 waits: Resources\n9 waits: Resources\n");
}

// The victim of job 8 frees two nodes, and job 8 needs one. Job 9 may use the other node, though it
// could not preempt that victim itself, and preempts job 2 for its second node.
TEST(Preempt, room_that_a_preemptor_does_not_need_counts_for_later_jobs) {
  EXPECT_EQ(plan_for("node n1,n2,n3\n"
                     "runs 1 on n1:4 n2:4 tier=2\nruns 2 on n3:4\n"
                     "wants 8 tier=3 list=n1 tasks=4\nwants 9 tier=2 nodes=2 each=4 peaceful"),
            "1 preempted by 8\n8 waits: Resources\n9 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1,n2,n3\n"
                     "runs 1 on n1:4 n2:4 tier=2\nruns 2 on n3:4\n"
                     "wants 8 tier=3 list=n1 tasks=4\nwants 9 tier=2 nodes=2 each=4"),
            "1 preempted by 8\n2 preempted by 9\n8 waits: Resources\n9 waits: Resources\n");
}

// All nodes are full of preemptable jobs, so each node qualifies for the gang.
TEST(Preempt, a_gang_finds_victims_in_a_full_cluster) {
  std::string world;
  for (int i = 1; i <= 20; ++i) {
    const std::string n = std::to_string(i);
    world += "node n" + n + " cpus=4\n";
    for (int part = 0; part < 4; ++part)
      world += "runs " + std::to_string(10 * i + part) + " on n" + n +
               ":1 loss=" + std::to_string(part == 0 ? 10 * i : 1) + "\n";
  }
  const Plan plan = make_plan(world_from(world + "wants 999 tier=2 nodes=3 each=4"), at_start);
  EXPECT_EQ(plan.preemptions.size(), 12u);  // all four jobs on each of three nodes
  EXPECT_EQ(plan.claims.size(), 1u);
  EXPECT_TRUE(make_plan(world_from(world + "wants 999 tier=2 nodes=21 each=4"), at_start)
                  .preemptions.empty());
}

TEST(Preempt, jobs_on_gpus_are_preempted_if_gpus_are_short) {
  EXPECT_EQ(plan_for("node n1 cpus=64 gpus=h100:4\n"
                     "runs 1 on n1:1:0+1 loss=50\nruns 2 on n1:1:2+3 loss=20\nruns 3 on n1:40\n"
                     "wants 9 tier=2 gpus=2"),
            "2 preempted by 9\n9 waits: Resources\n");
}

TEST(Preempt, a_job_is_not_preempted_before_its_exempt_time_has_passed) {
  const Settings settings{.preempt_exempt_time = Milliseconds{60'000}};
  const auto plan = [&](const std::string& job) {
    return plan_for("node n1\nruns 1 on n1:4 " + job + "\nwants 9 tier=2", settings);
  };
  EXPECT_EQ(plan("ran=59"), "9 waits: Resources\n");
  EXPECT_EQ(plan("ran=60"), "1 preempted by 9\n9 waits: Resources\n");
  // The job's QOS exempts it for 61 s, longer than the setting.
  EXPECT_EQ(plan("ran=60 exempt=61"), "9 waits: Resources\n");
  EXPECT_EQ(plan("ran=0 exempt=0"), "1 preempted by 9\n9 waits: Resources\n");
}

TEST(Preempt, an_exempt_job_is_spared_even_if_the_other_victim_costs_more) {
  EXPECT_EQ(plan_for("node n1,n2\nruns 1 on n1:4 ran=10\nruns 2 on n2:4 ran=900 loss=900\n"
                     "wants 9 tier=2 tasks=4",
                     {.preempt_exempt_time = Milliseconds{60'000}}),
            "2 preempted by 9\n9 waits: Resources\n");
}

// In the past a critical job waited an hour because the preemption budget of a standard job was
// spent.
TEST(Preempt, a_spent_preemption_budget_does_not_protect_from_higher_tiers) {
  EXPECT_EQ(plan_for("node n1\nruns 1 on n1:4 ran=10 preempted=300,200,100,50\nwants 9 tier=2",
                     {.preempt_budget = 4}),
            "1 preempted by 9\n9 waits: Resources\n");
}

TEST(Preempt, a_spent_preemption_budget_multiplies_the_cost_of_a_victim) {
  const auto plan = [&](const std::string& loss, const std::string& ago, std::int64_t budget) {
    return plan_for("node n1,n2\nruns 1 on n1:4 ran=900 loss=10 preempted=" + ago +
                        "\nruns 2 on n2:4 ran=900 loss=" + loss + "\nwants 9 tier=2 tasks=4",
                    {.preempt_restart_cost = Milliseconds{0},
                     .preempt_budget = budget,
                     .preempt_budget_window = Milliseconds{600'000}});
  };
  const std::string spares_1 = "2 preempted by 9\n9 waits: Resources\n";
  const std::string takes_1 = "1 preempted by 9\n9 waits: Resources\n";
  EXPECT_EQ(plan("159", "599,300", 2), spares_1);
  EXPECT_EQ(plan("161", "599,300", 2), takes_1)
      << "a spent budget raises the cost but forbids nothing";
  EXPECT_EQ(plan("11", "600,300", 2), takes_1) << "the window has passed";
  EXPECT_EQ(plan("11", "599,300", 3), takes_1);
  EXPECT_EQ(plan("11", "599,300,200", 0), takes_1) << "there is no budget";
  EXPECT_EQ(plan("11", "900,599,300", 2), spares_1);
}

TEST(Preempt, a_spent_preemption_budget_protects_from_the_own_tier_until_the_window_ends) {
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

TEST(Preempt, the_explanation_says_until_when_a_job_is_exempt) {
  const Settings settings{.preempt_exempt_time = Milliseconds{60'000}};
  const Plan plan =
      make_plan(world_from("node n1\nruns 1 on n1:4 ran=20\nwants 9 tier=2"), at_start, settings);
  const auto& lines = waiting_of(plan, 9).lines;
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back(),
            "job 1 holds 4 CPUs on n1, without a time limit; it cannot be preempted before "
            "1970-01-01T00:17:20Z: it is exempt for its first 60 s");
}

TEST(Preempt, a_preemption_has_its_loss_and_its_restart_cost) {
  const Plan plan =
      make_plan(world_from("node n1\nruns 1 on n1:4 loss=77\nwants 9 tier=2"), at_start);
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_DOUBLE_EQ(plan.preemptions[0].loss_unit_seconds, 77);
  EXPECT_DOUBLE_EQ(plan.preemptions[0].restart_unit_seconds, 60);
}

// Beyond victims_exact_max candidates the search for victims is greedy, so the set may not be the
// cheapest, but it has no needless victim.
TEST(Preempt, of_many_candidates_the_cheapest_are_preempted_and_none_needlessly) {
  std::string world = "node big cpus=8\n";
  for (int i = 1; i <= 8; ++i) world += "runs " + std::to_string(i) + " on big:1 loss=50\n";
  for (int i = 11; i <= 30; ++i) {
    const std::string n = std::to_string(i);
    world += "node n" + n + " cpus=1\nruns " + n + " on n" + n + ":1 loss=" + n + "\n";
  }
  EXPECT_EQ(plan_for(world + "wants 99 tier=2 nodes=3"),
            "11 preempted by 99\n12 preempted by 99\n13 preempted by 99\n99 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 99 tier=2 tasks=2").substr(0, 36),
            "7 preempted by 99\n8 preempted by 99\n");
}

TEST(Preempt, cheap_candidates_whose_preemption_does_not_help_are_spared) {
  std::string world = "node big cpus=4\nruns 99 on big:4 loss=500\n";
  // Each of these jobs shares its node with one that may not be preempted.
  for (int i = 1; i <= 20; ++i) {
    const std::string n = std::to_string(i);
    world += "node n" + n + " cpus=4\nruns " + n + " on n" + n + ":1 loss=1\nruns 1" + n +
             "00 on n" + n + ":3 firm\n";
  }
  EXPECT_EQ(plan_for(world + "wants 999 tier=2 tasks=4"),
            "99 preempted by 999\n999 waits: Resources\n");
}

TEST(Preempt, an_exclusive_job_preempts_all_jobs_of_a_node) {
  EXPECT_EQ(plan_for("node n1,n2\n"
                     "runs 1 on n1:1 loss=100\nruns 2 on n1:1 loss=100\nruns 3 on n2:1 loss=300\n"
                     "wants 9 tier=2 exclusive"),
            "1 preempted by 9\n2 preempted by 9\n9 waits: Resources\n");
}

// ---- by suspension

TEST(Suspend, a_suspended_job_frees_only_its_cpus) {
  const std::string world =
      "node n1 cpus=4 mem=1000 gpus=h100:2\nruns 1 on n1:4:0 suspends mem=600\n";
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 tasks=4 mem=400 gpus=1"),
            "1 is suspended for 9\n9 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 mem=401"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 gpus=2"), "9 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 exclusive"), "9 waits: Resources\n");
}

TEST(Suspend, a_job_that_can_be_suspended_loses_nothing_and_is_the_first_victim) {
  const std::string world =
      "node n1,n2 cpus=4\nruns 1 on n1:4 suspends loss=9000\nruns 2 on n2:4 loss=1\n";
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 tasks=4"),
            "1 is suspended for 9\n9 waits: Resources\n");
  const Plan plan = make_plan(world_from(world + "wants 9 tier=2 tasks=4"), at_start);
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_DOUBLE_EQ(plan.preemptions[0].loss_unit_seconds, 0);
  EXPECT_DOUBLE_EQ(plan.preemptions[0].restart_unit_seconds, 0);
}

// Memory is short, and a suspended job keeps its memory. So job 1 keeps running, and job 2 is
// preempted instead.
TEST(Suspend, a_job_whose_suspension_does_not_help_keeps_running) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4 mem=1000\n"
                     "runs 1 on n1:4 suspends mem=1000\nruns 2 on n2:4 mem=1000 loss=500\n"
                     "wants 9 tier=2 tasks=4 mem=500"),
            "2 preempted by 9\n9 waits: Resources\n");
}

TEST(Suspend, while_a_job_is_being_suspended_no_other_is_preempted) {
  EXPECT_EQ(plan_for("node n1,n2\nruns 1 on n1:4 suspending\nruns 2 on n2:4\n"
                     "wants 9 tier=2 tasks=4"),
            "9 waits: Resources\n");
}

TEST(Suspend, a_job_is_not_suspended_before_its_exempt_time_has_passed) {
  const Settings settings{.preempt_exempt_time = Milliseconds{60'000}};
  const auto plan = [&](const std::string& job) {
    return plan_for("node n1\nruns 1 on n1:4 suspends " + job + "\nwants 9 tier=2", settings);
  };
  EXPECT_EQ(plan("ran=59"), "9 waits: Resources\n");
  EXPECT_EQ(plan("ran=60"), "1 is suspended for 9\n9 waits: Resources\n");
  EXPECT_EQ(plan("ran=900 resumed=59"), "9 waits: Resources\n");
  EXPECT_EQ(plan("ran=900 resumed=60"), "1 is suspended for 9\n9 waits: Resources\n");
}

TEST(Resume, a_job_resumes_when_its_cpus_are_free_on_all_its_nodes) {
  const std::string world = "node n1,n2\nruns 1 on n1:4 n2:4 still\n";
  EXPECT_EQ(plan_for(world), "1 resumes\n");
  EXPECT_EQ(plan_for(world + "runs 2 on n2:1"), "1 waits: Resources\n");
  EXPECT_EQ(plan_for("node n1,n2\nruns 1 on n1:4 n2:3 still\nruns 2 on n2:1"), "1 resumes\n");
}

TEST(Resume, a_job_resumes_before_its_own_tier_and_after_higher_tiers) {
  const std::string world = "node n1\nruns 1 on n1:4 tier=2 still\n";
  EXPECT_EQ(plan_for(world + "wants 9 tier=2"), "1 resumes\n9 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=1"), "1 resumes\n9 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=3"), "9 starts on n1:1\n1 waits: Resources\n");
}

TEST(Resume, a_resumed_job_is_not_suspended_again_in_the_same_pass) {
  // The suspended job 1 has the same tier as job 9 and resumes first. Then job 9 preempts job 2,
  // not job 1.
  EXPECT_EQ(plan_for("node n1,n2\nruns 1 on n1:4 tier=2 still\nruns 2 on n2:4\n"
                     "wants 9 tier=2 tasks=4"),
            "1 resumes\n2 preempted by 9\n9 waits: Resources\n");
}

// Job 1 is suspended on n1 and n2, and job 2 uses n2 for 60 s more. A job of the same tier may use
// n1 only if it ends within these 60 s; a job of a higher tier may use n1 in any case.
TEST(Resume, no_job_of_its_tier_delays_the_resume_of_a_suspended_job) {
  const std::string world =
      "node n1,n2\nruns 1 on n1:4 n2:4 still\nruns 2 on n2:4 tier=2 ends=60\n";
  EXPECT_EQ(plan_for(world + "wants 9 tasks=4 limit=60"), "9 starts on n1:4\n1 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tasks=4 limit=61"),
            "9 waits: Priority\n1 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "wants 9 tier=2 tasks=4"), "9 starts on n1:4\n1 waits: Resources\n");
}

TEST(Resume, free_cpus_of_a_suspended_job_stay_reserved_if_its_resume_time_is_unknown) {
  EXPECT_EQ(plan_for("node n1,n2\nruns 1 on n1:4 n2:4 still\nruns 2 on n2:4 tier=2\n"
                     "wants 9 tasks=4 limit=1"),
            "9 waits: Priority\n1 waits: Resources\n");
}

// The CPUs of n2 are kept for the suspended job 1. So job 3 gets its reservation on n3, and job 4
// may not delay it.
TEST(Resume, no_reservation_counts_on_cpus_reserved_for_a_suspended_job) {
  EXPECT_EQ(plan_for("node n1,n2,n3 cpus=2\nruns 1 on n1:2 n2:2 still\nruns 2 on n1:2 firm\n"
                     "runs 5 on n3:1 firm ends=600\nwants 3 tasks=2\nwants 4 at=9"),
            "3 waits: Priority\n4 waits: Priority\n1 waits: Resources\n");
}

// The CPUs of n1 that come free after 60 s are for the suspended job 1. So job 3 is expected to
// start on n2, after 600 s.
TEST(Resume, no_reservation_counts_on_cpus_that_a_suspended_job_will_get) {
  const Plan plan = make_plan(
      world_from("node n1,n2 cpus=4\nruns 1 on n1:4 still\nruns 2 on n1:2 firm\n"
                 "runs 5 on n1:2 firm ends=60\nruns 6 on n2:4 firm ends=600\nwants 3 tasks=2"),
      at_start);
  EXPECT_EQ(waiting_of(plan, 3).expected_start, start_of_time + Milliseconds{600'000});
}

TEST(Resume, no_job_resumes_on_cpus_reserved_for_one_before_it) {
  const std::string world =
      "node n1,n2 cpus=2\nruns 1 on n1:2 n2:2 tier=1 still\n"
      "runs 3 on n2:2 still\n";
  EXPECT_EQ(plan_for(world + "runs 2 on n1:2 firm"), "1 waits: Resources\n3 waits: Priority\n");
  EXPECT_EQ(plan_for(world), "1 resumes\n3 waits: Resources\n");
}

TEST(Resume, a_resumed_job_delays_no_reservation_of_a_higher_tier) {
  const std::string world =
      "node n1,n2\nruns 2 on n2:4 tier=3 ends=60\nwants 9 tier=3 nodes=2 each=4\n";
  EXPECT_EQ(plan_for(world + "runs 1 on n1:4 still left=60"), "1 resumes\n9 waits: Resources\n");
  EXPECT_EQ(plan_for(world + "runs 1 on n1:4 still left=61"),
            "9 waits: Resources\n1 waits: Priority\n");
}

// Job 9 needs memory that the suspended job 1 keeps. Job 1 can free it only by running to its end,
// so job 1 resumes.
TEST(Resume, a_suspended_job_resumes_for_a_job_that_needs_its_memory) {
  EXPECT_EQ(plan_for("node n1 cpus=4 mem=1000\nruns 1 on n1:4 mem=600 still\n"
                     "wants 9 tier=3 tasks=4 mem=500"),
            "1 resumes\n9 waits: Resources\n");
}

TEST(Resume, a_job_with_silent_nodes_stays_suspended_and_keeps_its_cpus) {
  SchedulerInput world = world_from("node n1\nruns 1 on n1:4 still\nwants 9");
  world.running.front().resumable = false;
  EXPECT_EQ(text_of(make_plan(world, at_start)), "9 waits: Priority\n1 waits: ReqNodeNotAvail\n");
}

TEST(Resume, an_explanation_names_the_suspended_job_that_cpus_are_reserved_for) {
  const Plan plan = make_plan(world_from("node n1,n2\nruns 1 on n1:4 n2:4 still\n"
                                         "runs 2 on n2:4 firm\nwants 9 tasks=4 limit=1"),
                              at_start);
  EXPECT_NE(waiting_of(plan, 9).detail.find("reserved for jobs before it: job 1"),
            std::string::npos)
      << waiting_of(plan, 9).detail;
}

// Job 1 resumes and ends after 60 s, which does not delay the reservation on n2. From then on its
// memory is free for job 4.
TEST(Resume, the_memory_of_a_resumed_job_is_free_at_its_end) {
  const Plan plan = make_plan(
      world_from("node n1,n2 cpus=4 mem=1000\nruns 2 on n2:4 tier=3 firm ends=600\n"
                 "wants 3 tier=3 list=n2 tasks=4\nruns 1 on n1:4 mem=600 tier=2 still left=60\n"
                 "wants 4 tier=1 list=n1 tasks=4 mem=1000"),
      at_start, Settings{.backfill = {.reservations = 8}});
  EXPECT_EQ(waiting_of(plan, 4).expected_start, start_of_time + Milliseconds{60'000});
}

TEST(Suspend, a_job_that_lacks_memory_sees_the_time_limit_left_to_the_suspended_job_that_holds_it) {
  const Plan plan = make_plan(world_from("node n1 cpus=4 mem=1000\n"
                                         "runs 1 on n1:4 mem=600 still left=90\n"
                                         "wants 9 tier=3 tasks=1 mem=500"),
                              at_start);
  const auto& lines = waiting_of(plan, 9).lines;
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
    return line.find("with 90 s of its time limit left") != std::string::npos;
  })) << (lines.empty() ? "" : lines.back());
}

TEST(Resume, a_suspended_job_shows_what_it_waits_for) {
  const Plan plan = make_plan(world_from("node n1,n2\nruns 1 on n1:4 n2:4 still\n"
                                         "runs 2 on n2:3 tier=2 ends=60"),
                              at_start);
  EXPECT_EQ(waiting_of(plan, 1).detail,
            "suspended on n[1-2] until its CPUs are free again on 1 node, expected at "
            "1970-01-01T00:17:40Z by time limits");
  EXPECT_EQ(waiting_of(plan, 1).lines,
            std::vector<std::string>{"node n2: 1 of its 4 CPUs free; held by job 2 (3 CPUs)"});
}

// Job 8 has a reservation after 60 s and needs the whole memory. If job 9 suspended job 1, the
// memory of job 1 would not be free by then, so job 9 waits.
TEST(Suspend, a_suspension_delays_no_reservation_that_needs_the_memory) {
  EXPECT_EQ(plan_for("node n1 cpus=8 mem=1000\n"
                     "runs 1 on n1:4 suspends mem=600 ends=60\nruns 2 on n1:4 firm ends=60\n"
                     "wants 8 tier=3 tasks=4 mem=1000 peaceful\nwants 9 tier=2 tasks=4 limit=30"),
            "8 waits: Resources\n9 waits: Resources\n");
}

// Job 9 preempts job 1 on n1. Then job 10 of a higher tier is submitted, but n1 stays reserved for
// job 9.
TEST(Preempt, room_of_victims_stays_reserved_for_their_preemptor) {
  SchedulerInput world = world_from("node n1\nruns 1 on n1:4\nwants 9 tier=2 tasks=4\n");
  Scheduler scheduler(world.nodes);
  Engine& engine = scheduler.engine();
  engine.put(world.running[0]);
  engine.put(world.pending[0]);
  const Plan plan = scheduler.plan(at_start, ExplainDepth::everything());
  EXPECT_EQ(text_of(plan), "1 preempted by 9\n9 waits: Resources\n");
  engine.claim(world.pending[0].id, plan.claims.at(0).placement);
  engine.remove(JobId{1});
  const SchedulerInput later = world_from("wants 10 tier=3 tasks=4");
  engine.put(later.pending[0]);
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())),
            "9 starts on n1:4\n10 waits: Resources\n");
  engine.remove(world.pending[0].id);  // job 9 is cancelled, which also removes its claim on n1
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())), "10 starts on n1:4\n");
}

}  // namespace cox::schedule
