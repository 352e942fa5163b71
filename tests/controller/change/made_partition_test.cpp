// Tests partitions that an administrator creates while the cluster runs.
#include "controller/change/made_partition.h"

#include <gtest/gtest.h>

#include "controller/state/usage.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class MadePartitions : public testing::Test, public Bench {
 protected:
  void SetUp() override {
    node("n1", 2);
    node("n2", 2);
  }
  using Values = std::vector<NamedValue>;
  // Sends the request to create, change or delete a partition. Returns the refusal, or "".
  std::string act(PartitionVerb verb, const std::string& name, const Values& values = {},
                  std::uint32_t uid = 1000) {
    const auto acted = std::get<Acted>(ask_as(uid, UpdatePartitions{{name}, values, verb}).body);
    const auto& outcome = acted.outcomes.at(0);
    return outcome.refused ? outcome.refused->fact : "";
  }
  std::string create(const std::string& name, const Values& values) {
    return act(PartitionVerb::Create, name, values);
  }
  std::string update(const std::string& name, const Values& values) {
    return act(PartitionVerb::Update, name, values);
  }
  std::string erase(const std::string& name) { return act(PartitionVerb::Delete, name); }
  Ask in(const std::string& partition) {
    return {.with = [partition](JobSpec& s) { s.partition = partition; }};
  }
  std::string refused_in(const std::string& partition) {
    SubmitJob one;
    one.spec.command = {"train"};
    one.spec.work_dir = "/home/u";
    one.spec.partition = partition;
    return refusal_of(ask(one));
  }
  std::vector<std::string> shown() {
    std::vector<std::string> names;
    const NodeList listed = std::get<NodeList>(ask(ListNodes{}).body);
    for (const PartitionView& one : listed.partitions) names.push_back(one.name);
    return names;
  }
};

TEST_F(MadePartitions, ACreatedPartitionTakesJobsAtOnceAndSurvivesARestart) {
  EXPECT_EQ(create("night", {{"Nodes", "n2"}, {"MaxTime", "60"}, {"State", "UP"}}), "");
  const JobId id = submit(in("night"));
  EXPECT_EQ(nodes(id), "n2");
  SubmitJob longer;
  longer.spec.command = {"train"};
  longer.spec.work_dir = "/home/u";
  longer.spec.partition = "night";
  longer.spec.time_limit_s = 7200;
  EXPECT_NE(refusal_of(ask(longer)).find("partition night allows at most 01:00:00"),
            std::string::npos);
  restart();
  EXPECT_EQ(shown(), (std::vector<std::string>{"main", "night"}));
  EXPECT_EQ(store.tables().partitions.at("night").made_with,
            (std::vector<std::string>{"Nodes=n2", "MaxTime=60"}));
}

TEST_F(MadePartitions, APartitionChangesAndIsDeletedOnlyWhileNoJobNamesIt) {
  create("night", {{"Nodes", "n2"}});
  const JobId id = submit(in("night"));
  ready(id);
  const std::string in_use = "Partition is in use: job 1 waits or runs in night";
  EXPECT_EQ(update("night", {{"MaxTime", "30"}, {"nodes", "ALL"}}), in_use);
  EXPECT_EQ(erase("night"), in_use);
  EXPECT_EQ(update("night", {{"State", "DRAIN"}}), "") << "its state changes at any time";
  finish(id, 0);
  EXPECT_EQ(update("night", {{"MaxTime", "30"}, {"nodes", "ALL"}}), "");
  EXPECT_EQ(store.tables().partitions.at("night").made_with,
            (std::vector<std::string>{"MaxTime=30", "nodes=ALL"}));
  EXPECT_EQ(erase("night"), "");
  EXPECT_EQ(shown(), std::vector<std::string>{"main"});
  EXPECT_EQ(store.tables().partitions.count("night"), 0u);
  EXPECT_EQ(erase("night"), "there is no partition \"night\"");
}

TEST_F(MadePartitions, AllowGroupsAndMaxTimeChangeWhileJobsRun) {
  groups = {{"staff", AllowedGroup{"staff", 50, {"eve"}}}, {"sttaff", std::nullopt}};
  restart();
  for (const char* name : {"n1", "n2"}) node(name, 2);
  ASSERT_EQ(create("night", {{"Nodes", "n2"}, {"AllowGroups", "ALL"}}), "");
  const JobId runs = submit(in("night"));
  ready(runs);
  EXPECT_EQ(update("night", {{"AllowGroups", "staff"}, {"MaxTime", "1"}}), "");
  EXPECT_EQ(state(runs), "RUNNING");
  const auto view = [&] { return std::get<NodeList>(ask(ListNodes{}).body).partitions.at(1); };
  EXPECT_EQ(view().allow_groups, std::vector<std::string>{"staff"});
  EXPECT_EQ(view().time_limit_max_s, 60);
  const std::string taken = "partition night takes only jobs of group staff; ada is in none";
  EXPECT_NE(refused_in("night").find(taken), std::string::npos);
  EXPECT_EQ(update("night", {{"AllowGroups", "sttaff"}}), "Invalid AllowGroups value: \"sttaff\"");
  EXPECT_EQ(view().allow_groups, std::vector<std::string>{"staff"}) << "nothing has changed";
  EXPECT_EQ(update("night", {{"AllowGroups", "ALL"}}), "");
  EXPECT_TRUE(view().allow_groups.empty());
}

TEST_F(MadePartitions, MembersOfAGroupMaySubmitOnceTheHostKnowsTheGroup) {
  groups = {{"staff", AllowedGroup{"staff", 50, {"ada"}}}};
  ASSERT_EQ(create("night", {{"Nodes", "n2"}, {"AllowGroups", "staff"}}), "");
  EXPECT_EQ(refused_in("night"), "");
  EXPECT_TRUE(controller->unknown_groups().empty());
  groups = {};
  EXPECT_EQ(update("night", {{"AllowGroups", "staff"}}), "Invalid AllowGroups value: \"staff\"")
      << "it could not be looked up in time";
  restart();
  EXPECT_EQ(controller->unknown_groups(), std::vector<std::string>{"staff"});
  EXPECT_NE(refused_in("night").find("no lookup of group staff"), std::string::npos);
  EXPECT_EQ(update("night", {{"MaxTime", "30"}}), "") << "the setting needs no lookup";
  const auto found = [&](const std::optional<AllowedGroup>& staff) {
    controller->groups_found({{{"staff", staff}}});
    settle();
    std::string logged;
    for (const LogLine& one : controller->take<LogLine>())
      if (one.text.find("group=") != std::string::npos)
        logged += (one.level == LogLevel::Warning ? "! " : "") + one.text + "\n";
    return logged;
  };
  EXPECT_EQ(found(std::nullopt),
            "! the group cannot be looked up on this host: nobody may submit as its member; it is "
            "looked up again every 60 s group=\"staff\" partitions=\"night\"\n");
  EXPECT_EQ(found(std::nullopt), "") << "logged once";
  EXPECT_EQ(controller->unknown_groups(), std::vector<std::string>{"staff"});
  EXPECT_EQ(found(AllowedGroup{"staff", 50, {"ada"}}),
            "the group is found: its members may submit from now on group=\"staff\" "
            "partitions=\"night\"\n");
  EXPECT_TRUE(controller->unknown_groups().empty());
  EXPECT_EQ(refused_in("night"), "");
}

TEST_F(MadePartitions, BillingWeightsApplyToTheJobsOfThePartition) {
  const std::string weights = "cPu=1,mem=-0.5G,node=.3,energy=-10";
  ASSERT_EQ(create("night", {{"Nodes", "n2"}}), "");
  EXPECT_EQ(update("night", {{"TRESBillingWeights", weights}}), "");
  EXPECT_EQ(update("night", {{"TRESBillingWeights", "cpu=abc"}}),
            "\"cpu=abc\" is not a TRES weight");
  const auto view = [&] { return std::get<NodeList>(ask(ListNodes{}).body).partitions.at(1); };
  EXPECT_EQ(view().tres_billing_weights, weights);
  EXPECT_EQ(update("night", {{"TRESBillingWeights", "cpu=3"}}), "");
  const JobId id = submit(in("night"));
  const JobId other = submit({});
  const auto billing_of = [&](JobId job) {
    for (const TresUsage& one : usage_of(controller->cluster(), attempt(job),
                                         attempt(job).began + Milliseconds{1'000}, {}))
      if (one.tres == billing_tres) return one.seconds;
    return 0.0;
  };
  EXPECT_NEAR(billing_of(id), 3 * billing_of(other), 1e-6);
  EXPECT_EQ(update("night", {{"TRESBillingWeights", ""}}), "");
  EXPECT_EQ(view().tres_billing_weights, "");
  EXPECT_NEAR(billing_of(id), billing_of(other), 1e-6);
}

TEST_F(MadePartitions, InvalidPartitionsAreRefusedWithTheReason) {
  EXPECT_EQ(create("main", {{"Nodes", "ALL"}}), "there is already a partition \"main\"");
  EXPECT_EQ(create("a b", {{"Nodes", "ALL"}}), "\"a b\" is not a name for a partition");
  EXPECT_EQ(create("x", {}), "partition \"x\" needs nodes");
  EXPECT_EQ(create("x", {{"Nodes", "n9"}}), "there is no node \"n9\"");
  EXPECT_EQ(create("x", {{"Nodes", "ALL"}, {"Wat", "1"}}),
            "Update of this parameter is not supported: Wat");
  EXPECT_EQ(create("x", {{"Nodes", "ALL"}, {"Default", "YES"}}), "Invalid Default value: \"YES\"");
  EXPECT_EQ(create("x", {{"Nodes", "ALL"}, {"MinNodes", "3"}, {"MaxNodes", "2"}}),
            "MinNodes is more than MaxNodes");
  EXPECT_EQ(act(PartitionVerb::Create, "x", {{"Nodes", "ALL"}}, 7),
            "only the cluster's own user may do that");
  EXPECT_EQ(erase("main"), "partition \"main\" is defined in the configuration");
  EXPECT_EQ(update("main", {{"MaxTime", "30"}}),
            "\"MaxTime\" of this partition is set in the configuration");
  EXPECT_TRUE(store.tables().partitions.empty());
}

TEST_F(MadePartitions, APartitionOfTheConfigurationReplacesACreatedOneOfTheSameName) {
  create("night", {{"Nodes", "n2"}});
  PartitionConfig configured;
  configured.name = "night";
  config.partitions.push_back(configured);
  restart();
  EXPECT_EQ(shown(), (std::vector<std::string>{"main", "night"}));
  EXPECT_EQ(erase("night"), "partition \"night\" is defined in the configuration");
}

TEST(MadePartition, APartitionIsReadWithSlurmsSettingNames) {
  const auto made = made_partition(
      "x",
      {"Nodes=n[1-2]", "DefaultTime=10", "MaxTime=UNLIMITED", "MaxNodes=2", "AllowQOS=a,b",
       "AllowAccounts=Physics", "OverSubscribe=EXCLUSIVE", "PreemptMode=CANCEL", "PriorityTier=7",
       "MaxMemPerNode=UNLIMITED", "DefMemPerCPU=100", "Hidden=NO"},
      HostGroups{});
  ASSERT_TRUE(made) << made.refusal().fact;
  EXPECT_EQ(made->nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(made->time_limit_default_s, 600);
  EXPECT_EQ(made->time_limit_max_s, 0);
  EXPECT_EQ(made->max_nodes, 2);
  EXPECT_EQ(made->allow_qos, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(made->allow_accounts, std::vector<std::string>{"physics"});
  EXPECT_TRUE(made->exclusive);
  EXPECT_EQ(made->preempt_mode, PreemptMode::Cancel);
  EXPECT_EQ(made->priority_tier, 7);
  EXPECT_EQ(made->memory_mb_per_cpu_default, 100);
}

TEST(MadePartition, DefaultTimeAndMinNodesAreWithinMaxTimeAndMaxNodes) {
  const auto refused = [](std::vector<std::string> settings) {
    settings.insert(settings.begin(), "Nodes=ALL");
    const auto made = made_partition("x", settings, HostGroups{});
    return made ? "" : made.refusal().fact;
  };
  EXPECT_EQ(refused({"DefaultTime=60", "MaxTime=60"}), "");
  EXPECT_EQ(refused({"DefaultTime=61", "MaxTime=60"}), "DefaultTime is longer than MaxTime");
  EXPECT_EQ(refused({"DefaultTime=61", "MaxTime=NONE"}), "");
  EXPECT_EQ(refused({"MinNodes=2", "MaxNodes=2"}), "");
  EXPECT_EQ(refused({"MinNodes=3", "MaxNodes=2"}), "MinNodes is more than MaxNodes");
  EXPECT_EQ(refused({"MinNodes=3", "MaxNodes=UNLIMITED"}), "");
  EXPECT_EQ(refused({"QOS=night"}), "");
  EXPECT_EQ(refused({"QOS=a b"}), "Invalid QOS value: \"a b\"");
}

TEST(MadePartition, ASettingThatIsGivenTwiceTakesTheSecondValue) {
  const auto made = made_partition("x",
                                   {"Nodes=n1", "Nodes=ALL", "AllowQOS=a", "AllowQOS=b", "QOS=day",
                                    "QOS=night", "AllowAccounts=physics", "AllowAccounts=ALL"},
                                   HostGroups{});
  ASSERT_TRUE(made) << made.refusal().fact;
  EXPECT_TRUE(made->nodes.empty());
  EXPECT_EQ(made->allow_qos, std::vector<std::string>{"b"});
  EXPECT_TRUE(made->allow_accounts.empty());
  EXPECT_EQ(made->qos, "night");
}

}  // namespace
}  // namespace cox
