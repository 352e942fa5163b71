// Tests sacctmgr dump and load: the file of accounts, and the requests that load makes of it.
#include "client/slurm/records/sacctmgr_file.h"

#include <gtest/gtest.h>

#include "common/syntax/accounting_request.h"

namespace cox {
namespace {

AssociationList a_list() {
  AssociationList list;
  list.cluster = "lake";
  const auto add = [&](const char* account, const char* user, const char* parent) -> Association& {
    Association& one = list.associations.emplace_back().association;
    one.id = AssociationId{std::ssize(list.associations)};
    one.account = account;
    one.user_name = user;
    one.parent = parent;
    return one;
  };
  add("root", "", "");
  Association& physics = add("physics", "", "root");
  physics.description = "it's all";
  physics.shares = 10;
  physics.limits.grp_tres = *parse_tres("cpu=64,gres/gpu:h100=8");
  physics.limits.max_wall_s = 90'000;
  physics.qos = {"high", "low"};
  physics.coordinators = {"ada"};
  add("lattice", "", "physics").shares_of_parent = true;
  Association& ada = add("lattice", "ada", "");
  ada.is_default = true;
  ada.limits.max_jobs = 5;
  add("root", "bob", "").is_default = true;
  return list;
}

std::string requests_text(const LoadPlan& plan) {
  std::string text;
  for (const auto& words : plan.requests) text += quoted_words(words) + "\n";
  return text;
}

std::string loaded(const AssociationList& now, bool clean = false) {
  const auto plan = load_plan({"a.cfg", clean}, dump_text(a_list()), now);
  EXPECT_TRUE(plan) << plan.refusal().fact;
  return plan ? requests_text(*plan) : "";
}

TEST(SacctmgrFile, IsWrittenAsSlurmWritesIt) {
  const std::string text = dump_text(a_list());
  EXPECT_EQ(text.substr(text.find("\nCluster") + 1),
            "Cluster - 'lake':Fairshare=1\n"
            "Parent - 'root'\n"
            "User - 'bob':DefaultAccount='root':Fairshare=1\n"
            "Account - 'physics':Description='it'\"'\"'s all':Fairshare=10:"
            "GrpTRES='cpu=64,gres/gpu:h100=8':MaxWallDurationPerJob='1-01:00:00':QOS='high,low'\n"
            "Parent - 'physics'\n"
            "Account - 'lattice':Fairshare=parent\n"
            "Parent - 'lattice'\n"
            "User - 'ada':DefaultAccount='lattice':Coordinator='physics':Fairshare=1:MaxJobs=5\n");
}

TEST(SacctmgrFile, LoadAddsMissingAccountsUsersAndCoordinators) {
  AssociationList empty;
  empty.associations.push_back(a_list().associations.front());
  EXPECT_EQ(loaded(empty),
            "add user bob account=root DefaultAccount=root Fairshare=1\n"
            "add account physics \"Description=it's all\" Fairshare=10 "
            "GrpTRES=cpu=64,gres/gpu:h100=8 MaxWallDurationPerJob=1-01:00:00 QOS=high,low\n"
            "add account lattice parent=physics Fairshare=parent\n"
            "add user ada account=lattice DefaultAccount=lattice Fairshare=1 MaxJobs=5\n"
            "add coordinator account=physics names=ada\n");
}

TEST(SacctmgrFile, LoadModifiesExistingAccountsAndUsers) {
  EXPECT_EQ(loaded(a_list()),
            "modify user where name=bob account=root set DefaultAccount=root Fairshare=1\n"
            "modify account where name=physics set parent=root \"Description=it's all\" "
            "Fairshare=10 GrpTRES=cpu=64,gres/gpu:h100=8 MaxWallDurationPerJob=1-01:00:00 "
            "QOS=high,low\n"
            "modify account where name=lattice set parent=physics Fairshare=parent\n"
            "modify user where name=ada account=lattice set DefaultAccount=lattice Fairshare=1 "
            "MaxJobs=5\n"
            "add coordinator account=physics names=ada\n");
}

TEST(SacctmgrFile, LoadWithCleanDeletesAllAccountsAndUsersFirst) {
  const std::string text = loaded(a_list(), true);
  EXPECT_EQ(text.substr(0, text.find("\nadd user bob")),
            "delete account lattice\ndelete account physics\n"
            "delete user where name=bob account=root");
}

TEST(SacctmgrFile, ADumpOfAnotherClusterIsRefused) {
  const auto refused = [](const std::vector<std::string>& words) {
    const Failure why = check_dump(**parse_dump(words), a_list());
    return why ? why->fact + " / " + why->hint : "";
  };
  EXPECT_EQ(refused({"dump"}), "");
  EXPECT_EQ(refused({"dump", "Lake", "file=x.cfg"}), "");
  EXPECT_EQ(refused({"dump", "cluster=lake"}), "");
  const std::string other =
      "Cluster sea returned nothing. / this is cluster lake: write dump lake file=FILE";
  EXPECT_EQ(refused({"dump", "sea", "file=x.cfg"}), other);
  EXPECT_EQ(refused({"dump", "cluster=sea"}), other);
}

TEST(SacctmgrFile, IsNamedOnTheCommandLineOfDumpAndLoad) {
  EXPECT_FALSE(parse_dump({"delete", "user"}));
  EXPECT_EQ((*parse_dump({"dump", "lake", "file=x.cfg"}))->file, "x.cfg");
  EXPECT_EQ((*parse_dump({"dump", "cluster=lake"}))->file, "");
  EXPECT_EQ(parse_dump({"dump", "frob=1"})->refusal().fact, "Unknown option: frob=1");
  EXPECT_FALSE(parse_load({"list", "users"}));
  EXPECT_EQ((*parse_load({"load", "x.cfg", "clean"}))->file, "x.cfg");
  EXPECT_TRUE((*parse_load({"load", "file=x.cfg", "clean"}))->clean);
  EXPECT_EQ(parse_load({"load"})->refusal().fact, "No filename given");
  EXPECT_FALSE(load_plan({"a.cfg", false}, "User - ''\n", a_list()));
}

}  // namespace
}  // namespace cox
