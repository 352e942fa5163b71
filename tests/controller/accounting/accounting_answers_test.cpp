// Tests whole replies to sacctmgr: each refusal with its hint, and the default accounts of users
// after each change.
#include "common/base/limits.h"
#include "tests/controller/accounts_story.h"

namespace cox {
namespace {

class AccountingAnswers : public AccountsStory {
 protected:
  AccountingAnswers() { tree(); }
  std::string answer(const std::string& command) {
    const Reply reply = ask(Administer{*split_words(command), false});
    pass(Milliseconds{0});
    const auto* refused = std::get_if<Refused>(&reply.body);
    return refused == nullptr ? joined(std::get<Administered>(reply.body).lines, "|")
                              : refused->why.fact + " / " + refused->why.hint;
  }
  bool is_default(const std::string& account, const std::string& who) {
    return view(account, who).association.is_default;
  }
};

TEST_F(AccountingAnswers, EachRefusalOfAnAccountOrAUserSaysWhatToDo) {
  config.partitions.push_back({"night", {}, false, 0, 0, 0});
  restart();
  const std::string up_to = std::to_string(limits::account_bytes_max);
  const std::string long_name(limits::account_bytes_max + 1, 'x');
  for (const auto& [command, refusal] : std::vector<std::pair<std::string, std::string>>{
           {"add account parent=physics", "no account is named / add account NAME"},
           {"add account physics",
            "Nothing new added: account physics already exists / change it with modify"},
           {"add account x parent=fysics",
            "there is no account \"fysics\" / did you mean physics?"},
           {"add account x parent=elsewhere",
            "there is no account \"elsewhere\" / see `sacctmgr show account`, or add it first"},
           {"add account " + long_name,
            "an account has 65 bytes; the limit is " + up_to + " / make it shorter"},
           {"modify account where shares=1 set shares=2",
            "accounts cannot be selected by \"shares\" / select them by name"},
           {"delete account where name=", "no account is named / name it, as in: account physics"},
           {"modify account physics set parent=lattice",
            "account lattice is below account physics / choose a parent that is not below "
            "it"},
           {"modify account physics set parent=physics",
            "account physics cannot be its own parent / choose another account"},
           {"modify account root set parent=physics",
            "the root account cannot have a parent / leave parent out"},
           {"delete account root", "the root account cannot be deleted / delete accounts below it"},
           {"delete account physics",
            "account lattice is below account physics / delete it first, or give it another "
            "parent"},
           {"add user account=physics", "no user is named / add user NAME account=ACCOUNT"},
           {"add user bob",
            "no account is named / write account=ACCOUNT too: the account of the user's jobs"},
           {"add user bob account=physics partition=day",
            "there is no partition \"day\" / `cox show partitions` lists them"},
           {"add user ada account=lattice",
            "Nothing new added: user ada is already in account lattice / change it with modify"},
           {"add user bob account=physics defaultaccount=biology",
            "user bob is not in account biology / add user bob account=biology"},
           {"modify user where shares=1 set shares=2",
            "users cannot be selected by \"shares\" / select them by name=, account= and "
            "partition="},
           {"modify user where partition=night set shares=2",
            "no user is named / name it, as in: user ada"},
           {"modify user ada where account=biology set shares=2",
            "Nothing modified: user ada is not in account biology / the user is in: account "
            "lattice"},
           {"delete user where account=physics",
            "Nothing deleted: there is no user in account physics / see `sacctmgr show "
            "association`"},
           {"delete user ada where account=lattice partition=night",
            "Nothing deleted: user ada is not in account lattice for partition night / the user is "
            "in: account lattice"}})
    EXPECT_EQ(answer(command), refusal) << command;
}

TEST_F(AccountingAnswers, ARequestDoesWhatItCanAndNamesWhatItSkips) {
  for (const auto& [command, lines] : std::vector<std::pair<std::string, std::string>>{
           {"add account physics,optics",
            " Adding Account(s)|  optics| Warning: account physics already exists"},
           {"modify account optics,nowhere set shares=7",
            " Modified account associations...|  optics| Warning: there is no account "
            "\"nowhere\""},
           {"add user ada,bob account=lattice",
            " Adding User(s)|  ada|  bob|  Account = lattice| Warning: user ada is already in "
            "account lattice"},
           {"delete user bob,nobody",
            " Deleting users...|  user bob in account lattice| Warning: there is no user "
            "\"nobody\""},
           {"add qos standard,night",
            " Adding QOS(s)|  night| Warning: QOS standard already exists"},
           {"delete qos night,day",
            " Deleting QOS(s)...|  night| Warning: there is no QOS \"day\""},
           {"delete account optics,nowhere",
            " Deleting account associations...|  optics| Warning: there is no account "
            "\"nowhere\""}})
    EXPECT_EQ(answer(command), lines) << command;
}

TEST_F(AccountingAnswers, AConditionThatNamesAnotherClusterChangesNothing) {
  config.cluster_name = "lake";
  restart();
  const std::string hint = " / this is cluster lake: leave cluster= out, or name it";
  for (const char* command :
       {"delete user where name=ada cluster=sea account=lattice",
        "delete account lattice cluster=", "delete qos spare where clusters=sea"})
    EXPECT_TRUE(answer(command).starts_with("Nothing deleted: there is no cluster")) << command;
  EXPECT_EQ(answer("modify account lattice where Cluster=sea set GrpSubmitJobs=7"),
            "Nothing modified: there is no cluster \"sea\"" + hint);
  EXPECT_EQ(answer("modify account lattice set GrpSubmitJobs=7 where cluster=sea"),
            "Nothing modified: there is no cluster \"sea\"" + hint);
  EXPECT_EQ(answer("add account optics cluster=sea"), "This cluster \"sea\" doesn't exist" + hint);
  EXPECT_EQ(answer("add account optics cluster=lake,sea"),
            "This cluster \"sea\" doesn't exist" + hint);
  EXPECT_EQ(answer("modify account lattice set cluster=sea"),
            "Can't modify the cluster of an account / write cluster= in front of set, as a "
            "condition");
  EXPECT_EQ(view("lattice", "").association.limits.grp_submit_jobs, std::nullopt);
  EXPECT_EQ(answer("modify account lattice where cluster=Lake,sea set GrpSubmitJobs=7"),
            " Modified account associations...|  lattice");
}

TEST_F(AccountingAnswers, EachRefusalOfTheQosOfAnAssociationSaysWhatToDo) {
  config.partitions.push_back({"night", {}, false, 0, 0, 0});
  config.partitions.back().qos = "night";
  restart();
  ask(Administer{*split_words("add qos night,spare"), false});
  ask(Administer{*split_words("add qos listed,first"), false});
  ask(Administer{*split_words("modify account biology set qos=listed,standard"), false});
  ask(Administer{*split_words("modify account lattice set defaultqos=first"), false});
  for (const auto& [command, refusal] : std::vector<std::pair<std::string, std::string>>{
           {"modify user ada set qos=silver",
            "there is no QOS \"silver\" / `cox show qos` lists them"},
           {"modify account biology set defaultqos=spare",
            "account biology may not use the default QOS spare / add it with qos+=spare, or choose "
            "another default"},
           {"modify account biology set qos-=listed,standard",
            "without listed,standard, account biology has no QOS left / set qos=NAME, or "
            "qos=-1 for the QOS of the account above"}})
    EXPECT_EQ(answer(command), refusal) << command;
}

TEST_F(AccountingAnswers, EachRefusalOfAQosSaysWhatToDo) {
  config.partitions.push_back({"night", {}, false, 0, 0, 0});
  config.partitions.back().qos = "night";
  restart();
  for (const char* command : {"add qos night,spare", "add qos listed,first",
                              "modify account biology set qos=listed,standard",
                              "modify account lattice set defaultqos=first"})
    ask(Administer{*split_words(command), false});
  for (const auto& [command, refusal] : std::vector<std::pair<std::string, std::string>>{
           {"add qos priority=1", "no QOS is named / add qos NAME"},
           {"add qos standard",
            "Nothing new added: QOS standard already exists / change it with modify"},
           {"modify qos where priority=1 set priority=2",
            "QOS cannot be selected by \"priority\" / select them by name"},
           {"modify qos where name= set priority=2",
            "no QOS is named / name it, as in: qos standard"},
           {"modify qos standart set priority=2",
            "Nothing modified: there is no QOS \"standart\" / did you mean standard?"},
           {"delete qos elsewhere",
            "Nothing deleted: there is no QOS \"elsewhere\" / `cox show qos` lists them"},
           {"delete qos listed", "account biology names QOS listed / change that first"},
           {"delete qos first", "account lattice names QOS first / change that first"},
           {"delete qos night",
            "partition night has QOS night / change that in the configuration first"},
           {"delete qos critical,spare", " Deleting QOS(s)...|  critical|  spare"}})
    EXPECT_EQ(answer(command), refusal) << command;
}

TEST_F(AccountingAnswers, TheDefaultAccountIsAlwaysOneOfTheUsersAccounts) {
  EXPECT_EQ(answer("add user ada account=biology"), " Adding User(s)|  ada|  Account = biology");
  EXPECT_TRUE(is_default("lattice", "ada"));
  EXPECT_FALSE(is_default("biology", "ada"));
  const std::string modified =
      " Modified user associations...|  user ada in account lattice|  user ada in account biology";
  for (const char* account : {"biology", "Lattice"}) {
    EXPECT_EQ(answer("modify user ada set defaultaccount=" + std::string(account)), modified);
    EXPECT_EQ(is_default("biology", "ada"), account == std::string("biology"));
    EXPECT_EQ(is_default("lattice", "ada"), account == std::string("Lattice"));
  }
  EXPECT_EQ(answer("delete user ada where account=lattice"),
            " Deleting users...|  user ada in account lattice");
  EXPECT_TRUE(is_default("biology", "ada")) << "the one that is left";
  answer("add user ada account=lattice,physics");
  answer("delete user ada where account=lattice");
  EXPECT_TRUE(is_default("biology", "ada")) << "as before";
  EXPECT_FALSE(is_default("physics", "ada"));
}

TEST_F(AccountingAnswers, AUserIsAddedToSeveralAccountsAndPartitionsAtOnce) {
  config.partitions.push_back({"night", {}, false, 0, 0, 0});
  restart();
  EXPECT_EQ(answer("add user bob,cem account=physics,Lattice partition=night "
                   "defaultaccount=LATTICE adminlevel=none shares=3"),
            " Adding User(s)|  bob|  Account = physics  Partition = night|  Account = lattice  "
            "Partition = night|  cem|  Account = physics  Partition = night|  Account = lattice  "
            "Partition = night");
  for (const char* who : {"bob", "cem"}) {
    EXPECT_FALSE(is_default("physics", who));
    EXPECT_TRUE(is_default("lattice", who));
    EXPECT_EQ(view("lattice", who).association.partition, "night");
    EXPECT_EQ(view("lattice", who).association.shares, 3);
  }
  EXPECT_EQ(answer("add user dan defaultaccount=Biology"),
            " Adding User(s)|  dan|  Account = biology");
  EXPECT_EQ(answer("delete user where account=lattice partition=night"),
            " Deleting users...|  user bob in account lattice, partition night|  user cem in "
            "account lattice, partition night");
  EXPECT_EQ(view("lattice", "ada").association.user_name, "ada")
      << "ada's association is not for one partition";
}

TEST_F(AccountingAnswers, AccountsNestUpToTheirLimit) {
  std::string above = "root";
  for (std::size_t depth = 2; depth <= limits::account_depth_max; ++depth) {
    const std::string name = "a" + std::to_string(depth);
    EXPECT_EQ(answer("add account " + name + " parent=" + above), " Adding Account(s)|  " + name);
    above = name;
  }
  const std::string deep =
      "accounts may be nested at most 16 deep / choose a parent nearer to the root";
  EXPECT_EQ(answer("add account a17 parent=a16"), deep);
  EXPECT_EQ(answer("modify account biology set parent=a16"), deep);
  EXPECT_EQ(answer("modify account physics set parent=a15"),
            "account lattice would be nested more than 16 deep / choose a parent nearer to the "
            "root")
      << "what is below it moves along";
  EXPECT_EQ(answer("modify account physics set parent=a14"),
            " Modified account associations...|  physics");
  EXPECT_EQ(answer("modify account a16 set parent=a15"), " Modified account associations...|  a16")
      << "it stays where it is";
}

TEST_F(AccountingAnswers, TheUsageOfADeletedAccountGoesToItsParent) {
  node("n1", 4);
  run(submit_as("ada"), std::chrono::seconds{100});
  EXPECT_EQ(answer("delete account lattice"),
            " Deleting account associations...|  user ada in account lattice|  lattice");
  EXPECT_NEAR(view("physics", "").usage, 100, 1);
  EXPECT_FALSE(view("physics", "").association.usage.empty());
  answer("delete account physics");
  EXPECT_NEAR(view("root", "").usage, 100, 1);
}

TEST_F(AccountingAnswers, ARefusedDeletionNamesTheFirstJobsOfTheUser) {
  for (int i = 1; i <= 2; ++i) submit_as("ada");
  const std::string refused = "Job(s) active: user ada in account lattice has jobs ";
  const std::string hint = " / wait for their end, or cancel them first";
  EXPECT_EQ(answer("delete user ada"), refused + "1, 2" + hint);
  submit_as("ada");
  submit_as("ada");
  EXPECT_EQ(answer("delete user ada"), refused + "1, 2, 3, ..." + hint);
  EXPECT_EQ(answer("delete account lattice"), refused + "1, 2, 3, ..." + hint);
  submit_as("eve", [](JobSpec& s) { s.qos = "critical"; });
  EXPECT_EQ(answer("delete qos critical"),
            "Job(s) active: job 5 has QOS critical / wait until it has ended, or cancel it first");
}

}  // namespace
}  // namespace cox
