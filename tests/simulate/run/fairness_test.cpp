#include "simulate/run/fairness.h"

#include <gtest/gtest.h>

#include <random>

#include "simulate/report/report.h"
#include "simulate/run/entitlement.h"
#include "simulate/run/guarantees.h"
#include "tests/simulate/jobs.h"

namespace cox::simulate {
namespace {

TraceJob of_account(TraceJob job, const std::string& account) {
  job.account = account;
  job.user = account;
  return job;
}

struct Ran {
  Accounts accounts;
  Simulated simulated;
  Fairness fairness;
};

Ran run(const std::string& spec, const std::string& script, std::vector<TraceJob> jobs,
        const PreemptionCost& cost = {}) {
  const Cluster cluster = parse_cluster(spec).value();
  fit_to(cluster, jobs);
  std::ranges::stable_sort(jobs, {}, &TraceJob::submit);
  Ran ran{read_accounts(script).value(), {}, {}};
  const auto owners = charge(ran.accounts, jobs).value();
  const auto engine = Engine::open(cluster, jobs, {});
  engine.value()->set_accounts(ran.accounts, owners);
  FairShares shares(ran.accounts, owners, jobs, s(86'400));
  const auto nothing = [](std::size_t, std::size_t) {};
  ran.simulated = simulate(cluster, jobs, *engine.value(), cost, nothing, &shares).value();
  ran.fairness = fairness_of(ran.accounts, owners, jobs, ran.simulated);
  return ran;
}

// Both accounts together always request more than the 16 CPUs.
TEST(FairShares, two_accounts_that_request_more_than_the_cluster_get_their_shares) {
  std::mt19937 random(7);
  std::vector<TraceJob> jobs;
  for (int i = 0; i < 1000; ++i)
    for (const char* account : {"large", "small"})
      jobs.push_back(of_account(cpu_job(static_cast<std::int64_t>(random() % 400'000),
                                        1'800 + static_cast<std::int64_t>(random() % 7'200),
                                        1 + static_cast<std::int64_t>(random() % 4)),
                                account));
  const Ran ran = run("procs=16", "add account large fairshare=3\nadd account small", jobs);
  ASSERT_EQ(ran.fairness.accounts.size(), 2u);
  const AccountFigures& large = ran.fairness.accounts[0];
  EXPECT_TRUE(large.always_waited());
  EXPECT_NEAR(large.entitled_part, 0.75, 1e-6);
  EXPECT_NEAR(large.used_part, 0.75, 0.05 * 0.75);
  EXPECT_NEAR(ran.fairness.accounts[1].used_part, 0.25, 0.05 * 0.25);
  EXPECT_LE(*ran.fairness.deviation_max, 0.05);
}

// The account "borrower" uses all four nodes. Two of them are guaranteed to the account "owner",
// whose jobs are submitted at 100 s.
TEST(Guarantees, an_account_gets_its_guaranteed_nodes_back_once_the_borrower_has_saved) {
  std::vector<TraceJob> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back(of_account(gpu_job(0, 50'000, 8), "borrower"));
  for (int i = 0; i < 2; ++i) jobs.push_back(of_account(gpu_job(100, 1'000, 8), "owner"));
  const Ran ran = run("nodes=4,gpus=8",
                      "add account borrower fairshare=9\n"
                      "add account owner fairshare=1 guarantee=gres/gpu=16\n",
                      jobs, {.save = s(30), .restart = s(0)});
  EXPECT_EQ(starts_s(ran.simulated), (std::vector<std::int64_t>{0, 0, 0, 0, 130, 130}));
  EXPECT_EQ(ran.simulated.preemptions, 2);
  EXPECT_EQ(ran.fairness.accounts[0].short_of_guarantee_s, std::nullopt);
  EXPECT_EQ(ran.fairness.accounts[1].short_of_guarantee_s, 30.0);
}

TEST(Guarantees, a_request_above_a_guarantee_does_not_count_as_short_of_it) {
  const Accounts accounts = read_accounts("add account a guarantee=gres/gpu=8\n").value();
  Guarantees guarantees(accounts);
  guarantees.change(1, gpu_job(0, 1, 6), true, true);
  guarantees.change(1, gpu_job(0, 1, 4), false, true);
  guarantees.look(s(0));
  guarantees.look(s(50));
  EXPECT_EQ(guarantees.longest_short_s(1), 0.0);
  guarantees.change(1, gpu_job(0, 1, 6), true, false);
  guarantees.look(s(60));
  guarantees.look(s(75));
  EXPECT_EQ(guarantees.longest_short_s(1), 15.0);
  EXPECT_EQ(guarantees.longest_short_s(0), std::nullopt);
}

TEST(Entitlement, an_unused_share_goes_to_the_others_by_their_shares) {
  const auto owners = read_accounts(
                          "add account a fairshare=2\n"
                          "add account b fairshare=1\n"
                          "add account c fairshare=1\n"
                          "add account a1 parent=a\n"
                          "add account a2 parent=a\n")
                          .value()
                          .all();
  std::vector<OwnerDemand> demand(6);
  demand[0].held = 12;
  const std::vector<double> wants{99, 20, 20, 1, 2, 18};
  for (std::size_t i = 0; i < wants.size(); ++i) demand[i].total = wants[i];
  const auto entitled = entitled_to(owners, demand);
  EXPECT_DOUBLE_EQ(entitled[3], 1);
  EXPECT_DOUBLE_EQ(entitled[1], 11 * 2 / 3.0);
  EXPECT_DOUBLE_EQ(entitled[2], 11 / 3.0);
  EXPECT_DOUBLE_EQ(entitled[4], 2);
  EXPECT_DOUBLE_EQ(entitled[5], 11 * 2 / 3.0 - 2);
}

TEST(Fairness, has_the_wait_and_the_use_of_each_account) {
  const Ran ran = run("procs=4", "add account a fairshare=3\nadd account b\n",
                      {of_account(cpu_job(0, 100, 4), "a"), of_account(cpu_job(10, 50, 4), "b")});
  const std::string text = text_of({}, parse_cluster("procs=4").value(), {}, &ran.fairness);
  EXPECT_NE(text.find("ACCOUNT"), std::string::npos);
  EXPECT_EQ(ran.fairness.accounts[1].worst_wait_s, 90);
  EXPECT_NEAR(ran.fairness.accounts[0].cpu_hours, 400 / 3600.0, 1e-9);
  EXPECT_EQ(ran.fairness.accounts[0].used_by_bin.size(), fairness_bins);
  const std::string svg =
      svg_of({}, parse_cluster("procs=4").value(), ran.simulated, &ran.fairness);
  EXPECT_NE(svg.find("stroke-dasharray"), std::string::npos);
}

}  // namespace
}  // namespace cox::simulate
