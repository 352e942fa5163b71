// Tests coordinators of accounts: what they may do, and what only administrators may do.
#include <gtest/gtest.h>

#include "tests/controller/accounts_story.h"

namespace cox {
namespace {

class Coordinators : public AccountsStory {
 protected:
  void SetUp() override {
    tree();
    sacctmgr("add account optics parent=lattice");
    sacctmgr("add coordinator account=lattice names=ada");
  }
  // Returns the refusal that this user receives; "" if there is none.
  std::string as(const std::string& who, const std::string& command) {
    user = who;
    const Reply reply = ask_as(7, Administer{*split_words(command), false, {}});
    const std::string why = refusal_of(reply);
    user = "root";
    pass(Milliseconds{0});
    return why;
  }
  const Accounts& accounts() { return controller->cluster().accounting().accounts(); }
  std::vector<std::string> of(const std::string& account) {
    return accounts().account(account)->coordinators;
  }
};

TEST_F(Coordinators, CoordinatorsAreAddedDeletedAndSurviveARestart) {
  EXPECT_EQ(sacctmgr("add coordinator account=physics names=ada,eve"),
            " Adding Coordinator User(s)\n  ada\n  eve\n To Account(s) and all sub-accounts\n"
            "  physics");
  restart();
  EXPECT_EQ(of("physics"), (std::vector<std::string>{"ada", "eve"}));
  EXPECT_EQ(sacctmgr("delete coordinator account=physics names=ada"),
            " Removing Coordinators with user name\n  ada\n From Account(s)\n  physics");
  EXPECT_EQ(of("physics"), std::vector<std::string>{"eve"});
  sacctmgr("delete user eve");
  EXPECT_TRUE(of("physics").empty()) << "a user without an account coordinates none";
  EXPECT_EQ(sacctmgr("add coordinator account=physics names=nobody"),
            "there is no user \"nobody\"");
  EXPECT_EQ(sacctmgr("add coordinator account=physic names=ada"), "there is no account \"physic\"");
  EXPECT_EQ(sacctmgr("add coordinator names=ada"), "a coordinator needs an account and a user");
}

TEST_F(Coordinators, CoordinatorsAddAndDeleteUsersAndAccountsBelowTheirs) {
  EXPECT_EQ(as("ada", "add user joe account=optics"), "");
  EXPECT_EQ(as("ada", "add account waves parent=optics"), "");
  EXPECT_EQ(as("ada", "add coordinator account=optics names=joe"), "");
  EXPECT_EQ(as("joe", "add user kim account=waves"), "");
  EXPECT_EQ(as("ada", "delete user kim where account=waves"), "");
  EXPECT_EQ(as("ada", "delete account waves"), "");
  EXPECT_EQ(accounts().account("waves"), nullptr);
}

TEST_F(Coordinators, CoordinatorsMayNeitherChangeLimitsNorActOutsideTheirAccounts) {
  const std::string none = "user ada is not a coordinator of account ";
  EXPECT_EQ(as("eve", "add user joe account=lattice"),
            "only uid 1000 may change accounts; you are uid 7");
  EXPECT_EQ(as("ada", "add user joe account=physics"), none + "physics");
  EXPECT_EQ(as("ada", "add account waves"), none + "root");
  EXPECT_EQ(as("ada", "delete account biology"), none + "biology");
  EXPECT_EQ(as("ada", "delete user eve"), none + "biology");
  EXPECT_EQ(as("ada", "add coordinator account=physics names=ada"), none + "physics");
  EXPECT_EQ(as("ada", "add user joe account=optics MaxJobs=5"),
            "\"maxjobs\" is for administrators only");
  EXPECT_EQ(as("ada", "add user joe account=optics defaultaccount=optics"),
            "\"defaultaccount\" is for administrators only");
  EXPECT_EQ(as("ada", "modify account optics set fairshare=100"),
            "modify is for administrators only");
  EXPECT_EQ(as("ada", "add qos fast"), "a QOS is for administrators only");
  EXPECT_EQ(accounts().account("waves"), nullptr);
}

TEST_F(Coordinators, CoordinatorsStopAndHoldTheJobsOfTheirAccounts) {
  sacctmgr("add user joe account=optics");
  const JobId id = submit_as("joe");
  const auto act = [&](const std::string& who, JobVerb verb) {
    user = who;
    const auto acted = std::get<Acted>(ask_as(7, ActOnJobs{verb, {id}, {""}}).body);
    return acted.outcomes.at(0).refused ? acted.outcomes[0].refused->fact : "";
  };
  EXPECT_EQ(act("eve", JobVerb::Hold), "job 1 belongs to joe");
  EXPECT_EQ(act("ada", JobVerb::Hold), "");
  EXPECT_TRUE(job(id).job.held);
  user = "ada";
  const auto changed = ask_as(7, UpdateJobs{{id}, {""}, {"TimeLimit"}, {"5"}});
  EXPECT_EQ(std::get<Acted>(changed.body).outcomes.at(0).refused->fact, "job 1 belongs to joe");
  EXPECT_EQ(act("ada", JobVerb::Cancel), "");
  EXPECT_EQ(state(id), "CANCELLED");
}

TEST_F(Coordinators, AFileOfRequestsIsAppliedWhollyOrNotAtAll) {
  Administer file{{"add", "account", "waves"}, false, {{"add", "user", "kim", "account=waves"}}};
  user = "root";
  file.rest.push_back({"add", "user", "kim", "account=wave"});
  EXPECT_EQ(refusal_of(ask(file)), "there is no account \"wave\"");
  EXPECT_EQ(accounts().account("waves"), nullptr);
  file.rest.back() = {"add", "usr"};
  EXPECT_EQ(refusal_of(ask(file)).substr(0, 9), "add usr: ");
  file.rest.pop_back();
  EXPECT_EQ(refusal_of(ask(file)), "");
  pass(Milliseconds{0});
  EXPECT_NE(accounts().find("waves", "kim", ""), nullptr);
}

}  // namespace
}  // namespace cox
