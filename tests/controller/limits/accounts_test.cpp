// Tests accounts in the controller: which users may charge which account, which limit keeps a job
// pending, and how usage is counted.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <utility>

#include "tests/controller/accounts_story.h"

namespace cox {
namespace {

TEST_F(AccountsStory, NoAccountIsNeededUntilThereAreUsersInAccounts) {
  node("n1", 4);
  EXPECT_EQ(state(submit_as("ada", [](JobSpec& s) { s.account = "whatever"; })), "CONFIGURING");
  sacctmgr("add account physics");
  EXPECT_EQ(refusal_as("eve"), "");
  sacctmgr("add user ada account=physics");
  EXPECT_EQ(
      refusal_as("eve"),
      "Invalid account or account/partition combination specified: user eve is in no account");
  EXPECT_EQ(
      refusal_as("ada", [](JobSpec& s) { s.account = "fysics"; }),
      "Invalid account or account/partition combination specified: user ada is not in account "
      "\"fysics\"");
  const JobId job = submit_as("ada");
  EXPECT_EQ(this->job(job).job.spec->account, "physics") << "the user's default";
}

TEST_F(AccountsStory, InvalidSacctmgrCommandsAreRefusedWithTheFault) {
  tree();
  struct Row {
    const char* command;
    const char* refusal;
  };
  for (const auto& [command, refusal] : std::vector<Row>{
           {"add account physics", "Nothing new added: account physics already exists"},
           {"add account x parent=nowhere", "there is no account \"nowhere\""},
           {"modify account physics set parent=lattice",
            "account lattice is below account physics"},
           {"modify account root set parent=physics", "the root account cannot have a parent"},
           {"add user ada account=lattice",
            "Nothing new added: user ada is already in account lattice"},
           {"add user bob", "no account is named"},
           {"modify account physics set grptres=cpus=4", "grptres: \"cpus\" is not a TRES"},
           {"modify account physics set maxxjobs=4", "unknown setting \"maxxjobs\""},
           {"modify account physics set maxjobs=many",
            "maxjobs: \"many\" is not a whole number from 0 to 1000000000"},
           {"modify user ada set defaultaccount=biology", "user ada is not in account biology"},
           {"modify user ada set qos=gold", "there is no QOS \"gold\""},
           {"modify account physics set defaultqos=gold", "there is no QOS \"gold\""},
           {"modify account physics set qos=standard defaultqos=critical",
            "account physics may not use the default QOS critical"},
           {"delete account physics", "account lattice is below account physics"},
           {"delete account root", "the root account cannot be deleted"},
           {"delete user nobody", "Nothing deleted: there is no user \"nobody\""},
           {"delete qos standard", "QOS standard cannot be deleted: jobs that name no QOS get it"},
           {"add account 'a b'", "\"a b\" is not a valid name for an account"},
           {"show associations", "this command changes accounts and shows nothing"},
           {"frobnicate account x", "\"frobnicate\" is not a command that changes accounts"},
           {"modify account physics", "it does not say what to set"}})
    EXPECT_EQ(sacctmgr(command), refusal) << command;
  const auto before = store.tables().associations;
  EXPECT_EQ(sacctmgr("add account new1,root2/"), "\"root2/\" is not a valid name for an account");
  EXPECT_EQ(store.tables().associations, before) << "all of it or nothing";
}

TEST_F(AccountsStory, JobsStayPendingAtALimitOfAnAccountOrUserUntilItIsRemoved) {
  node("n1", 8, {}, {}, 4);
  tree();
  sacctmgr("add user bob account=physics");
  struct Row {
    const char* set;
    const char* reason;
    std::function<void(JobSpec&)> job;  // two such jobs exceed the limit
    bool bob_too;                       // whether it also binds bob, in another account below
  };
  const auto plain = [](JobSpec&) {};
  for (const Row& row :
       std::vector<Row>{{"account physics set grpjobs=1", "AssocGrpJobsLimit", plain, true},
                        {"account physics set grptres=cpu=1", "AssocGrpCpuLimit", plain, true},
                        {"account physics set grptres=gres/gpu=1", "AssocGrpGRES",
                         [](JobSpec& s) { s.gpus_per_node = 1; }, true},
                        {"account lattice set grptres=node=1", "AssocGrpNodeLimit", plain, false},
                        {"account root set grptres=mem=150", "AssocGrpMemLimit",
                         [](JobSpec& s) { s.memory_mb_per_node = 100; }, true},
                        {"account physics set maxjobs=1", "AssocMaxJobsLimit", plain, false},
                        {"user ada set maxjobs=1", "AssocMaxJobsLimit", plain, false}}) {
    SCOPED_TRACE(row.set);
    sacctmgr(std::string("modify ") + row.set);
    const JobId first = submit_as("ada", row.job);
    EXPECT_EQ(state(first), "CONFIGURING");
    const JobId second = submit_as("ada", row.job);
    EXPECT_EQ(state(second), "PENDING");
    EXPECT_EQ(reason(second), row.reason);
    const JobId bob = submit_as("bob", row.job);
    EXPECT_EQ(state(bob), row.bob_too ? "PENDING" : "CONFIGURING");
    std::string lift = row.set;
    lift.resize(lift.rfind('=') + 1);
    sacctmgr("modify " + lift + "-1");
    for (const JobId id : {first, second, bob}) {
      EXPECT_EQ(state(id), "CONFIGURING") << "the limit is removed";
      run(id, Milliseconds{1});
    }
  }
}

TEST_F(AccountsStory, APendingReasonNamesTheAccountTheLimitAndItsHolders) {
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set grptres=cpu=4");
  submit_as("ada", [](JobSpec& s) { s.cpus_per_task = 3; });
  const JobId second = submit_as("ada", [](JobSpec& s) { s.cpus_per_task = 2; });
  EXPECT_EQ(why(second), (std::vector<std::string>{
                             "asks for 1 node with 2 CPUs",
                             "account physics: GrpTRES cpu is 4: 3 in use by job 1 of ada, "
                             "and it asks for 2"}));
  EXPECT_EQ(refusal_as("ada", [](JobSpec& s) { s.cpus_per_task = 5; }),
            "account physics has GrpTRES=cpu=4, and the job asks for 5");
}

TEST_F(AccountsStory, AJobThatALimitCouldNeverAllowIsRefused) {
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set maxtres=cpu=2 maxwall=60 maxsubmitjobs=1");
  EXPECT_EQ(refusal_as("ada", [](JobSpec& s) { s.cpus_per_task = 3; }),
            "account physics has MaxTRES=cpu=2, and the job asks for 3");
  EXPECT_EQ(refusal_as("ada", [](JobSpec& s) { s.time_limit_s = 7200; }),
            "account physics has MaxWall=01:00:00, and the job asks for 02:00:00");
  const JobId job = submit_as("ada");
  EXPECT_EQ(this->job(job).job.spec->time_limit_s, 3600) << "a job without --time gets the longest";
  EXPECT_EQ(refusal_as("ada"),
            "account physics has MaxSubmitJobs=1, and ada has 1 job that waits or runs");
  sacctmgr("modify account physics set maxsubmitjobs=-1 qos=besteffort");
  EXPECT_EQ(refusal_as("ada", [](JobSpec& s) { s.qos = "critical"; }),
            "Invalid qos specification: user ada in account lattice may not use QOS critical");
  EXPECT_EQ(this->job(submit_as("ada", [](JobSpec& s) { s.qos.clear(); })).job.spec->qos,
            "besteffort");
}

TEST_F(AccountsStory, ALimitOfAQosReplacesThatOfAnAccount) {
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set grptres=cpu=1");
  sacctmgr("modify qos critical set grptres=cpu=4");
  const auto critical = [](JobSpec& s) { s.qos = "critical", s.cpus_per_task = 2; };
  EXPECT_EQ(state(submit_as("ada", critical)), "CONFIGURING");
  EXPECT_EQ(state(submit_as("ada", critical)), "CONFIGURING");
  EXPECT_EQ(reason(submit_as("ada", critical)), "QOSGrpCpuLimit");
}

TEST_F(AccountsStory, APartitionQosReplacesAccountLimitsOnlyForJobsOfThatPartitionAlone) {
  PartitionConfig floor;
  floor.name = "floor";
  floor.qos = "floor";
  config.partitions.push_back(floor);
  restart();
  node("n1", 8);
  tree();
  sacctmgr("add qos floor maxjobsperuser=3");
  sacctmgr("modify user ada set maxjobs=1");
  const auto in = [](const std::string& partitions) {
    return [=](JobSpec& s) { s.partition = partitions; };
  };
  EXPECT_EQ(state(submit_as("ada", in("main"))), "CONFIGURING");
  EXPECT_EQ(reason(submit_as("ada", in("main,floor"))), "AssocMaxJobsLimit");
  EXPECT_EQ(state(submit_as("ada", in("floor"))), "CONFIGURING");
}

TEST_F(AccountsStory, MinuteLimitsOfAQosReplaceThoseOfAnAccount) {
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set grptresmins=cpu=60,node=60 grpwall=60");
  sacctmgr("modify qos critical set grptresmins=cpu=600 grpwall=600");
  const auto critical = [](JobSpec& s) { s.qos = "critical"; };
  EXPECT_EQ(refusal_as("ada", [](JobSpec& s) { s.time_limit_s = 61 * 60; }),
            "account physics has GrpTRESMins=cpu=60, and the job asks for 61: cpu=1 for 01:01:00");
  EXPECT_EQ(refusal_as("ada", [](JobSpec& s) { s.qos = "critical", s.time_limit_s = 61 * 60; }),
            "account physics has GrpTRESMins=node=60, and the job asks for 61: node=1 for 01:01:00")
      << "the QOS has no limit for nodes";
  sacctmgr("modify account physics set grptresmins=node=-1");
  EXPECT_EQ(state(submit_as("ada", critical, 500 * 60)), "CONFIGURING");
  EXPECT_EQ(reason(submit_as("ada", critical, 101 * 60)), "QOSGrpCPUMinutesLimit");
  sacctmgr("modify qos critical set grptresmins=-1");
  EXPECT_EQ(refusal_as("ada", [](JobSpec& s) { s.qos = "critical", s.time_limit_s = 61 * 60; }),
            "account physics has GrpTRESMins=cpu=60, and the job asks for 61: cpu=1 for 01:01:00");
}

TEST_F(AccountsStory, UsedMinutesComeBackAsUsageDecays) {
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set grptresmins=cpu=120");
  EXPECT_EQ(refusal_as("ada"),
            "account physics has GrpTRESMins=cpu=120, and the job needs a time limit for it");
  const JobId first = submit_as("ada", {}, 90 * 60);
  const JobId second = submit_as("ada", {}, 70 * 60);
  EXPECT_EQ(state(first), "CONFIGURING");
  EXPECT_EQ(reason(second), "AssocGrpCPUMinutesLimit")
      << "90 of 120 minutes are charged in advance";
  run(first, std::chrono::minutes{50});
  EXPECT_EQ(state(second), "CONFIGURING") << "50 were used, and it asks for 70";
  run(second, std::chrono::minutes{60});
  const JobId third = submit_as("ada", {}, 30 * 60);
  EXPECT_EQ(reason(third), "AssocGrpCPUMinutesLimit");
  EXPECT_EQ(why(third).at(1),
            "account physics: GrpTRESMins cpu is 120 minutes: 110 minutes used lately or promised, "
            "and it asks for 30 minutes");
  restart();
  node("n1", 8);
  EXPECT_EQ(reason(third), "AssocGrpCPUMinutesLimit") << "a restart forgets nothing";
  pass(std::chrono::hours{168});
  pass(Milliseconds{0});
  node("n1", 8);
  EXPECT_EQ(state(third), "CONFIGURING") << "after a half-life 55 are left";
}

TEST_F(AccountsStory, ATestOfAJobObeysMinutesUsedBeforeARestart) {
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set grptresmins=cpu=120");
  run(submit_as("ada", {}, 110 * 60), std::chrono::minutes{110});
  restart();
  node("n1", 8);
  TestJob test;
  test.spec.command = {"train"};
  test.spec.work_dir = "/home/u";
  test.spec.time_limit_s = 30 * 60;
  const auto tested = std::get<JobTested>(ask(test).body);
  EXPECT_FALSE(tested.starts_now);
  EXPECT_EQ(tested.view.reason, WaitReason::AssocGrpCPUMinutesLimit);
}

TEST_F(AccountsStory, UsageAddsUpOverRequeuesAndRestarts) {
  config.usage.half_life = Milliseconds{0};
  config.usage.period = std::chrono::seconds{10};
  restart();
  node("n1", 4);
  tree();
  const JobId job = submit_as("ada", [](JobSpec& s) { s.cpus_per_task = 2; });
  ready(job);
  pass(std::chrono::seconds{100});
  ask(ActOnJobs{JobVerb::Requeue, {job}});
  finish(job, 143);
  pass(std::chrono::seconds{50});
  ASSERT_EQ(state(job), "CONFIGURING");
  restart();
  node("n1", 4);
  ASSERT_EQ(state(job), "CONFIGURING");
  const auto used = [&] {
    for (const TresUsage& one : view("lattice", "ada").association.usage)
      if (one.tres == "cpu") return one.seconds;
    return 0.0;
  };
  EXPECT_NEAR(used(), 2 * 100, 1) << "CPU-seconds of the attempt that is over";
  EXPECT_NEAR(view("lattice", "ada").usage, 2 * 150, 1) << "and of the one that is placed";
  ready(job);
  pass(std::chrono::seconds{30});
  finish(job, 0);
  EXPECT_NEAR(used(), 2 * 180, 1);
  EXPECT_NEAR(view("physics", "").usage, used(), 1) << "billed by the CPU, and the account's too";
  sacctmgr("delete user ada account=lattice");
  EXPECT_NEAR(view("lattice", "").usage, 2 * 180, 1) << "what was used stays used";
}

TEST_F(AccountsStory, AnAdministratorCanResetUsage) {
  node("n1", 4);
  tree();
  sacctmgr("add user bob account=physics");
  for (const char* who : {"ada", "bob", "eve"}) run(submit_as(who), std::chrono::seconds{100});
  EXPECT_NEAR(view("physics", "").usage, 200, 1);
  EXPECT_EQ(sacctmgr("modify user bob set rawusage=5"), "RawUsage cannot be \"5\"");
  sacctmgr("modify user bob set RawUsage=0");
  EXPECT_EQ(view("physics", "bob").usage, 0);
  EXPECT_NEAR(view("physics", "").usage, 100, 1) << "ada's are left";
  sacctmgr("modify account physics set rawusage=0 fairshare=20");
  EXPECT_EQ(view("lattice", "ada").usage, 0) << "and all below it";
  EXPECT_EQ(view("physics", "").association.shares, 20);
  EXPECT_NEAR(view("root", "").usage, 100, 1) << "what others used stays";
  restart();
  EXPECT_EQ(view("physics", "").usage, 0);
}

TEST_F(AccountsStory, TheUserWithLessUsageIsNextAndABurstOfShortJobsDoesNotSlipIn) {
  node("n1", 2);
  tree();
  const JobId first = submit_as("eve", [](JobSpec& s) { s.cpus_per_task = 2; });
  std::vector<JobId> waiting;
  for (int i = 0; i < 6; ++i) waiting.push_back(submit_as("ada"));
  for (int i = 0; i < 6; ++i) waiting.push_back(submit_as("eve"));
  run(first, std::chrono::seconds{10});
  std::string order;
  std::deque<JobId> running;
  const auto note_started = [&] {
    for (const JobId id : std::exchange(waiting, {})) {
      if (state(id) != "CONFIGURING") {
        waiting.push_back(id);
        continue;
      }
      order += job(id).job.spec->user_name.front();
      running.push_back(id);
    }
  };
  note_started();
  while (!running.empty()) {
    const JobId next = running.front();
    running.pop_front();
    run(next, std::chrono::seconds{1});
    note_started();
  }
  EXPECT_EQ(order.substr(0, 8), "aaeaeaea") << "each counts from the moment it starts: " << order;
}

TEST_F(AccountsStory, ANameThatACommandRepeatsIsDeletedOnce) {
  tree();
  sacctmgr("add qos night priority=0");
  EXPECT_EQ(sacctmgr("delete qos night,night"), " Deleting QOS(s)...\n  night");
  EXPECT_EQ(sacctmgr("delete account Lattice,lattice name=lattice"),
            " Deleting account associations...\n  user ada in account lattice\n  lattice");
}

TEST_F(AccountsStory, APreemptorKeepsItsClaimWhileFairSharesChange) {
  node("n1", 2);
  node("n2", 1);
  tree();
  const JobId victim = submit_as("eve", [](JobSpec& s) { s.cpus_per_task = 2; });
  ready(victim);
  const JobId urgent =
      submit_as("ada", [](JobSpec& s) { s.qos = "critical", s.cpus_per_task = 2; });
  EXPECT_EQ(state(victim), "SIGNALING");
  ready(submit_as("eve"));  // starts on n2; from now on ada has the higher fair share
  pass(std::chrono::seconds{1});
  EXPECT_EQ(controller->engine(now).claims().count(urgent), 1u);
  const JobId rival = submit_as("eve", [](JobSpec& s) { s.qos = "critical", s.cpus_per_task = 2; });
  finish(victim, 0, true, 1);
  EXPECT_EQ(state(urgent), "CONFIGURING");
  EXPECT_EQ(state(rival), "PENDING");
}

TEST_F(AccountsStory, ALimitOfAUserInOnePartitionHoldsForTheDefaultAndForListsOfPartitions) {
  config.partitions = {{"gpu", {}, true, 0, 0, 0}, {"cpu", {}, false, 0, 0, 0}};
  restart();
  node("n1", 8);
  sacctmgr("add account physics");
  sacctmgr("add user ada account=physics");
  sacctmgr("add user ada account=physics partition=gpu maxjobs=1");
  EXPECT_EQ(state(submit_as("ada")), "CONFIGURING");
  EXPECT_EQ(reason(submit_as("ada")), "AssocMaxJobsLimit");
  EXPECT_EQ(reason(submit_as("ada", [](JobSpec& s) { s.partition = "gpu,cpu"; })),
            "AssocMaxJobsLimit");
  EXPECT_EQ(state(submit_as("ada", [](JobSpec& s) { s.partition = "cpu"; })), "CONFIGURING");
}

// An account with fairshare=parent passes no shares of its own: the accounts below it compete
// directly with its siblings, whatever shares it had before.
TEST_F(AccountsStory, AnAccountWithSharesOfItsParentIsEntitledToTheSharesBelowIt) {
  node("n1", 16);
  tree();
  const auto entitled = [&](const std::string& account, const std::string& who = "") {
    return view(account, who).shares_part;
  };
  sacctmgr("add account strings parent=physics fairshare=30");
  for (const char* before : {"100", "1"}) {
    sacctmgr(std::string("modify account physics set fairshare=") + before);
    sacctmgr("modify account physics set fairshare=parent");
    EXPECT_DOUBLE_EQ(entitled("biology"), 10.0 / 41);
    EXPECT_DOUBLE_EQ(entitled("strings"), 30.0 / 41);
    EXPECT_DOUBLE_EQ(entitled("lattice"), 1.0 / 41);
    EXPECT_DOUBLE_EQ(entitled("physics"), 31.0 / 41) << "what they have together";
  }
  sacctmgr("modify user ada set fairshare=parent");
  EXPECT_DOUBLE_EQ(entitled("lattice", "ada"), 1.0 / 41);
  EXPECT_NE(sacctmgr("modify account physics set maxwall=0"), "");
  EXPECT_EQ(view("physics", "").association.limits.max_wall_s, std::nullopt);
  sacctmgr("modify account physics set maxwall=10");
  EXPECT_EQ(view("physics", "").association.limits.max_wall_s, 600);
  sacctmgr("modify account physics set maxwall=UNLIMITED");
  EXPECT_EQ(view("physics", "").association.limits.max_wall_s, std::nullopt);
}

TEST_F(AccountsStory, QosAreAddedToAndRemovedFromTheInheritedOnes) {
  node("n1", 16);
  tree();
  const auto qos_had = [&](const std::string& who) {
    const JobId id = submit_as(who, [](JobSpec& s) { s.qos = ""; });
    return job(id).job.spec->qos;
  };
  const auto list = [&](const std::string& account, const std::string& who) {
    return joined(view(account, who).association.qos, ",");
  };
  sacctmgr("modify user ada set qos+=critical");
  EXPECT_EQ(list("lattice", "ada"), "") << "every QOS, as before";
  EXPECT_EQ(qos_had("ada"), "standard");
  sacctmgr("modify user ada set qos-=critical");
  EXPECT_EQ(refusal_as("ada", [](JobSpec& s) { s.qos = "critical"; }),
            "Invalid qos specification: user ada in account lattice may not use QOS critical");
  EXPECT_EQ(qos_had("ada"), "standard");

  sacctmgr("add qos debug");
  sacctmgr("modify account biology set qos=debug,critical");
  EXPECT_EQ(qos_had("eve"), "debug") << "the first";
  sacctmgr("modify user eve set qos+=standard");
  EXPECT_EQ(list("biology", "eve"), "debug,critical,standard");
  EXPECT_EQ(qos_had("eve"), "debug") << "as before";
  sacctmgr("modify user eve set qos+=debug");
  EXPECT_EQ(list("biology", "eve"), "debug,critical,standard");
  sacctmgr("add account cells parent=biology qos-=debug");
  EXPECT_EQ(list("cells", ""), "critical");
  sacctmgr("add user bob account=cells qos+=standard");
  EXPECT_EQ(list("cells", "bob"), "critical,standard");
  EXPECT_EQ(sacctmgr("modify account cells set qos-=critical"),
            "without critical, account cells has no QOS left");
  EXPECT_EQ(sacctmgr("add user kim account=biology qos-=debug,critical"),
            "without debug,critical, user kim in account biology has no QOS left");
  sacctmgr("modify account cells set parent=physics qos=-1");
  sacctmgr("modify account cells set parent=biology qos+=standard");
  EXPECT_EQ(list("cells", ""), "debug,critical,standard") << "inherited from the new parent";
}

TEST_F(AccountsStory, AnAccountWithJobsIsNotDeletedAndKeepsItsJobsUnderANewParent) {
  node("n1", 4);
  tree();
  const JobId job = submit_as("ada");
  EXPECT_EQ(sacctmgr("delete user ada account=lattice"),
            "Job(s) active: user ada in account lattice has jobs 1");
  EXPECT_EQ(view("physics", "").submitted, 1);
  sacctmgr("modify account lattice set parent=biology");
  EXPECT_EQ(view("physics", "").submitted, 0);
  EXPECT_EQ(view("biology", "").submitted, 1);
  sacctmgr("modify account biology set grpjobs=1");
  EXPECT_EQ(reason(submit_as("eve")), "AssocGrpJobsLimit");
  ready(job);
  finish(job, 0);
  EXPECT_EQ(view("biology", "").running, 1);
}

TEST_F(AccountsStory, OnlyPendingAndRunningJobsPreventTheDeletionOfAQos) {
  node("n1", 4);
  sacctmgr("add qos night");
  const JobId ended = submit_as("ada", [](JobSpec& s) { s.qos = "night"; });
  const JobId left = submit_as("ada", [](JobSpec& s) { s.qos = "night"; });
  ready(ended);
  finish(ended, 0);
  EXPECT_EQ(sacctmgr("delete qos night"), "Job(s) active: job 2 has QOS night");
  ready(left);
  finish(left, 0);
  EXPECT_EQ(sacctmgr("delete qos night"), " Deleting QOS(s)...\n  night");
  const Reply reply = ask(ActOnJobs{JobVerb::Requeue, {ended}});
  EXPECT_EQ(std::get<Acted>(reply.body).outcomes.front().refused->fact,
            "the QOS \"night\" of job 1 no longer exists");
  restart();
  EXPECT_EQ(state(ended), "COMPLETED");
}

TEST(AccountingRequest, QuotedWordsAreReadBackUnchanged) {
  for (const std::string& word :
       {std::string(), std::string("two words"), std::string("it's \"so\""), std::string("'"),
        std::string("\"'\"'"), std::string("two\nlines\r\v\f")})
    EXPECT_EQ(*split_words(quoted_words({"a", word, "b"})),
              (std::vector<std::string>{"a", word, "b"}))
        << word;
}

TEST(AccountingRequest, SlurmsSyntaxIsAccepted) {
  const auto words = split_words(
      "modify user where name=ada account=physics set "
      "GrpTRES=cpu=4,gres/gpu=2 qos+=critical description='two words'");
  ASSERT_TRUE(words.ok());
  EXPECT_EQ(*split_words(quoted_words(*words)), *words);
  const auto request = parse_accounting(*words);
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->verb, AccountingVerb::Modify);
  EXPECT_EQ(request->entity, AccountingEntity::User);
  EXPECT_EQ(request->where,
            (std::vector<AccountingSetting>{{"name", '=', "ada"}, {"account", '=', "physics"}}));
  EXPECT_EQ(request->set, (std::vector<AccountingSetting>{{"grptres", '=', "cpu=4,gres/gpu=2"},
                                                          {"qos", '+', "critical"},
                                                          {"description", '=', "two words"}}));
  EXPECT_EQ(parse_accounting({"add", "acc", "x", "cluster=c"})->where,
            (std::vector<AccountingSetting>{{"name", '=', "x"}}));
}

}  // namespace
}  // namespace cox
