// Tests how lists show accounts and QOS: the tree, and the limits of each.
#include <gtest/gtest.h>

#include "client/show/account_tree.h"
#include "client/show/show_accounts.h"
#include "client/show/show_cluster.h"
#include "client/slurm/records/sacctmgr.h"

namespace cox {
namespace {

AssociationView an(const std::string& account, const std::string& user, const std::string& parent) {
  AssociationView view;
  view.association.account = account;
  view.association.user_name = user;
  view.association.parent = parent;
  return view;
}

AssociationList a_tree() {
  AssociationList list;
  list.cluster = "c";
  list.associations = {an("root", "", ""),        an("biology", "", "root"),
                       an("physics", "", "root"), an("lattice", "", "physics"),
                       an("lattice", "ada", ""),  an("physics", "bob", ""),
                       an("stray", "eve", "")};
  return list;
}

TEST(AccountTree, ListsEachAccountThenItsUsersThenItsSubaccounts) {
  const AssociationList list = a_tree();
  std::string text;
  for (const AccountTreeEntry& one : accounts_in_tree_order(list))
    text += std::string(one.depth, ' ') + one.view->association.account + " " +
            one.view->association.user_name + "\n";
  EXPECT_EQ(text,
            "root \n"
            " biology \n"
            " physics \n"
            "  physics bob\n"
            "  lattice \n"
            "   lattice ada\n");
}

TEST(Sacctmgr, ListsTheTreeAndEachUserOnce) {
  AssociationList list = a_tree();
  list.associations.push_back(an("biology", "ada", ""));
  list.associations[4].association.is_default = true;
  const auto shown = [&](std::vector<std::string> words) {
    SacctmgrOptions options;
    options.words = std::move(words);
    options.parsable2 = options.no_header = true;
    return show_sacctmgr(list, options, {}).out;
  };
  EXPECT_EQ(shown({"show", "assoc", "format=Account,User"}),
            "root|\nbiology|\nbiology|ada\nphysics|\nphysics|bob\nlattice|\nlattice|ada\n");
  EXPECT_EQ(
      shown({"show", "assoc", "tree", "format=Account,User"}),
      "root|\n biology|\n  biology|ada\n physics|\n  physics|bob\n  lattice|\n   lattice|ada\n");
  EXPECT_EQ(shown({"list", "Users"}), "ada|lattice|None\nbob||None\n");
  SacctmgrOptions nameless;
  nameless.words = {"show", "associations", "foo"};
  EXPECT_EQ(show_sacctmgr(list, nameless, {}).err,
            " Unknown condition: foo\n Valid conditions: account=NAME, user=NAME, cluster=NAME, "
            "partition=NAME, qos=NAME\n");
  EXPECT_EQ(shown({"show", "account", "Account=LATTICE,biology", "format=account"}),
            "biology\nlattice\n");
}

TEST(AccountTree, ExplainsTheStarOnlyIfThereIsOne) {
  AssociationList list = a_tree();
  EXPECT_EQ(show_accounts(list, {}).find('*'), std::string::npos) << show_accounts(list, {});
  list.associations[4].association.is_default = true;
  EXPECT_NE(show_accounts(list, {}).find("* the account of jobs that name none"),
            std::string::npos);
}

TEST(AccountTree, ShowsUsageBesideLimits) {
  AssociationList list = a_tree();
  AssociationView& physics = list.associations[2];
  physics.association.limits.grp_tres = *parse_tres("cpu=4,node=2");
  physics.association.limits.grp_tres_mins = *parse_tres("cpu=600");
  physics.association.limits.grp_wall_s = 36'000;
  physics.association.limits.max_wall_s = 1800;
  physics.held = *parse_tres("cpu=3,gres/gpu=0,node=1");
  physics.minutes_used = *parse_tres("cpu=110");
  const std::string shown = show_accounts(list, {});
  EXPECT_NE(shown.find("cpu=3,node=1 GrpTRESMins=cpu=110 GrpWall=00:00:00"), std::string::npos)
      << shown;
  EXPECT_NE(
      shown.find("GrpTRES=cpu=4,node=2 GrpTRESMins=cpu=600 GrpWall=10:00:00 MaxWall=00:30:00"),
      std::string::npos)
      << "durations are shown as elsewhere: " << shown;
}

TEST(Tiers, QosAreShownWithTheirLimits) {
  ClusterView cluster;
  Qos night;
  night.name = "night";
  night.limits.grp_tres_mins = *parse_tres("cpu=600");
  night.limits.grp_wall_s = 2 * 3600;
  night.limits.max_wall_s = 3600;
  cluster.tiers = {night};
  EXPECT_NE(show_qos(cluster, {}).find("GrpTRESMins=cpu=600  GrpWall=02:00:00  MaxWall=01:00:00"),
            std::string::npos)
      << show_qos(cluster, {});
  SacctmgrOptions options;
  options.words = {"show", "qos", "format=Name,GrpTRESMins,GrpWall,MaxWall"};
  options.parsable2 = options.no_header = true;
  EXPECT_EQ(show_sacctmgr(cluster, options, {}).out, "night|cpu=600|02:00:00|01:00:00\n");
}

}  // namespace
}  // namespace cox
