// What people are told of limits and accounts that they ran into, or meant otherwise: the fact, the
// limit with its owner and number, and the next step.
#include "tests/controller/accounts_story.h"

namespace cox {
namespace {

class AccountWords : public AccountsStory {
 protected:
  static std::string whole(const Reply& reply) {
    const auto* refused = std::get_if<Refused>(&reply.body);
    return refused == nullptr ? "" : refused->why.fact + " / " + refused->why.hint;
  }
  std::string told(const std::function<void(JobSpec&)>& edit) {
    user = "ada";
    SubmitJob s;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    edit(s.spec);
    return whole(ask(s));
  }
  std::string told_of(const std::string& command) {
    return whole(ask(Administer{*split_words(command), true}));
  }
};

TEST_F(AccountWords, WhoIsInAnAccountForOnePartitionAloneIsToldSo) {
  config.partitions.push_back({"short", {}, false, 0, 0, 0});
  restart();
  node("n1", 8);
  tree();
  sacctmgr("add account part");
  sacctmgr("add user ada account=part partition=short");
  const auto in = [](const std::string& partition) {
    return [=](JobSpec& s) { s.account = "part", s.partition = partition; };
  };
  EXPECT_EQ(told(in("")),
            "Invalid account or account/partition combination specified: user ada is in account "
            "part for partition short alone, and the job asks for partition main / use "
            "--partition=short, or another account");
  EXPECT_EQ(told(in("short")), "");
}

TEST_F(AccountWords, WhoIsInAnotherAccountIsNotCalledUnknown) {
  tree();
  EXPECT_EQ(told_of("modify user ada where account=biology set maxjobs=1"),
            "user ada is not in account biology / is in: account lattice");
  EXPECT_EQ(told_of("delete user bob"),
            "there is no such user as \"bob\" / see `sacctmgr show user`");
}

TEST_F(AccountWords, MinutesNameTheLongestTimeThatFitsAndWhenceATimeComes) {
  config.partitions.front().time_limit_default_s = 7200;
  restart();
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set maxtresmins=cpu=60");
  EXPECT_EQ(told([](JobSpec& s) { s.time_limit_s = 3600, s.cpus_per_task = 2; }),
            "account physics has MaxTRESMins=cpu=60, and the job asks for 120: cpu=2 for 01:00:00 "
            "/ ask for less time with --time, or for less of it, or for another QOS or account; at "
            "most --time=00:30:00 fits");
  EXPECT_EQ(told([](JobSpec&) {}),
            "account physics has MaxTRESMins=cpu=60, and the job asks for 120: cpu=1 for 02:00:00 "
            "(no --time was given: that is time_limit_default of partition main) / ask for less "
            "time with --time, or for less of it, or for another QOS or account; at most "
            "--time=01:00:00 fits");
  EXPECT_EQ(told([](JobSpec& s) { s.time_limit_s = 3600; }), "");
}

TEST_F(AccountWords, AWallThatIsTooShortForTheDefaultOfThePartitionSaysWhoseTimeThatIs) {
  config.partitions.front().time_limit_default_s = 7200;
  restart();
  node("n1", 8);
  sacctmgr("modify qos standard set grpwall=60");
  EXPECT_EQ(told([](JobSpec&) {}),
            "QOS standard has GrpWall=01:00:00, and the job asks for 02:00:00 (no --time was "
            "given: that is time_limit_default of partition main) / ask for less with --time, or "
            "for another QOS or account");
}

TEST_F(AccountWords, TooFewLicencesAreCounted) {
  config.scheduling.licences = {{"ansys", 1}, {"matlab", 4}};
  restart();
  node("n1", 8);
  EXPECT_EQ(told([](JobSpec& s) { s.licences = "matlab:5"; }),
            "this cluster can never run it: asks for licences matlab:5; the cluster has matlab:4 / "
            "see `cox nodes` and `cox show licenses` for what there is, and ask for less");
}

TEST_F(AccountWords, WhatOfSlurmsIsNotInThisVersionIsCalledSo) {
  tree();
  const std::string here = " of accounts and users is not in this version / ";
  for (const auto& [command, told] : std::vector<std::pair<std::string, std::string>>{
           {"modify account physics set GrpTRESRunMins=cpu=4",
            "\"grptresrunmins\"" + here +
                "GrpTRESMins counts what runs until its time limit, beside what was used lately"},
           {"modify account physics set GrpCPUs=4",
            "\"grpcpus\"" + here +
                "write it as a TRES: cpu=NUMBER in GrpTRES, MaxTRES, GrpTRESMins or MaxTRESMins"},
           {"modify qos standard set MaxTRESMins=cpu=4",
            "\"maxtresmins\" of a QOS is not in this version / MaxTRESMins of the account, or "
            "MaxWall with MaxTRES"},
           {"modify qos standard set Preempt=besteffort",
            "\"preempt\" of a QOS is not in this version / priority=N says it: a higher tier "
            "preempts lower ones"},
           {"modify user ada set coordinator=physics",
            "\"coordinator\"" + here + "write: add coordinator account=ACCOUNT names=USER"}})
    EXPECT_EQ(told_of(command), told) << command;
  for (const char* name : {"MaxTRESPerNode", "MaxTRESPA", "MaxJobsPA", "Flags", "UsageFactor",
                           "MaxJobsAccruePU", "MinPrioThreshold"})
    EXPECT_NE(told_of("modify qos standard set " + std::string(name) + "=1")
                  .find("of a QOS is not in this version / "),
              std::string::npos)
        << name;
  EXPECT_EQ(told_of("modify account physics set maxjob=4"),
            "\"maxjob\" is nothing that can be set here / did you mean maxjobs?");
}

TEST_F(AccountWords, WhereTypesOfGpusAreLimitedAGangIsToldThatItHasOne) {
  tree();
  node("n1", 4, {}, {}, 2);
  node("n2", 4, {}, {}, 2, "h200");
  const auto two_nodes = [](JobSpec& s) {
    s.nodes = s.tasks = 2, s.gpus_per_node = 1, s.gpu_type = "h100+h200";
  };
  EXPECT_EQ(refusal_as("ada", two_nodes), "") << "it may mix them";
  sacctmgr("modify account biology set grptres=gres/gpu:h100=8");
  EXPECT_EQ(refusal_as("ada", two_nodes),
            "limits here count GPUs by type, so a job has all of its GPUs of one type, and no type "
            "has enough: it asks for 2 nodes with 1 CPU and 1 h100 GPU each; the cluster has 2 "
            "nodes, of which 1 is large enough for at least one task; ask for fewer nodes or less "
            "a node");
}

TEST_F(AccountWords, WhatIsTakenOfAQosIsNotRefusedAsSomethingElse) {
  tree();
  EXPECT_EQ(
      told_of("modify account physics set MaxTRESPerUser=cpu=3"),
      "\"maxtresperuser\" of accounts and users is not in this version / a QOS has it: modify "
      "qos NAME set MaxTRESPerUser=...; or limit the user's own row: modify user NAME where "
      "account=ACCOUNT set GrpTRES=...");
  EXPECT_EQ(sacctmgr("modify qos standard set MinTRES=cpu=2"), " Modified qos...\n  standard")
      << "as sacctmgr show qos names the column";
  EXPECT_EQ(told_of("frob").substr(0, 37), "\"frob\" is not a command that changes ");
}

TEST_F(AccountWords, WhatTheClusterHasNoneOfIsWarnedOfOnceACommand) {
  tree();
  const std::string physics = " Modified account associations...\n  physics";
  EXPECT_EQ(sacctmgr("modify account physics set grptres=gres/gpu:b200=3"), physics)
      << "no node is known yet";
  config.scheduling.licences = {{"matlab", 4}};
  restart();
  node("n1", 8, {}, {{"nic", "", 2}}, 8);
  EXPECT_EQ(sacctmgr("modify account physics set grptres=gres/gpu:b200=3 maxtres=gres/gpu:b200=1"),
            physics +
                "\n Warning: the cluster has no gres/gpu:b200; it has gres/gpu, gres/gpu:h100, "
                "gres/nic, license/matlab");
  EXPECT_EQ(sacctmgr("modify account physics set grptres=gres/gpuu=4"),
            physics + "\n Warning: the cluster has no gres/gpuu; did you mean gres/gpu?");
  EXPECT_EQ(sacctmgr("modify account physics set grptres=gres/gpuu=-1,license/matlab=9,gres/nic=1"),
            physics)
      << "it may be more than there is, and less is no mistake";
  EXPECT_EQ(sacctmgr("modify qos critical set kepttres=gres/gpu:h100=99"),
            " Modified qos...\n  critical\n Warning: the cluster has gres/gpu:h100=8, and kepttres "
            "keeps gres/gpu:h100=99: jobs of lower tiers get none of it");
}

TEST_F(AccountWords, WhoDeservesMoreThanThoseAboveMayHaveIsWarnedOf) {
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set grptres=cpu=4");
  EXPECT_EQ(sacctmgr("modify account lattice set deserved=cpu=6"),
            " Modified account associations...\n  lattice\n Warning: account lattice deserves "
            "cpu=6, and account physics above it has GrpTRES=cpu=4: it gets no more than that");
  EXPECT_EQ(sacctmgr("modify account lattice set deserved=cpu=4"),
            " Modified account associations...\n  lattice");
}

TEST_F(AccountWords, ALimitOfNodesSaysHowTheyCount) {
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set grptres=node=2");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(state(submit_as("ada")), "CONFIGURING");
  EXPECT_EQ(why(submit_as("ada")).at(1),
            "account physics: GrpTRES node is 2: 2 in use by jobs 1, 2 of ada (a node counts once "
            "for each job on it), and it asks for 1");
}

TEST_F(AccountWords, AnAccountTellsWhatItHasAsItsLimitsCountIt) {
  config.usage.half_life = Milliseconds{0};
  restart();
  node("n1", 8, {}, {}, 4);
  tree();
  sacctmgr(
      "modify account physics set grptres=node=4 deserved=gres/gpu:h100=2 grptresmins=cpu=600 "
      "grpwall=600");
  const auto alone = [](JobSpec& s) {
    s.exclusive = true, s.cpus_per_task = 3, s.gpus_per_node = 1;
  };
  run(submit_as("ada", alone, 20 * 60), std::chrono::minutes{10});
  submit_as("ada", alone, 60 * 60);
  const AssociationView physics = view("physics", "");
  EXPECT_EQ(format_tres(physics.held), "cpu=3,gres/gpu=1,node=1,gres/gpu:h100=1")
      << "what it asks for, though it has the whole node";
  EXPECT_EQ(format_tres(physics.minutes_used), "cpu=560")
      << "8 CPUs for ten minutes are over, and as many for an hour are promised: it is charged so";
  EXPECT_EQ(physics.wall_used_s, 70 * 60);
  EXPECT_EQ(format_tres(view("lattice", "ada").held), "cpu=3,gres/gpu=1");
  EXPECT_EQ(format_tres(view("biology", "").held), "cpu=0,gres/gpu=0");
}

}  // namespace
}  // namespace cox
