// Tests the texts of refusals and warnings about limits and accounts: each states the fact, the
// limit with its owner and value, and what to do next.
#include "tests/controller/accounts_story.h"

namespace cox {
namespace {

class AccountWords : public AccountsStory {
 protected:
  static std::string refusal_text(const Reply& reply) {
    const auto* refused = std::get_if<Refused>(&reply.body);
    return refused == nullptr ? "" : refused->why.fact + " / " + refused->why.hint;
  }
  std::string submit_refusal(const std::function<void(JobSpec&)>& edit) {
    user = "ada";
    SubmitJob s;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    edit(s.spec);
    return refusal_text(ask(s));
  }
  std::string command_refusal(const std::string& command) {
    return refusal_text(ask(Administer{*split_words(command), true}));
  }
};

TEST_F(AccountWords, AnAccountForOnePartitionIsRefusedInAnother) {
  config.partitions.push_back({"short", {}, false, 0, 0, 0});
  restart();
  node("n1", 8);
  tree();
  sacctmgr("add account part");
  sacctmgr("add user ada account=part partition=short");
  const auto in = [](const std::string& partition) {
    return [=](JobSpec& s) { s.account = "part", s.partition = partition; };
  };
  EXPECT_EQ(submit_refusal(in("")),
            "Invalid account or account/partition combination specified: user ada is in account "
            "part only for partition short, and the job asks for partition main / use "
            "--partition=short, or another account");
  EXPECT_EQ(submit_refusal(in("short")), "");
}

TEST_F(AccountWords, ARefusalSaysInWhichAccountAUserOfAnotherAccountIs) {
  tree();
  EXPECT_EQ(
      command_refusal("modify user ada where account=biology set maxjobs=1"),
      "Nothing modified: user ada is not in account biology / the user is in: account lattice");
  EXPECT_EQ(command_refusal("delete user bob"),
            "Nothing deleted: there is no user \"bob\" / see `sacctmgr show user`");
}

TEST_F(AccountWords, ARefusalByMaxTresMinsNamesTheLongestTimeThatFitsAndThePartitionsDefault) {
  config.partitions.front().time_limit_default_s = 7200;
  restart();
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set maxtresmins=cpu=60");
  EXPECT_EQ(submit_refusal([](JobSpec& s) { s.time_limit_s = 3600, s.cpus_per_task = 2; }),
            "account physics has MaxTRESMins=cpu=60, and the job asks for 120: cpu=2 for 01:00:00 "
            "/ ask for less time with --time, or for fewer CPUs, or for another QOS or account; at "
            "most --time=00:30:00 fits");
  EXPECT_EQ(submit_refusal([](JobSpec&) {}),
            "account physics has MaxTRESMins=cpu=60, and the job asks for 120: cpu=1 for 02:00:00 "
            "(no --time was given: that is time_limit_default of partition main) / ask for less "
            "time with --time, or for fewer CPUs, or for another QOS or account; at most "
            "--time=01:00:00 fits");
  EXPECT_EQ(submit_refusal([](JobSpec& s) { s.time_limit_s = 3600; }), "");
}

TEST_F(AccountWords, ARefusalByGrpWallSaysThatTheTimeIsThePartitionsDefault) {
  config.partitions.front().time_limit_default_s = 7200;
  restart();
  node("n1", 8);
  sacctmgr("modify qos standard set grpwall=60");
  EXPECT_EQ(submit_refusal([](JobSpec&) {}),
            "QOS standard has GrpWall=01:00:00, and the job asks for 02:00:00 (no --time was "
            "given: that is time_limit_default of partition main) / ask for less with --time, or "
            "for another QOS or account");
}

TEST_F(AccountWords, ARefusalForTooFewLicencesSaysHowManyTheClusterHas) {
  config.scheduling.licences = {{"ansys", 1}, {"matlab", 4}};
  restart();
  node("n1", 8);
  EXPECT_EQ(submit_refusal([](JobSpec& s) { s.licences = "matlab:5"; }),
            "this cluster can never run it: asks for licences matlab:5; the cluster has matlab:4 / "
            "see `cox nodes` and `cox show licenses` for what there is, and ask for less");
}

TEST_F(AccountWords, AnUnsupportedSlurmSettingIsRefusedAsNotInThisVersion) {
  tree();
  const std::string here = " of accounts and users is not supported / ";
  for (const auto& [command, refusal] : std::vector<std::pair<std::string, std::string>>{
           {"modify account physics set GrpTRESRunMins=cpu=4",
            "\"grptresrunmins\"" + here +
                "use GrpTRESMins: it counts recent usage, and running jobs up to their time "
                "limits"},
           {"modify account physics set GrpCPUs=4",
            "\"grpcpus\"" + here +
                "write it as a TRES: cpu=NUMBER in GrpTRES, MaxTRES, GrpTRESMins or MaxTRESMins"},
           {"modify qos standard set MaxTRESMins=cpu=4",
            "\"maxtresmins\" of a QOS is not supported / use MaxTRESMins of the account, or "
            "MaxWall with MaxTRES"},
           {"modify qos standard set Preempt=besteffort",
            "\"preempt\" of a QOS is not supported / use priority=N: a higher tier preempts lower "
            "ones"},
           {"modify user ada set coordinator=physics",
            "\"coordinator\"" + here + "write: add coordinator account=ACCOUNT names=USER"}})
    EXPECT_EQ(command_refusal(command), refusal) << command;
  for (const char* name : {"MaxTRESPerNode", "MaxTRESPA", "MaxJobsPA", "Flags", "UsageFactor",
                           "MaxJobsAccruePU", "MinPrioThreshold"})
    EXPECT_NE(command_refusal("modify qos standard set " + std::string(name) + "=1")
                  .find("of a QOS is not supported / "),
              std::string::npos)
        << name;
  EXPECT_EQ(command_refusal("modify account physics set maxxjobs=4"),
            "unknown setting \"maxxjobs\" / did you mean maxjobs?");
}

TEST_F(AccountWords, ARefusalSaysThatAGangGetsOneGpuTypeWhereTypesAreLimited) {
  tree();
  node("n1", 4, {}, {}, 2);
  node("n2", 4, {}, {}, 2, "h200");
  const auto two_nodes = [](JobSpec& s) {
    s.nodes = s.tasks = 2, s.gpus_per_node = 1, s.gpu_type = "h100+h200";
  };
  EXPECT_EQ(refusal_as("ada", two_nodes), "") << "the job may mix types";
  sacctmgr("modify account biology set grptres=gres/gpu:h100=8");
  EXPECT_EQ(refusal_as("ada", two_nodes),
            "limits here count GPUs by type, so a job has all of its GPUs of one type, and no type "
            "has enough: it asks for 2 nodes with 1 CPU and 1 h100 GPU each; the cluster has 2 "
            "nodes, of which 1 is large enough for at least one task; ask for fewer nodes or less "
            "per node");
}

TEST_F(AccountWords, ARefusalOfASettingThatOnlyAQosHasSaysToUseAQos) {
  tree();
  EXPECT_EQ(command_refusal("modify account physics set MaxTRESPerUser=cpu=3"),
            "\"maxtresperuser\" of accounts and users is not supported / use a QOS: modify qos "
            "NAME set MaxTRESPerUser=...; or limit the user's own row: modify user NAME where "
            "account=ACCOUNT set GrpTRES=...");
  EXPECT_EQ(sacctmgr("modify qos standard set MinTRES=cpu=2"), " Modified qos...\n  standard")
      << "as sacctmgr show qos names the column";
  EXPECT_EQ(command_refusal("frob").substr(0, 37), "\"frob\" is not a command that changes ");
}

TEST_F(AccountWords, ALimitOfATresThatTheClusterLacksIsWarnedOfOncePerCommand) {
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
      << "a limit may exceed the cluster, and a low one is no mistake";
  EXPECT_EQ(sacctmgr("modify qos critical set kepttres=gres/gpu:h100=99"),
            " Modified qos...\n  critical\n Warning: KeptTRES reserves gres/gpu:h100=99, and the "
            "cluster has only gres/gpu:h100=8: jobs of lower tiers get none of it");
}

TEST_F(AccountWords, ADeservedShareAboveTheParentsLimitIsWarnedOf) {
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set grptres=cpu=4");
  EXPECT_EQ(
      sacctmgr("modify account lattice set deserved=cpu=6"),
      " Modified account associations...\n  lattice\n Warning: account lattice deserves "
      "cpu=6, but account physics above it has GrpTRES=cpu=4: account lattice cannot get more "
      "than that");
  EXPECT_EQ(sacctmgr("modify account lattice set deserved=cpu=4"),
            " Modified account associations...\n  lattice");
}

TEST_F(AccountWords, APendingReasonByANodeLimitSaysHowNodesCount) {
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set grptres=node=2");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(state(submit_as("ada")), "CONFIGURING");
  EXPECT_EQ(why(submit_as("ada")).at(1),
            "account physics: GrpTRES node is 2: 2 in use by jobs 1, 2 of ada (a node counts once "
            "for each job on it), and it asks for 1");
}

TEST_F(AccountWords, AnAccountShowsItsUseAsItsLimitsCountIt) {
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
      << "the request counts, though the job has the whole node";
  EXPECT_EQ(format_tres(physics.minutes_used), "cpu=560")
      << "8 CPUs were used for ten minutes, and 8 are charged for the hour to come";
  EXPECT_EQ(physics.wall_used_s, 70 * 60);
  EXPECT_EQ(format_tres(view("lattice", "ada").held), "cpu=3,gres/gpu=1");
  EXPECT_EQ(format_tres(view("biology", "").held), "cpu=0,gres/gpu=0");
}

}  // namespace
}  // namespace cox
