#include "simulate/trace/accounts.h"

#include <gtest/gtest.h>

#include "simulate/trace/quotas.h"
#include "tests/simulate/jobs.h"

namespace cox::simulate {
namespace {

constexpr std::string_view script =
    "# accounts of a site\n"
    "add QOS Name=general Priority=0\n"
    "sacctmgr -i add account physics Description='the physicists' Fairshare=10\n"
    "add account Name=qcd,astro parent=physics fairshare=3 GrpTRES=gres/gpu=8\n"
    "modify account where name=astro set guarantee=gres/gpu=4 deserved=cpu=16\n"
    "add user Name=ada DefaultAccount=astro Fairshare=parent Account=qcd,astro\n"
    "modify user name=ada set qos=general\n";

std::string refused(std::string_view text) {
  const auto accounts = read_accounts(text);
  return accounts ? "(not refused)" : accounts.refusal().fact;
}

TraceJob job_of(const std::string& user, const std::string& account) {
  TraceJob job = cpu_job(0, 1, 1);
  job.user = user;
  job.account = account;
  return job;
}

TEST(Accounts, are_read_from_a_script_of_sacctmgr) {
  const Accounts accounts = read_accounts(script).value();
  ASSERT_EQ(accounts.all().size(), 6u);
  const Owner& astro = accounts.all()[3];
  EXPECT_EQ(astro.name, "astro");
  EXPECT_EQ(accounts.all()[static_cast<std::size_t>(astro.parent)].name, "physics");
  EXPECT_EQ(astro.shares, 3);
  EXPECT_EQ(format_tres(astro.guarantee), "gres/gpu=4");
  EXPECT_EQ(format_tres(astro.deserved), "cpu=16");
  EXPECT_EQ(format_tres(astro.most), "gres/gpu=8");
  EXPECT_TRUE(accounts.all()[5].is_user);
  EXPECT_TRUE(accounts.all()[5].of_parent);
}

TEST(Accounts, are_read_from_a_dump_of_sacctmgr) {
  const Accounts accounts = read_accounts(
                                "Cluster - 'site':Fairshare=1:QOS='normal'\n"
                                "Parent - 'root'\n"
                                "User - 'root':DefaultAccount='root':Fairshare=1\n"
                                "Account - 'physics':Description='x':Fairshare=7\n"
                                "Parent - 'physics'\n"
                                "User - 'ada':DefaultAccount='physics':Fairshare=2\n")
                                .value();
  ASSERT_EQ(accounts.all().size(), 3u);
  EXPECT_EQ(accounts.all()[1].shares, 7);
  EXPECT_EQ(accounts.all()[2].parent, 1);
  EXPECT_EQ(accounts.all()[2].shares, 2);
}

TEST(Accounts, a_job_without_an_account_is_charged_to_the_account_of_its_user) {
  Accounts accounts = read_accounts(script).value();
  const auto owners = charge(accounts, {job_of("ada", ""), job_of("ada", "qcd"),
                                        job_of("bob", "physics"), job_of("bob", "physics")})
                          .value();
  EXPECT_EQ(owners, (std::vector<OwnerAt>{5, 4, 6, 6}));
  EXPECT_EQ(accounts.all()[6].name, "bob");  // added, since two of the jobs name him as their user
  EXPECT_EQ(charge(accounts, {job_of("eve", "")}).refusal().fact,
            "job \"at0\" names no account, and its user \"eve\" has none");
  EXPECT_EQ(charge(accounts, {job_of("ada", "arts")}).refusal().fact,
            "job \"at0\" is of account \"arts\", which does not exist");
}

TEST(Accounts, a_wrong_line_is_refused_with_its_number) {
  EXPECT_EQ(refused("add account a\nadd account b parent=c\n"),
            "line 2: there is no account \"c\"");
  EXPECT_EQ(refused("add account a fairshare=many\n"), "line 1: fairshare is \"many\"");
  EXPECT_EQ(refused("add account a\nadd account a\n"), "line 2: account \"a\" is added twice");
  EXPECT_EQ(refused("add account a\ndelete account a\n"),
            "line 2: deleting accounts and users is not simulated");
  EXPECT_EQ(refused("add QOS a\n"), "it has no account");
  EXPECT_EQ(refused("add account a guarantee=license/matlab=1\n"),
            "line 1: guarantee can only be of resources of nodes, not of license/matlab");
  EXPECT_EQ(refused("add account a guarantee=gpus\n").substr(0, 18), "line 1: guarantee:");
}

TEST(Quotas, jobs_count_in_their_account_and_all_accounts_above_it) {
  const Accounts accounts = read_accounts(script).value();
  const Quotas quotas = quotas_of(accounts, 1'000);
  // The four accounts root, physics, qcd and astro have two quotas each: one of GPUs and one of
  // CPUs.
  ASSERT_EQ(quotas.all.size(), 8u);
  const schedule::Quota& astro = quotas.all[3];
  EXPECT_EQ(astro.parent, 1);
  EXPECT_EQ(astro.guarantee, 4'000);
  EXPECT_EQ(astro.most, 8'000);
  EXPECT_EQ(quotas.all[7].deserved, 16'000) << "in the engine's CPUs";
  const schedule::Limits& of_ada = quotas.limits[5];
  ASSERT_EQ(of_ada.size(), 6u);
  EXPECT_EQ(of_ada[2].id, astro.limit);
  EXPECT_EQ(of_ada[2].most.count, 8'000);
}

}  // namespace
}  // namespace cox::simulate
