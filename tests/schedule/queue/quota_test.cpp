// Quotas of accounts: what each is to have, and who gives way for it.
#include "schedule/queue/quota.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "schedule/pass/engine.h"
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

// Of accounts right below the root, who want so much each.
Amounts divided(std::vector<Quota> parts, Amounts wanted, std::int64_t there_is) {
  std::vector<Quota> all{Quota{}};
  all.insert(all.end(), parts.begin(), parts.end());
  wanted.insert(wanted.begin(), std::accumulate(wanted.begin(), wanted.end(), std::int64_t{0}));
  Amounts gets = divide(all, wanted, there_is);
  gets.erase(gets.begin());
  return gets;
}

TEST(Quotas, are_divided_by_guarantee_then_by_what_is_deserved_then_by_shares) {
  const Quota a = part(2, 8, 1);
  const Quota b = part(4, 4, 3);
  EXPECT_EQ(divided({part(2'000, 2'000, 1), part(4'000, 4'000, 1)}, {9'000, 9'000}, 4'000),
            (Amounts{1'334, 2'666}))
      << "too little for the guarantees";
  EXPECT_EQ(divided({a, b}, {99, 99}, 6), (Amounts{2, 4}));
  EXPECT_EQ(divided({a, b}, {99, 99}, 9), (Amounts{5, 4})) << "what a deserves";
  EXPECT_EQ(divided({a, b}, {99, 99}, 20), (Amounts{10, 10})) << "the rest one to three";
  EXPECT_EQ(divided({a, b}, {3, 99}, 20), (Amounts{3, 17})) << "lent";
  EXPECT_EQ(divided({a, b}, {99, 0}, 20), (Amounts{20, 0}));
  EXPECT_EQ(divided({part(0, 0, 1, 5), b}, {99, 99}, 20), (Amounts{4, 16}));
  EXPECT_EQ(divided({part(0, 0, 3, 5), b}, {99, 99}, 20), (Amounts{5, 15})) << "its limit";
  EXPECT_EQ(divided({part(0, 0, 0), part(0, 0, 1)}, {99, 3}, 20), (Amounts{17, 3}))
      << "who has no shares gets what nobody wants";
}

TEST(Quotas, may_add_up_to_more_than_a_number_holds) {
  std::vector<Quota> all{Quota{}, part(0, 0, 1)};
  for (std::int32_t i = 2; i < 12; ++i)
    all.push_back(part(limit_none, limit_none, 1, limit_none, 1));
  for (std::size_t i = 0; i < all.size(); ++i) all[i].limit = static_cast<std::int32_t>(i);
  Quotas quotas;
  quotas.set(all);
  EXPECT_EQ(quotas.at(1).guarantee, limit_none);
}

TEST(Quotas, are_divided_level_by_level) {
  // root: science (biology, physics), sales
  const std::vector<Quota> all{Quota{}, part(0, 8, 1), part(0, 2, 1, limit_none, 1),
                               part(0, 6, 1, limit_none, 1), part(0, 8, 1)};
  EXPECT_EQ(divide(all, Amounts{60, 40, 20, 20, 20}, 16), (Amounts{16, 8, 2, 6, 8}));
  EXPECT_EQ(divide(all, Amounts{44, 24, 4, 20, 20}, 16), (Amounts{16, 8, 2, 6, 8}));
  EXPECT_EQ(divide(all, Amounts{21, 1, 1, 0, 20}, 16), (Amounts{16, 1, 1, 0, 15}))
      << "what the others leave goes to the other branch";
  EXPECT_EQ(divide(all, Amounts{30, 10, 2, 4, 20}, 16), (Amounts{16, 8, 2, 4, 8}))
      << "four of ten are of jobs of science itself";
}

// Whatever is asked for: nothing is given twice or left over, nobody gets more than it wants, who
// has less than its guarantee has all it wants unless guarantees are more than there is, and two
// that want more have it as their shares stand to each other.
TEST(Quotas, hold_whatever_is_asked_for) {
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 dice(seed);
    const auto from = [&dice](std::int64_t least, std::int64_t most) {
      return least +
             static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(most - least + 1));
    };
    std::vector<Quota> parts;
    Amounts wanted;
    std::int64_t guaranteed = 0;
    for (std::int64_t count = from(1, 6); count > 0; --count) {
      const std::int64_t guarantee = from(0, 2) * 1'000;
      parts.push_back(part(guarantee, guarantee + from(0, 3) * 1'000, from(1, 3),
                           guarantee + from(1, 9) * 1'000));
      wanted.push_back(std::min(parts.back().most, from(0, 9) * 1'000));
      guaranteed += guarantee;
    }
    const std::int64_t there_is = from(1, 30) * 1'000;
    const Amounts gets = divided(parts, wanted, there_is);
    const std::int64_t all = std::accumulate(gets.begin(), gets.end(), std::int64_t{0});
    const std::int64_t wants = std::accumulate(wanted.begin(), wanted.end(), std::int64_t{0});
    const auto rounding = static_cast<std::int64_t>(4 * parts.size());
    ASSERT_LE(all, there_is);
    ASSERT_GE(all, std::min(wants, there_is) - rounding);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      ASSERT_LE(gets[i], wanted[i]);
      if (guaranteed <= there_is) {
        ASSERT_GE(gets[i], std::min(parts[i].guarantee, wanted[i]));
      }
    }
  }
}

// Sixteen CPUs; physics deserves four of them and biology twelve, of which four are guaranteed.
const std::string lab =
    "node n1,n2,n3,n4 cpus=4\n"
    "account physics deserved=4\n"
    "account biology guarantee=4 deserved=12\n";
const std::string physics_everywhere =
    "runs 1 on n1:4 account=physics ran=900 loss=10\nruns 2 on n2:4 account=physics ran=900 "
    "loss=20\n"
    "runs 3 on n3:4 account=physics ran=900 loss=30\nruns 4 on n4:4 account=physics ran=900 "
    "loss=40\n";

TEST(Reclaim, gives_back_what_was_lent_the_cheapest_first) {
  EXPECT_EQ(plan_for(lab + physics_everywhere + "wants 20 cpus=4 account=biology"),
            "1 gives way to 20\n20 waits: Resources\n");
  EXPECT_EQ(plan_for(lab + physics_everywhere +
                     "wants 20 nodes=3 tasks=3 cpus=4 account=biology\n"
                     "wants 21 cpus=4 account=biology"),
            "1 gives way to 20\n2 gives way to 20\n3 gives way to 20\n"
            "20 waits: Resources\n21 waits: Resources\n")
      << "and no more than that";
  EXPECT_EQ(plan_for(lab + physics_everywhere + "wants 20 cpus=4 account=physics"),
            "20 waits: Resources\n")
      << "nobody reclaims from itself";
}

TEST(Reclaim, leaves_everybody_its_share) {
  const std::string biology =
      "runs 1 on n1:4 account=biology ran=900\n"
      "runs 2 on n2:4 account=biology ran=900\n"
      "runs 3 on n3:4 account=biology ran=900\n"
      "runs 4 on n4:4 account=biology ran=900\n";
  EXPECT_EQ(plan_for(lab + biology + "wants 20 cpus=2 account=physics"),
            "4 gives way to 20\n20 waits: Resources\n");
  EXPECT_EQ(plan_for(lab + biology + "wants 20 nodes=2 tasks=2 cpus=4 account=physics"),
            "20 waits: Resources\n")
      << "with it physics would have more than its share";
}

TEST(Reclaim, takes_from_higher_tiers_and_at_once_what_is_guaranteed) {
  const std::string urgent =
      "runs 1 on n1:4 account=physics tier=3 ran=900\n"
      "runs 2 on n2:4 account=physics tier=3 ran=900\n"
      "runs 3 on n3:4 account=physics tier=3 ran=900\n"
      "runs 4 on n4:4 account=physics tier=3 ran=900\n";
  EXPECT_EQ(plan_for(lab + urgent + "wants 20 cpus=4 tier=1 account=biology"),
            "4 gives way to 20\n20 waits: Resources\n");
  EXPECT_EQ(plan_for(lab + urgent + "wants 20 nodes=2 tasks=2 cpus=4 tier=1 account=biology"),
            "20 waits: Resources\n")
      << "eight are not guaranteed";
  const std::string fresh =
      "runs 1 on n1:4 account=physics ran=10 exempt=600\n"
      "runs 2 on n2:4 account=physics ran=10 exempt=600\n"
      "runs 3 on n3:4 account=physics ran=10 exempt=600\n"
      "runs 4 on n4:4 account=physics ran=10 exempt=600\n";
  EXPECT_EQ(plan_for(lab + fresh + "wants 20 cpus=4 account=biology"),
            "4 gives way to 20\n20 waits: Resources\n")
      << "though they have just begun";
  EXPECT_EQ(plan_for(lab + fresh + "wants 20 nodes=2 tasks=2 cpus=4 account=biology"),
            "20 waits: Resources\n");
}

TEST(Reclaim, no_tier_takes_what_is_guaranteed_to_another_account) {
  const std::string held = lab +
                           "runs 1 on n1:4 account=biology tier=1 ran=900\n"
                           "runs 2 on n2:4 n3:4 n4:4 account=physics tier=3 ran=900 firm\n";
  EXPECT_EQ(plan_for(held + "wants 20 cpus=4 tier=3 account=physics"), "20 waits: Resources\n");
  EXPECT_EQ(plan_for(held + "wants 20 cpus=4 tier=3 account=biology"),
            "1 gives way to 20\n20 waits: Resources\n")
      << "its own account may";
}

TEST(Reclaim, who_has_less_than_its_guarantee_goes_first) {
  const std::string two = lab +
                          "runs 1 on n1:4 n2:4 n3:4 account=physics ran=900 firm\n"
                          "wants 20 cpus=4 tier=3 account=physics at=1\n";
  EXPECT_EQ(plan_for(two + "wants 21 cpus=4 account=biology at=2"),
            "21 starts on n4:1\n20 waits: Resources\n");
  EXPECT_EQ(plan_for(two + "wants 21 nodes=1 tasks=1 cpus=2 account=biology at=2 copies=3"),
            "21 starts on n4:1\n21 starts on n4:1\n21 waits: Resources\n20 waits: Resources\n")
      << "as many of an array as are guaranteed";
}

TEST(Reclaim, reaches_into_shares_for_what_is_guaranteed) {
  const std::string mixed =
      "node n1,n2 cpus=4\naccount a guarantee=4\naccount b\n"
      "account c deserved=4\n"
      "runs 1 on n1:2 account=b ran=900\nruns 2 on n1:2 account=c ran=900\n"
      "runs 3 on n2:2 account=b ran=900\nruns 4 on n2:2 account=c ran=900\n";
  EXPECT_EQ(plan_for(mixed + "wants 20 cpus=4 account=a"),
            "3 gives way to 20\n4 gives way to 20\n20 waits: Resources\n")
      << "no node has jobs of b alone, which has more than its share";
  EXPECT_EQ(plan_for(mixed + "wants 20 cpus=2 account=a"),
            "3 gives way to 20\n20 waits: Resources\n")
      << "who has more than its share is asked first";
}

// Of each thing for itself either account could go on reclaiming from the other.
TEST(Reclaim, wants_room_in_everything_a_job_asks_for) {
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
            "6 gives way to 20\n20 waits: Resources\n");
}

// Else what starts is reclaimed at once.
TEST(Reclaim, who_would_have_more_than_its_share_comes_after_the_others) {
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

// Straddlers: a gang that is partly inside its own guarantee and partly in another's.
TEST(Reclaim, a_gang_that_borrows_a_guarantee_gives_it_back_whole) {
  const std::string gang =
      "node n1,n2 cpus=4\naccount a guarantee=4\naccount b guarantee=4\n"
      "runs 1 on n1:4 n2:4 account=a ran=900\n";
  EXPECT_EQ(plan_for(gang + "wants 20 cpus=4 account=b"),
            "1 gives way to 20\n20 waits: Resources\n");
}

TEST(Reclaim, compares_accounts_below_where_they_meet) {
  const std::string tree =
      "node n1,n2,n3,n4 cpus=4\n"
      "account science deserved=12\naccount physics under=science deserved=8\n"
      "account biology under=science deserved=4\naccount sales deserved=4\n"
      "runs 1 on n1:4 account=biology ran=900\nruns 2 on n2:4 account=biology ran=900\n"
      "runs 3 on n3:4 account=physics ran=900\n";
  EXPECT_EQ(plan_for(tree + "runs 4 on n4:4 account=sales ran=900\n"
                            "wants 20 cpus=4 account=physics"),
            "2 gives way to 20\n20 waits: Resources\n")
      << "science and sales have what is theirs; inside science biology has more";
  EXPECT_EQ(plan_for(tree + "runs 4 on n4:4 account=physics ran=900\n"
                            "wants 20 cpus=4 account=sales"),
            "2 gives way to 20\n20 waits: Resources\n")
      << "science has more, and in it biology";
}

// What the jobs of an account hold of its quota: those that run on, or these besides.
std::int64_t held(const SchedulerInput& world, std::int32_t limit, const std::set<JobId>& without) {
  std::int64_t sum = 0;
  for (const RunningJob& job : world.running)
    if (!job.stopping && !without.contains(job.id))
      for (const Limit& one : *job.limits)
        if (one.id == limit)
          sum += count_of(one, *job.request, std::ssize(job.grants), job.request->tasks);
  return sum;
}

// And what the plan gives them.
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

// Whoever gives way to whom: who is of no lower tier does so to another account alone, and an
// account is left with less than its guarantee only by its own jobs, or by those of another that
// is guaranteed what they take.
TEST(Reclaim, keeps_its_promises_in_random_worlds) {
  std::size_t reclaimed = 0;
  for (std::uint64_t seed = 1; seed <= 4'000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SchedulerInput world =
        random_world(seed, {.nodes_max = 4, .running_max = 9, .pending_max = 8, .quotas = true});
    const Plan plan = make_plan(world, at_start);
    verify(world, plan);
    std::set<JobId> victims;
    for (const Preemption& one : plan.preemptions) victims.insert(one.victim);
    std::map<std::int32_t, bool> is_excused;  // by limit of an account: one of its jobs gave way
                                              // to one of its own, or for a guarantee
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
    // Where room is coming free anyway it may be promised, which no plan tells.
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

// Nothing comes or ends: the reclaiming comes to an end.
TEST(Reclaim, does_not_go_back_and_forth) {
  SchedulerInput world =
      world_from(lab + physics_everywhere +
                 "wants 20 nodes=3 tasks=3 cpus=4 account=biology\n"
                 "wants 21 cpus=2 account=biology\nwants 22 cpus=4 account=physics\n");
  std::vector<JobId> gave_way;
  for (int pass = 0; pass < 20; ++pass) {
    const Plan plan = make_plan(world, at_start);
    for (const Preemption& one : plan.preemptions) {
      gave_way.push_back(one.victim);
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
  EXPECT_EQ(gave_way.size(), 3u);
  EXPECT_EQ(make_plan(world, at_start).preemptions.size(), 0u);
}

}  // namespace
}  // namespace cox::schedule
