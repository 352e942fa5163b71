// Tests quotas of accounts in the controller: what is guaranteed to, deserved by and lent to an
// account, what KeptTRES reserves for a QOS, and the texts about these.
#include <gtest/gtest.h>

#include <utility>

#include "tests/controller/accounts_story.h"

namespace cox {
namespace {

class QuotasStory : public AccountsStory {
 protected:
  // Sets up eight GPUs. Account physics deserves two of them, and biology six, four of which are
  // guaranteed to biology.
  void lab() {
    node("n1", 8, {}, {}, 4);
    node("n2", 8, {}, {}, 4);
    tree();
    sacctmgr("modify account physics set deserved=gres/gpu=2");
    sacctmgr("modify account biology set deserved=gres/gpu=6 guarantee=gres/gpu=4");
  }
  static std::function<void(JobSpec&)> gpus(std::int64_t count,
                                            const std::string& qos = "standard") {
    return [=](JobSpec& s) { s.gpus_per_node = count, s.qos = qos; };
  }
  // Submits a job of `count` GPUs for the user, expects that it is placed at once, and starts it.
  JobId runs_as(const std::string& who, std::int64_t count, const std::string& qos = "standard") {
    const JobId id = submit_as(who, gpus(count, qos));
    EXPECT_EQ(state(id), "CONFIGURING");
    ready(id);
    return id;
  }
};

TEST_F(QuotasStory, IdleResourcesAreLentAndReturnedWhenTheirAccountNeedsThem) {
  lab();
  const JobId first = runs_as("ada", 4);
  const JobId second = runs_as("ada", 4);
  pass(std::chrono::minutes{10});
  const JobId biology = submit_as("eve", gpus(4));
  EXPECT_EQ(state(biology), "PENDING");
  EXPECT_EQ((state(first) == "SIGNALING") + (state(second) == "SIGNALING"), 1);
  const JobId victim = state(first) == "SIGNALING" ? first : second;
  finish(victim, 0, true, 10);
  EXPECT_EQ(state(biology), "CONFIGURING");
  EXPECT_EQ(state(victim), "PENDING");
  EXPECT_EQ(state(victim == first ? second : first), "RUNNING");
}

TEST_F(QuotasStory, APendingJobShowsWhatItsAccountHasAndItsFairShare) {
  lab();
  const JobId runs = runs_as("eve", 4);
  const JobId more = runs_as("eve", 4);
  const JobId physics = submit_as("ada", gpus(4));
  EXPECT_EQ(reason(physics), "Resources");
  const auto reasons = why(physics);
  EXPECT_NE(std::ranges::find(reasons,
                              "account physics has 0 gres/gpu; its fair share now is 2, deserved "
                              "2"),
            reasons.end())
      << joined(reasons, "\n");
  EXPECT_EQ(state(runs), "RUNNING") << "four are more than the share of physics";
  EXPECT_EQ(state(more), "RUNNING");
}

TEST_F(QuotasStory, AGuaranteedJobPreemptsJobsOfAnotherAccountWhateverTheirQos) {
  lab();
  sacctmgr("modify qos critical set preemptmode=requeue");
  const JobId urgent = runs_as("ada", 4, "critical");
  const JobId other = runs_as("ada", 4, "critical");
  const JobId biology = submit_as("eve", gpus(4, "besteffort"));
  EXPECT_EQ(state(biology), "PENDING");
  EXPECT_EQ((state(urgent) == "RUNNING") + (state(other) == "RUNNING"), 1)
      << "one of the two is preempted for the guarantee";
}

TEST_F(QuotasStory, NoQosTakesWhatIsGuaranteedToAnotherAccount) {
  lab();
  const JobId guaranteed = runs_as("eve", 4, "besteffort");
  const JobId own = runs_as("ada", 4, "besteffort");
  sacctmgr("modify account physics set deserved=gres/gpu=4");
  const JobId urgent = submit_as("ada", gpus(4, "critical"));
  EXPECT_EQ(state(own), "COMPLETING") << "best effort is not asked to save";
  finish(own, 143);
  EXPECT_EQ(state(urgent), "CONFIGURING");
  const JobId another = submit_as("ada", gpus(1, "critical"));
  EXPECT_EQ(state(another), "PENDING");
  EXPECT_EQ(state(guaranteed), "RUNNING");
}

// Jobs of QOS critical are never preempted, so they may not borrow what other accounts deserve.
TEST_F(QuotasStory, JobsThatAreNeverPreemptedStayWithinWhatTheirAccountDeserves) {
  lab();
  EXPECT_EQ(refusal_as("ada", gpus(3, "critical")),
            "account physics deserves gres/gpu=2, and jobs of QOS critical cannot be preempted, so "
            "they may use no more; the job asks for 3");
  runs_as("ada", 2, "critical");
  const JobId more = submit_as("ada", gpus(1, "critical"));
  EXPECT_EQ(reason(more), "AssocGrpGRES");
  EXPECT_EQ(
      why(more).at(1),
      "account physics: Deserved gres/gpu for non-preemptible jobs is 2: 2 in use by job 1 of "
      "ada, and it asks for 1");
}

TEST_F(QuotasStory, AnAccountBorrowsOnlyUpToItsLimit) {
  lab();
  sacctmgr("modify account physics set grptres=gres/gpu=4");
  runs_as("ada", 4);
  const JobId beyond = submit_as("ada", gpus(1));
  EXPECT_EQ(reason(beyond), "AssocGrpGRES");
  EXPECT_EQ(why(beyond).at(1),
            "account physics: GrpTRES gres/gpu is 4: 4 in use by job 1 of ada, and it asks for 1");
}

TEST_F(QuotasStory, ALimitOfAGpuTypeCountsJobsThatNameNoType) {
  node("n1", 8, {}, {}, 4);  // h100
  tree();
  sacctmgr("modify account physics set grptres=gres/gpu:h100=2");
  runs_as("ada", 2);
  const JobId any = submit_as("ada", gpus(1));
  EXPECT_EQ(reason(any), "AssocGrpGRES") << "it says no type, and there is none but h100";
  sacctmgr("modify account physics set grptres=gres/gpu:h100=-1");
  EXPECT_EQ(state(any), "CONFIGURING");
}

TEST_F(QuotasStory, KeptTresReservesRoomForAQos) {
  node("n1", 8);
  sacctmgr("modify qos critical set kepttres=cpu=2");
  const JobId most = submit_as("ada", [](JobSpec& s) { s.cpus_per_task = 5; });
  EXPECT_EQ(state(most), "CONFIGURING");
  const JobId standard = submit_as("ada", [](JobSpec& s) { s.cpus_per_task = 2; });
  EXPECT_EQ(reason(standard), "QOSGrpCpuLimit");
  EXPECT_EQ(why(standard).at(1),
            "QOS critical: KeptTRES cpu is 2 of 8: 5 in use by job 1 of ada, and it asks for 2");
  const JobId urgent =
      submit_as("ada", [](JobSpec& s) { s.cpus_per_task = 3, s.qos = "critical"; });
  EXPECT_EQ(state(urgent), "CONFIGURING") << "at once";
  node("n2", 8);
  EXPECT_EQ(state(standard), "CONFIGURING") << "there is more now";
}

TEST_F(QuotasStory, AJobLargerThanAllUnreservedRoomIsRefusedOrShowsThatItWaits) {
  node("n1", 8, {}, {}, 4);  // h100
  node("n2", 8, {}, {}, 4);
  sacctmgr("modify qos critical set kepttres=cpu=6,gres/gpu:h100=6");
  ask(ActOnNodes{true, {"n2"}, "a test"});
  const auto cpus = [](std::int64_t count) {
    return [=](JobSpec& s) { s.tasks = count, s.nodes = 2; };
  };
  EXPECT_EQ(refusal_as("ada", cpus(11)),
            "this cluster can never run it in QOS standard: it has cpu=16, of which 6 are reserved "
            "for QOS critical, and the job asks for 11");
  EXPECT_EQ(refusal_as("ada", gpus(3)),
            "this cluster can never run it in QOS standard: it has gres/gpu:h100=8, of which 6 are "
            "reserved for QOS critical, and the job asks for 3")
      << "there is no other type that it could have";
  EXPECT_EQ(refusal_as("ada", gpus(4, "critical")), "");
  const JobId waits = submit_as("ada", cpus(10));
  EXPECT_EQ(reason(waits), "ReqNodeNotAvail") << "the node may come back";
  submit_as("ada");
  ask(ActOnNodes{false, {"n2"}, ""});
  sacctmgr("modify qos critical set kepttres=cpu=7");
  EXPECT_NE(
      joined(why(waits), "\n")
          .find(
              "and it asks for 10; all nodes together have 16, so it waits until less is reserved "
              "or nodes are added"),
      std::string::npos)
      << joined(why(waits), "\n");
  sacctmgr("modify qos critical set kepttres=cpu=20");
  EXPECT_EQ(
      refusal_as("ada"),
      "this cluster can never run it in QOS standard: it has cpu=16, of which 20 are reserved "
      "for QOS critical, and the job asks for 1");
}

// KeptTRES reserves two of the eight GPUs for a QOS; the other six are just those that are
// guaranteed to the two accounts.
TEST_F(QuotasStory, AGuaranteeIsMetBesideKeptTres) {
  lab();
  sacctmgr("modify account physics set guarantee=gres/gpu=2");
  sacctmgr("modify qos critical set kepttres=gres/gpu=2");
  const JobId gang = runs_as("ada", 4);
  const JobId lent = runs_as("ada", 2);
  pass(std::chrono::minutes{10});
  const JobId biology = submit_as("eve", gpus(4));
  EXPECT_EQ(state(lent), "SIGNALING") << "the job runs only on lent GPUs";
  EXPECT_EQ(state(gang), "RUNNING");
  finish(lent, 0, true, 10);
  EXPECT_EQ(state(biology), "CONFIGURING");
  EXPECT_EQ(reason(submit_as("eve", gpus(1))), "QOSGrpGRES") << "more than is guaranteed";
  ready(biology);
  sacctmgr("modify qos critical set kepttres=gres/gpu=-1");
  const JobId more = submit_as("eve", gpus(4));
  EXPECT_NE(joined(why(more), "\n")
                .find("; without it its account would have less than its guarantee, so it "
                      "can be preempted only for the guarantee of another account"),
            std::string::npos)
      << joined(why(more), "\n");
}

TEST_F(QuotasStory, GuaranteesAndKeptTresThatExceedTheClusterAreWarnedOf) {
  lab();
  EXPECT_EQ(sacctmgr("modify qos critical set kepttres=gres/gpu=4"),
            " Modified qos...\n  critical");
  const std::string fact =
      " Warning: guarantees add up to gres/gpu=4, KeptTRES reserves gres/gpu=5, and the cluster "
      "has "
      "only gres/gpu=8; guarantees take precedence over KeptTRES";
  EXPECT_EQ(sacctmgr("modify qos critical set kepttres=gres/gpu=5"),
            " Modified qos...\n  critical\n" + fact);
  EXPECT_EQ(sacctmgr("modify account biology set guarantee=gres/gpu=4"),
            " Modified account associations...\n  biology\n" + fact);
  EXPECT_EQ(refusal_as("eve", gpus(4)), "") << "it is guaranteed that many";
}

TEST_F(QuotasStory, KeptTresDoesNotPreventPreemptionBetweenOtherQos) {
  node("n1", 8);
  sacctmgr("modify qos critical set kepttres=cpu=2");
  const JobId low = submit_as("ada", [](JobSpec& s) { s.cpus_per_task = 6, s.qos = "besteffort"; });
  ready(low);
  const JobId standard = submit_as("ada", [](JobSpec& s) { s.cpus_per_task = 6; });
  EXPECT_EQ(state(low), "COMPLETING") << "the standard job preempts it";
  finish(low, 143);
  EXPECT_EQ(state(standard), "CONFIGURING");
}

TEST_F(QuotasStory, ContradictoryQuotasAreRefused) {
  tree();
  for (const auto& [command, refusal] : std::vector<std::pair<const char*, const char*>>{
           {"modify user ada set guarantee=cpu=2",
            "guarantee can be set only for accounts below the root"},
           {"modify account root set deserved=cpu=2",
            "deserved can be set only for accounts below the root"},
           {"modify account physics set deserved=license/matlab=2",
            "deserved counts only resources of nodes, not license/matlab"},
           {"modify qos critical set kepttres=license/matlab=2",
            "kepttres counts only resources of nodes, not license/matlab"},
           {"modify account physics set guarantee=cpu=4 deserved=cpu=2",
            "guarantee=cpu=4 is more than deserved=cpu=2"},
           {"modify account physics set guarantee=cpu=4 grptres=cpu=2",
            "guarantee=cpu=4 is more than GrpTRES=cpu=2"},
           {"add account sales deserved=cpu=4,mem=10 grptres=cpu=2",
            "deserved=cpu=4 is more than GrpTRES=cpu=2"}})
    EXPECT_EQ(sacctmgr(command), refusal) << command;
}

TEST_F(QuotasStory, QuotasThatContradictInSomeHoursAreRefused) {
  config.hours["nights"] = *parse_week_hours("Mon-Fri 18:00-08:00");
  restart();
  tree();
  EXPECT_EQ(sacctmgr("modify account physics set deserved=cpu=4,cpu=1@nights guarantee=cpu=2"),
            "guarantee=cpu=2 is more than deserved=cpu=1 (hours nights)");
  EXPECT_EQ(sacctmgr("modify account physics set deserved=cpu=4,cpu=1@nights "
                     "guarantee=cpu=2,cpu=1@nights"),
            " Modified account associations...\n  physics");
}

// Guarantees that exceed the cluster are accepted, as the administrator guide says, but the reply
// warns, since they may be a mistake.
TEST_F(QuotasStory, GuaranteesThatAddUpToTooMuchAreWarnedOf) {
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set guarantee=cpu=3");
  EXPECT_EQ(
      sacctmgr("modify account lattice set guarantee=cpu=4"),
      " Modified account associations...\n  lattice\n"
      " Warning: the accounts below physics are guaranteed cpu=4 together, and physics itself "
      "cpu=3; the greater amount is guaranteed");
  EXPECT_EQ(sacctmgr("modify account biology set guarantee=cpu=4"),
            " Modified account associations...\n  biology");
  EXPECT_EQ(sacctmgr("modify account biology set guarantee=cpu=5"),
            " Modified account associations...\n  biology\n"
            " Warning: guarantees add up to cpu=9, and the cluster has cpu=8; they are met in "
            "proportion");
}

TEST_F(QuotasStory, QuotasSurviveARestart) {
  lab();
  runs_as("ada", 4);
  runs_as("ada", 4);
  restart();
  node("n1", 8, {}, {}, 4);
  node("n2", 8, {}, {}, 4);
  const JobId biology = submit_as("eve", gpus(4));
  EXPECT_EQ(state(biology), "PENDING");
  EXPECT_EQ(controller->engine(now).claims().count(biology), 1u)
      << "a victim is being stopped for it";
}

// The first job runs on a drained node, so the CPUs that KeptTRES reserves are all on the other
// node.
TEST_F(QuotasStory, JobsOnDrainedNodesDoNotUseUpKeptTres) {
  node("n1", 8);
  node("n2", 8);
  sacctmgr("modify qos critical set kepttres=cpu=2");
  const JobId first = submit_as("ada", [](JobSpec& s) { s.cpus_per_task = 8; });
  ready(first);
  ask(ActOnNodes{true, {attempt(first).nodes.at(0).grant.node}, "a test"});
  EXPECT_EQ(state(submit_as("ada", [](JobSpec& s) { s.cpus_per_task = 6; })), "CONFIGURING");
  EXPECT_EQ(reason(submit_as("ada")), "QOSGrpCpuLimit");
}

TEST_F(QuotasStory, ADeletedQosOrAccountBindsNoJob) {
  node("n1", 8);
  submit_as("ada");
  sacctmgr("add qos infer priority=5 kepttres=cpu=7");
  const JobId waits = submit_as("ada");
  EXPECT_EQ(reason(waits), "QOSGrpCpuLimit");
  sacctmgr("delete qos infer");
  EXPECT_EQ(state(waits), "CONFIGURING");
  tree();
  sacctmgr("add account sales");
  sacctmgr("modify account sales set deserved=cpu=4");
  const auto critical = [](JobSpec& s) { s.qos = "critical"; };
  EXPECT_EQ(refusal_as("eve", critical),
            "account biology deserves cpu=0, and jobs of QOS critical cannot be preempted, so they "
            "may use no more; the job asks for 1");
  sacctmgr("delete account sales");
  EXPECT_EQ(state(submit_as("eve", critical)), "CONFIGURING");
}

TEST_F(QuotasStory, AnAccountDeservesWhatTheAccountsBelowItDeserve) {
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set deserved=cpu=1");
  sacctmgr("modify account lattice set deserved=cpu=4");
  const JobId firm = submit_as("ada", [](JobSpec& s) { s.qos = "critical", s.cpus_per_task = 4; });
  EXPECT_EQ(state(firm), "CONFIGURING");
}

TEST_F(QuotasStory, ThePartitionAlsoDecidesWhetherAJobIsPreemptible) {
  config.partitions.push_back({"firm", {}, false, 0, 0, 0});
  config.partitions.back().preempt_mode = PreemptMode::Off;
  restart();
  node("n1", 8);
  tree();
  sacctmgr("modify account physics set deserved=cpu=2");
  const auto in_firm = [](JobSpec& s) { s.partition = "firm", s.cpus_per_task = 3; };
  EXPECT_EQ(refusal_as("ada", in_firm),
            "account physics deserves cpu=2, and jobs of QOS standard cannot be preempted, so they "
            "may use no more; the job asks for 3");
  EXPECT_EQ(refusal_as("ada", [](JobSpec& s) { s.cpus_per_task = 3; }), "");
}

TEST_F(QuotasStory, AQosOrAccountAddedAndDeletedInOneTurnLeavesNothing) {
  database->tables.asked = {{7, "admin", "add qos night priority=0"},
                            {8, "admin", "delete qos night"},
                            {9, "admin", "add account sales"},
                            {10, "admin", "delete account sales"}};
  pass(std::chrono::seconds{1});
  pass(std::chrono::seconds{1});
  ASSERT_EQ(store.tables().answered.size(), 4u);
  EXPECT_FALSE(controller->cluster().accounting().qos().contains("night"));
  EXPECT_EQ(controller->cluster().accounting().accounts().account("sales"), nullptr);
}

}  // namespace
}  // namespace cox
