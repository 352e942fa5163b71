// Tests quotas: how much of a resource each account is entitled to, and which jobs are preempted to
// give an account its part.
#include "schedule/queue/quota.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "schedule/engine/engine.h"
#include "tests/schedule/random_world.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

Quota part(std::int64_t guarantee, std::int64_t deserved, std::int64_t shares,
           std::int64_t most = limit_none, std::int32_t parent = 0) {
  Quota quota;
  quota.parent = parent;
  quota.guarantee = guarantee;
  quota.deserved = deserved;
  quota.shares = shares;
  quota.most = most;
  return quota;
}

using Amounts = std::vector<std::int64_t>;

// Returns how `there_is` is divided among accounts that are right below the root and request the
// amounts `demands`.
Amounts divided(std::vector<Quota> parts, Amounts demands, std::int64_t there_is) {
  std::vector<Quota> all{Quota{}};
  all.insert(all.end(), parts.begin(), parts.end());
  demands.insert(demands.begin(), std::accumulate(demands.begin(), demands.end(), std::int64_t{0}));
  Amounts gets = divide(all, demands, there_is);
  gets.erase(gets.begin());
  return gets;
}

TEST(Quotas, are_divided_by_guarantee_then_deserved_then_shares) {
  const Quota a = part(2, 8, 1);
  const Quota b = part(4, 4, 3);
  EXPECT_EQ(divided({part(2'000, 2'000, 1), part(4'000, 4'000, 1)}, {9'000, 9'000}, 4'000),
            (Amounts{1'334, 2'666}))
      << "too little for the guarantees";
  EXPECT_EQ(divided({a, b}, {99, 99}, 6), (Amounts{2, 4}));
  EXPECT_EQ(divided({a, b}, {99, 99}, 9), (Amounts{5, 4})) << "a gets a part of what it deserves";
  EXPECT_EQ(divided({a, b}, {99, 99}, 20), (Amounts{10, 10})) << "the rest one to three";
  EXPECT_EQ(divided({a, b}, {3, 99}, 20), (Amounts{3, 17})) << "a lends what it does not want";
  EXPECT_EQ(divided({a, b}, {99, 0}, 20), (Amounts{20, 0}));
  EXPECT_EQ(divided({part(0, 0, 1, 5), b}, {99, 99}, 20), (Amounts{4, 16}));
  EXPECT_EQ(divided({part(0, 0, 3, 5), b}, {99, 99}, 20), (Amounts{5, 15}))
      << "the first stops at its limit";
  EXPECT_EQ(divided({part(0, 0, 0), part(0, 0, 1)}, {99, 3}, 20), (Amounts{17, 3}))
      << "an account without shares gets what no other wants";
}

TEST(Quotas, sums_of_quotas_stop_at_the_largest_number) {
  std::vector<Quota> all{Quota{}, part(0, 0, 1)};
  for (std::int32_t i = 2; i < 12; ++i)
    all.push_back(part(limit_none, limit_none, 1, limit_none, 1));
  for (std::size_t i = 0; i < all.size(); ++i) all[i].limit = static_cast<std::int32_t>(i);
  Quotas quotas;
  quotas.set(all);
  EXPECT_EQ(quotas.at(1).guarantee, limit_none);
}

TEST(Quotas, are_divided_level_by_level) {
  // the root, below it science with biology and physics, and sales
  const std::vector<Quota> all{Quota{}, part(0, 8, 1), part(0, 2, 1, limit_none, 1),
                               part(0, 6, 1, limit_none, 1), part(0, 8, 1)};
  EXPECT_EQ(divide(all, Amounts{60, 40, 20, 20, 20}, 16), (Amounts{16, 8, 2, 6, 8}));
  EXPECT_EQ(divide(all, Amounts{44, 24, 4, 20, 20}, 16), (Amounts{16, 8, 2, 6, 8}));
  EXPECT_EQ(divide(all, Amounts{21, 1, 1, 0, 20}, 16), (Amounts{16, 1, 1, 0, 15}))
      << "what the others leave goes to the other branch";
  EXPECT_EQ(divide(all, Amounts{30, 10, 2, 4, 20}, 16), (Amounts{16, 8, 2, 4, 8}))
      << "four of ten are of jobs of science itself";
}

// Checks 2,000 random divisions: the whole amount is given once, no account gets more than it
// requests, and an account below its guarantee gets all it requests, unless the guarantees exceed
// the amount.
TEST(Quotas, property_divided_amounts_obey_supply_demand_and_guarantees) {
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 dice(seed);
    const auto from = [&dice](std::int64_t least, std::int64_t most) {
      return least +
             static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(most - least + 1));
    };
    std::vector<Quota> parts;
    Amounts demands;
    std::int64_t guaranteed = 0;
    for (std::int64_t count = from(1, 6); count > 0; --count) {
      const std::int64_t guarantee = from(0, 2) * 1'000;
      parts.push_back(part(guarantee, guarantee + from(0, 3) * 1'000, from(1, 3),
                           guarantee + from(1, 9) * 1'000));
      demands.push_back(std::min(parts.back().most, from(0, 9) * 1'000));
      guaranteed += guarantee;
    }
    const std::int64_t there_is = from(1, 30) * 1'000;
    const Amounts gets = divided(parts, demands, there_is);
    const std::int64_t all = std::accumulate(gets.begin(), gets.end(), std::int64_t{0});
    const std::int64_t wants = std::accumulate(demands.begin(), demands.end(), std::int64_t{0});
    const auto rounding = static_cast<std::int64_t>(4 * parts.size());
    ASSERT_LE(all, there_is);
    ASSERT_GE(all, std::min(wants, there_is) - rounding);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      ASSERT_LE(gets[i], demands[i]);
      if (guaranteed <= there_is) {
        ASSERT_GE(gets[i], std::min(parts[i].guarantee, demands[i]));
      }
    }
  }
}

// Sixteen CPUs: account physics deserves four of them, and biology twelve, four of which are
// guaranteed to biology.
const std::string lab =
    "node n1,n2,n3,n4 cpus=4\n"
    "account physics deserved=4\n"
    "account biology guarantee=4 deserved=12\n";
const std::string physics_everywhere =
    "runs 1 on n1:4 account=physics ran=900 loss=10\nruns 2 on n2:4 account=physics ran=900 "
    "loss=20\n"
    "runs 3 on n3:4 account=physics ran=900 loss=30\nruns 4 on n4:4 account=physics ran=900 "
    "loss=40\n";

TEST(Reclaim, takes_lent_room_back_from_the_cheapest_jobs_first) {
  EXPECT_EQ(plan_for(lab + physics_everywhere + "wants 20 cpus=4 account=biology"),
            "1 preempted by 20\n20 waits: Resources\n");
  EXPECT_EQ(plan_for(lab + physics_everywhere +
                     "wants 20 nodes=3 tasks=3 cpus=4 account=biology\n"
                     "wants 21 cpus=4 account=biology"),
            "1 preempted by 20\n2 preempted by 20\n3 preempted by 20\n"
            "20 waits: Resources\n21 waits: Resources\n")
      << "no more than the share is reclaimed";
  EXPECT_EQ(plan_for(lab + physics_everywhere + "wants 20 cpus=4 account=physics"),
            "20 waits: Resources\n")
      << "an account does not reclaim from itself";
}

TEST(Reclaim, leaves_each_account_its_share) {
  const std::string biology =
      "runs 1 on n1:4 account=biology ran=900\n"
      "runs 2 on n2:4 account=biology ran=900\n"
      "runs 3 on n3:4 account=biology ran=900\n"
      "runs 4 on n4:4 account=biology ran=900\n";
  EXPECT_EQ(plan_for(lab + biology + "wants 20 cpus=2 account=physics"),
            "4 preempted by 20\n20 waits: Resources\n");
  EXPECT_EQ(plan_for(lab + biology + "wants 20 nodes=2 tasks=2 cpus=4 account=physics"),
            "20 waits: Resources\n")
      << "physics would exceed its share";
}

TEST(Reclaim, takes_a_guarantee_at_once_even_from_jobs_of_higher_tiers) {
  const std::string urgent =
      "runs 1 on n1:4 account=physics tier=3 ran=900\n"
      "runs 2 on n2:4 account=physics tier=3 ran=900\n"
      "runs 3 on n3:4 account=physics tier=3 ran=900\n"
      "runs 4 on n4:4 account=physics tier=3 ran=900\n";
  EXPECT_EQ(plan_for(lab + urgent + "wants 20 cpus=4 tier=1 account=biology"),
            "4 preempted by 20\n20 waits: Resources\n");
  EXPECT_EQ(plan_for(lab + urgent + "wants 20 nodes=2 tasks=2 cpus=4 tier=1 account=biology"),
            "20 waits: Resources\n")
      << "eight CPUs are not guaranteed";
  const std::string fresh =
      "runs 1 on n1:4 account=physics ran=10 exempt=600\n"
      "runs 2 on n2:4 account=physics ran=10 exempt=600\n"
      "runs 3 on n3:4 account=physics ran=10 exempt=600\n"
      "runs 4 on n4:4 account=physics ran=10 exempt=600\n";
  EXPECT_EQ(plan_for(lab + fresh + "wants 20 cpus=4 account=biology"),
            "4 preempted by 20\n20 waits: Resources\n")
      << "exempt times do not protect from a guarantee";
  EXPECT_EQ(plan_for(lab + fresh + "wants 20 nodes=2 tasks=2 cpus=4 account=biology"),
            "20 waits: Resources\n");
}

TEST(Reclaim, no_tier_preempts_inside_the_guarantee_of_another_account) {
  const std::string held = lab +
                           "runs 1 on n1:4 account=biology tier=1 ran=900\n"
                           "runs 2 on n2:4 n3:4 n4:4 account=physics tier=3 ran=900 firm\n";
  EXPECT_EQ(plan_for(held + "wants 20 cpus=4 tier=3 account=physics"), "20 waits: Resources\n");
  EXPECT_EQ(plan_for(held + "wants 20 cpus=4 tier=3 account=biology"),
            "1 preempted by 20\n20 waits: Resources\n")
      << "its own account may preempt it";
}

TEST(Reclaim, an_account_below_its_guarantee_starts_jobs_first) {
  const std::string two = lab +
                          "runs 1 on n1:4 n2:4 n3:4 account=physics ran=900 firm\n"
                          "wants 20 cpus=4 tier=3 account=physics at=1\n";
  EXPECT_EQ(plan_for(two + "wants 21 cpus=4 account=biology at=2"),
            "21 starts on n4:1\n20 waits: Resources\n");
  EXPECT_EQ(plan_for(two + "wants 21 nodes=1 tasks=1 cpus=2 account=biology at=2 copies=3"),
            "21 starts on n4:1\n21 starts on n4:1\n21 waits: Resources\n20 waits: Resources\n")
      << "as many copies start as are guaranteed";
}

TEST(Reclaim, takes_a_guarantee_even_from_the_deserved_shares_of_other_accounts) {
  const std::string mixed =
      "node n1,n2 cpus=4\naccount a guarantee=4\naccount b\n"
      "account c deserved=4\n"
      "runs 1 on n1:2 account=b ran=900\nruns 2 on n1:2 account=c ran=900\n"
      "runs 3 on n2:2 account=b ran=900\nruns 4 on n2:2 account=c ran=900\n";
  EXPECT_EQ(plan_for(mixed + "wants 20 cpus=4 account=a"),
            "3 preempted by 20\n4 preempted by 20\n20 waits: Resources\n")
      << "no node has only jobs of b, which exceeds its share";
  EXPECT_EQ(plan_for(mixed + "wants 20 cpus=2 account=a"),
            "3 preempted by 20\n20 waits: Resources\n")
      << "the account that exceeds its share loses jobs first";
}

// Each account has less than it deserves of one resource and more of the other. If each resource
// were compared by itself, the accounts could reclaim from each other for ever.
TEST(Reclaim, happens_only_if_the_account_deserves_all_that_the_job_requests) {
  const std::string two =
      "node n1,n2,n3,n4,n5,n6,n7,n8 cpus=2 gpus=h100:1\n"
      "account a deserved=4\naccount b deserved=12\n"
      "account a deserved=6 of=h100\naccount b deserved=2 of=h100\n";
  std::string jobs;
  for (int i = 1; i <= 8; ++i)
    jobs += "runs " + std::to_string(i) + " on n" + std::to_string(i) +
            ":2:0 gpus=1 type=h100 ran=900 " + "account=" + (i <= 6 ? "a" : "b") + "\n";
  EXPECT_EQ(plan_for(two + jobs + "wants 20 cpus=2 gpus=1 type=h100 account=b"),
            "20 waits: Resources\n");
  EXPECT_EQ(plan_for(two + jobs + "wants 20 cpus=2 gpus=1 type=h100 account=a"),
            "20 waits: Resources\n");
  EXPECT_EQ(plan_for(two + jobs + "wants 20 cpus=2 account=b"),
            "6 preempted by 20\n20 waits: Resources\n");
}

// A job that uses more than its account deserves could be reclaimed as soon as it starts.
TEST(Reclaim, a_job_above_the_share_of_its_account_starts_after_jobs_of_other_accounts) {
  EXPECT_EQ(plan_for(lab + "runs 1 on n1:4 account=physics ran=900\n"
                           "runs 2 on n2:4 n3:4 account=biology ran=900\n"
                           "wants 20 cpus=4 account=physics priority=9\n"
                           "wants 21 cpus=4 account=biology"),
            "21 starts on n4:1\n20 waits: Resources\n");
  EXPECT_EQ(plan_for(lab + "runs 1 on n1:4 account=physics ran=900\n"
                           "wants 20 cpus=4 account=physics priority=9\n"
                           "wants 21 cpus=4 account=biology copies=3"),
            "21 starts on n2:1\n21 starts on n3:1\n21 starts on n4:1\n20 waits: Resources\n");
}

// The gang of account a is partly inside a's own guarantee and partly inside b's. To give b its
// guarantee, the whole gang is preempted.
TEST(Reclaim, a_gang_that_borrows_a_guarantee_is_preempted_whole) {
  const std::string gang =
      "node n1,n2 cpus=4\naccount a guarantee=4\naccount b guarantee=4\n"
      "runs 1 on n1:4 n2:4 account=a ran=900\n";
  EXPECT_EQ(plan_for(gang + "wants 20 cpus=4 account=b"),
            "1 preempted by 20\n20 waits: Resources\n");
}

TEST(Reclaim, compares_the_accounts_right_below_the_common_parent) {
  const std::string tree =
      "node n1,n2,n3,n4 cpus=4\n"
      "account science deserved=12\naccount physics under=science deserved=8\n"
      "account biology under=science deserved=4\naccount sales deserved=4\n"
      "runs 1 on n1:4 account=biology ran=900\nruns 2 on n2:4 account=biology ran=900\n"
      "runs 3 on n3:4 account=physics ran=900\n";
  EXPECT_EQ(plan_for(tree + "runs 4 on n4:4 account=sales ran=900\n"
                            "wants 20 cpus=4 account=physics"),
            "2 preempted by 20\n20 waits: Resources\n")
      << "science and sales have their shares; within science biology exceeds its own";
  EXPECT_EQ(plan_for(tree + "runs 4 on n4:4 account=physics ran=900\n"
                            "wants 20 cpus=4 account=sales"),
            "2 preempted by 20\n20 waits: Resources\n")
      << "science exceeds its share, and biology exceeds it within science";
}

// Returns how much the running jobs count against this quota, without those in `without` and those
// that are stopping.
std::int64_t held(const SchedulerInput& world, std::int32_t limit, const std::set<JobId>& without) {
  std::int64_t sum = 0;
  for (const RunningJob& job : world.running)
    if (!job.stopping && !without.contains(job.id))
      for (const Limit& one : *job.limits)
        if (one.id == limit)
          sum += count_of(one, *job.request, std::ssize(job.grants), job.request->tasks);
  return sum;
}

// Returns how much the jobs that the plan starts or reserves room for will count against this
// quota.
std::int64_t placed(const SchedulerInput& world, std::int32_t limit, const Plan& plan) {
  std::int64_t sum = 0;
  const auto add = [&](JobId id, const Placement& placement) {
    const auto& job = *std::ranges::find(world.pending, id, &PendingJob::id);
    std::int64_t tasks = 0;
    for (const NodeGrant& grant : placement) tasks += grant.ranks;
    for (const Limit& one : *job.limits)
      if (one.id == limit) sum += count_of(one, *job.request, std::ssize(placement), tasks);
  };
  for (const Start& start : plan.starts) add(start.job, start.placement);
  for (const Claimed& claimed : plan.claims) add(claimed.job, claimed.placement);
  return sum;
}

bool counts_against(const Shared<Limits>& limits, std::int32_t limit) {
  return std::ranges::find(*limits, limit, &Limit::id) != limits->end();
}

// A victim of the preemptor's tier or of a higher one must belong to another account. An account
// may fall below its guarantee only if the preemptor is a job of that account, or of an account
// that has a guarantee itself or below one that has.
TEST(Reclaim, keeps_guarantees_in_random_worlds) {
  std::size_t reclaimed = 0;
  for (std::uint64_t seed = 1; seed <= 4'000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SchedulerInput world =
        random_world(seed, {.nodes_max = 4, .running_max = 9, .pending_max = 8, .quotas = true});
    const Plan plan = make_plan(world, at_start);
    verify(world, plan);
    std::set<JobId> victims;
    for (const Preemption& one : plan.preemptions) victims.insert(one.victim);
    // By limit of an account that loses a job: whether one of the preemptors is its own or has a
    // guarantee.
    std::map<std::int32_t, bool> is_excused;
    for (const Preemption& one : plan.preemptions) {
      const auto& victim = *std::ranges::find(world.running, one.victim, &RunningJob::id);
      const auto& to = *std::ranges::find(world.pending, one.preemptor, &PendingJob::id);
      const bool for_guarantee = std::ranges::any_of(world.quotas, [&](const Quota& other) {
        return other.parent >= 0 && other.guarantee > 0 && counts_against(to.limits, other.limit);
      });
      for (const Limit& limit : *victim.limits)
        is_excused[limit.id] =
            is_excused[limit.id] || for_guarantee || counts_against(to.limits, limit.id);
      if (victim.tier < to.tier) continue;
      ++reclaimed;
      EXPECT_NE(*victim.limits, *to.limits);
      EXPECT_TRUE(!victim.limits->empty() && !to.limits->empty());
    }
    // While a job is stopping, its room may already be reserved for the account, which the plan
    // does not show. So such worlds are not checked.
    const bool is_known = std::ranges::none_of(world.running, &RunningJob::stopping);
    for (const auto& [limit, excused] : is_excused) {
      const auto quota = std::ranges::find(world.quotas, limit, &Quota::limit);
      if (excused || quota->parent < 0 || !is_known) continue;
      EXPECT_GE(held(world, limit, victims) + placed(world, limit, plan), quota->guarantee)
          << "account " << limit << ":\n"
          << text_of(plan);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(reclaimed, 100u);
}

// Runs 20 passes with the same jobs: after a few of them no job is preempted any more.
TEST(Reclaim, stops_while_no_job_is_submitted_or_ends) {
  SchedulerInput world =
      world_from(lab + physics_everywhere +
                 "wants 20 nodes=3 tasks=3 cpus=4 account=biology\n"
                 "wants 21 cpus=2 account=biology\nwants 22 cpus=4 account=physics\n");
  std::vector<JobId> preempted;
  for (int pass = 0; pass < 20; ++pass) {
    const Plan plan = make_plan(world, at_start);
    for (const Preemption& one : plan.preemptions) {
      preempted.push_back(one.victim);
      const auto victim = std::ranges::find(world.running, one.victim, &RunningJob::id);
      PendingJob again;
      again.id = victim->id;
      again.tier = victim->tier;
      again.eligible = at_start.wall;
      Request request;
      request.cpus_per_task = 4;
      again.request = request;
      again.limits = victim->limits;
      world.running.erase(victim);
      world.pending.push_back(again);
    }
    for (const Start& start : plan.starts) {
      const auto job = std::ranges::find(world.pending, start.job, &PendingJob::id);
      RunningJob running;
      running.id = job->id;
      running.tier = job->tier;
      running.began = start_of_time - std::chrono::hours{1};
      running.grants = start.placement;
      running.preemptable = true;
      running.request = job->request;
      running.loss_per_second_units = 1;
      running.limits = job->limits;
      world.running.push_back(running);
      world.pending.erase(job);
    }
  }
  EXPECT_EQ(preempted.size(), 3u);
  EXPECT_EQ(make_plan(world, at_start).preemptions.size(), 0u);
}

}  // namespace
}  // namespace cox::schedule
