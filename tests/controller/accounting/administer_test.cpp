// Tests requests to change accounts: which users may send them, how many one message may have, and
// what is recorded.
#include "common/base/limits.h"
#include "tests/controller/accounts_story.h"

namespace cox {
namespace {

class AdministerStory : public AccountsStory {
 protected:
  Administer load(std::size_t more) {
    Administer file{{"add", "account", "waves"}, false, {}};
    file.rest.assign(more, {"nonsense"});
    return file;
  }
  std::string recorded() {
    const auto& answered = database->tables.answered;
    return answered.empty() ? "" : answered.back().by + ": " + answered.back().command;
  }
};

TEST_F(AdministerStory, ASacctmgrLoadHasNoMoreRequestsThanItsLimit) {
  const std::string refusal = refusal_of(ask(load(limits::accounting_requests_max)));
  EXPECT_EQ(refusal, "more than 20000 requests at once, the limit");
  const std::string nonsense = refusal_of(ask(load(limits::accounting_requests_max - 1)));
  EXPECT_EQ(nonsense.substr(0, 10), "nonsense: ");
  EXPECT_NE(refusal_of(ask(Administer{{"nonsense"}, false})).substr(0, 10), "nonsense: ")
      << "a single request need not be named";
}

TEST_F(AdministerStory, AnAppliedChangeIsRecordedWithItsUser) {
  sacctmgr("add account waves parent=nowhere");
  EXPECT_EQ(recorded(), "") << "it was refused";
  sacctmgr("add account waves");
  EXPECT_EQ(recorded(), "user ada: add account waves");
  Administer file{{"add", "account", "optics"}, false, {{"add", "account", "lattice"}}};
  EXPECT_EQ(refusal_of(ask(file)), "");
  EXPECT_EQ(recorded(), "user ada: load of 2 requests, the first: add account optics");
}

TEST_F(AdministerStory, ADryRunOfAnAccountingRequestIsAnsweredAndChangesNothing) {
  const auto lines =
      std::get<Administered>(ask(Administer{{"add", "account", "waves"}, true}).body).lines;
  EXPECT_EQ(joined(lines, "|"), " Adding Account(s)|  waves");
  EXPECT_EQ(controller->cluster().accounting().accounts().account("waves"), nullptr);
  EXPECT_EQ(recorded(), "");
}

TEST_F(AdministerStory, AUserWhoIsNotTheOwnerMayNotAddAnAccount) {
  const Reply reply = ask_as(2000, Administer{{"add", "account", "waves"}, false});
  EXPECT_EQ(refusal_of(reply), "only uid 1000 may change accounts; you are uid 2000");
}

TEST_F(AdministerStory, ACommandForCoordinatorsTakesOnlyAccountsAndUsers) {
  tree();
  EXPECT_EQ(sacctmgr("modify coordinator account=physics names=ada set fairshare=1"),
            "coordinators can only be added and deleted");
  EXPECT_EQ(sacctmgr("add coordinator account=physics names=ada fairshare=1"),
            "coordinators cannot be selected by \"fairshare\"");
  EXPECT_EQ(sacctmgr("add coordinator account=physics"),
            "a coordinator needs an account and a user");
  sacctmgr("add coordinator account=physics names=eve,ada");
  EXPECT_EQ(sacctmgr("add coordinator account=physics names=ada").substr(0, 27),
            " Adding Coordinator User(s)");
  pass(Milliseconds{0});
  EXPECT_EQ(controller->cluster().accounting().accounts().account("physics")->coordinators,
            (std::vector<std::string>{"ada", "eve"}))
      << "each once, in order";
}

TEST_F(AdministerStory, AssociationsAreListedInPagesWithTheirRunningAndSubmittedJobs) {
  tree();
  node("n1", 4);
  submit_as("ada");
  submit_as("eve");
  submit_as("eve", [](JobSpec& s) { s.hold = true; });
  const auto row = [](const AssociationView& one) {
    return one.association.account + " " + one.association.user_name + " " +
           std::to_string(one.running) + " of " + std::to_string(one.submitted);
  };
  const auto list = std::get<AssociationList>(ask(ListAssociations{}).body);
  std::string rows;
  for (const AssociationView& one : list.associations) rows += row(one) + "|";
  EXPECT_EQ(rows,
            "root  2 of 3|physics  1 of 1|lattice  1 of 1|biology  1 of 2|lattice ada 1 of 1|"
            "biology eve 1 of 2|");
  EXPECT_FALSE(list.more);
  EXPECT_EQ(list.cluster, "coxswain");
  ListAssociations rest;
  rest.after = list.associations.at(4).association.id;
  const auto last = std::get<AssociationList>(ask(rest).body);
  ASSERT_EQ(last.associations.size(), 1u);
  EXPECT_EQ(row(last.associations.front()), "biology eve 1 of 2");
}

}  // namespace
}  // namespace cox
