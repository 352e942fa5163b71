// Tests partitions in the controller: their states, changes of these, the jobs that may use them,
// and jobs that name several partitions.
#include <gtest/gtest.h>

#include "common/base/moment_text.h"
#include "common/cluster/unknown_group.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class Partitioned : public testing::Test, public Bench {
 protected:
  // Configures these partitions; the first is the default.
  void configure(std::vector<PartitionConfig> partitions) {
    partitions.front().is_default = true;
    config.partitions = std::move(partitions);
    restart();
  }
  static PartitionConfig of(const std::string& name, std::vector<std::string> nodes = {}) {
    PartitionConfig partition;
    partition.name = name;
    partition.nodes = std::move(nodes);
    return partition;
  }

  std::string update(const std::string& partition, const std::string& state,
                     const std::string& reason = "") {
    UpdatePartitions update{{partition}, {{"State", state}}};
    if (!reason.empty()) update.values.push_back({"Reason", reason});
    const auto acted = std::get<Acted>(ask(update).body);
    const auto& outcome = acted.outcomes.at(0);
    return outcome.refused ? outcome.refused->fact : outcome.done;
  }

  static Ask in(const std::string& partitions, std::int64_t tasks = 1) {
    return {.tasks = tasks, .with = [partitions](JobSpec& s) { s.partition = partitions; }};
  }
  Refusal refusal(const std::function<void(JobSpec&)>& edit) {
    SubmitJob s;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    edit(s.spec);
    const Reply reply = ask(s);
    const auto* refused = std::get_if<Refused>(&reply.body);
    return refused == nullptr ? Refusal{"", ""} : refused->why;
  }
  JobDetail detail(JobId id) { return std::get<JobDetail>(ask(ShowJob{id}).body); }
  std::string reason(JobId id) { return std::string(name(detail(id).view.reason)); }
  void end(JobId id) {
    ready(id);
    finish(id, 0);
  }
};

TEST_F(Partitioned, ASubmissionNotesThePartitionsThatAreLeftOut) {
  configure({of("main"), of("short")});
  node("n1", 8);
  update("short", "drain");
  SubmitJob s;
  s.spec.command = {"train"};
  s.spec.work_dir = "/home/u";
  s.spec.partition = "short,main";
  EXPECT_EQ(std::get<Submitted>(ask(s).body).note,
            "partition short takes no new jobs: it is DRAIN; the job can run only in main");
  s.spec.partition = "main";
  EXPECT_EQ(std::get<Submitted>(ask(s).body).note, "");
  const auto acted = std::get<Acted>(ask(UpdatePartitions{{"nope"}, {{"State", "UP"}}}).body);
  EXPECT_EQ(acted.outcomes.at(0).refused->hint, "`cox show partitions` lists them");
}

TEST_F(Partitioned, AChangeNotesThePartitionsThatAreLeftOut) {
  configure({of("main"), of("short")});
  node("n1", 8);
  const JobId id = submit({.with = [](JobSpec& s) { s.hold = true; }});
  update("short", "drain");
  const UpdateJobs change{{id}, {}, {"Partition"}, {"main,short"}};
  const auto acted = std::get<Acted>(ask(change).body);
  EXPECT_EQ(
      acted.outcomes.at(0).done,
      "changed: Partition=main,short; partition short takes no new jobs: it is DRAIN; the job "
      "can run only in main");
}

TEST_F(Partitioned, OnlyTheClusterOwnerChangesTheStateOfAPartition) {
  configure({of("gpu")});
  const Reply reply = ask_as(1001, UpdatePartitions{{"gpu"}, {{"State", "DOWN"}}});
  const auto outcome = std::get<Acted>(reply.body).outcomes.at(0);
  ASSERT_TRUE(outcome.refused) << outcome.done;
  EXPECT_EQ(outcome.refused->fact, "only the cluster's own user may do that");
  EXPECT_EQ(controller->cluster().partitions().row("gpu").state, PartitionState::Up);
}

TEST_F(Partitioned, WhileAPartitionIsDownJobsAreAcceptedAndWait) {
  configure({of("gpu")});
  node("n1", 8);
  const JobId running = submit({});
  ready(running);
  EXPECT_EQ(update("gpu", "down", "bad switch"),
            "is DOWN: jobs are accepted, but none starts; running jobs continue");
  const JobId waiting = submit({});
  EXPECT_EQ(state(running), "RUNNING");
  EXPECT_EQ(state(waiting), "PENDING");
  EXPECT_EQ(reason(waiting), "PartitionDown");
  EXPECT_EQ(detail(waiting).why,
            (std::vector<std::string>{
                "partition gpu is DOWN (bad switch); `cox partition up gpu` opens it again"}));
  restart();
  node("n1", 8);
  EXPECT_EQ(reason(waiting), "PartitionDown") << "kept over a restart";
  pass(Milliseconds{10'000});
  EXPECT_EQ(store.tables().waits.at(waiting).reason, "PartitionDown");
  EXPECT_EQ(update("gpu", "UP"), "is UP: jobs are accepted, and start");
  EXPECT_EQ(state(waiting), "CONFIGURING");
  EXPECT_EQ(store.tables().partitions.at("gpu").reason, "");
}

TEST_F(Partitioned, PendingJobsFollowTheStateOfTheirPartition) {
  configure({of("gpu")});
  node("n1", 1);
  const JobId first = submit({});
  const JobId second = submit({});
  EXPECT_EQ(reason(second), "Resources");
  update("gpu", "INACTIVE");
  EXPECT_EQ(reason(second), "PartitionInactive");
  end(first);
  EXPECT_EQ(state(second), "PENDING");
  EXPECT_EQ(refusal([](JobSpec&) {}).fact, "partition gpu takes no new jobs: it is INACTIVE");
  update("gpu", "DRAIN", "until Monday");
  EXPECT_EQ(state(second), "CONFIGURING");
  EXPECT_EQ(refusal([](JobSpec&) {}).fact,
            "partition gpu takes no new jobs: it is DRAIN (until Monday)");
}

TEST_F(Partitioned, UnknownStatesAndPartitionsAreRefused) {
  configure({of("gpu")});
  EXPECT_EQ(update("gpu", "sideways"), "\"sideways\" is not a state of a partition");
  EXPECT_EQ(update("gup", "DOWN"), "there is no partition \"gup\"");
  const auto acted = std::get<Acted>(ask(UpdatePartitions{{"gpu"}, {{"MaxTime", "1:00:00"}}}).body);
  EXPECT_EQ(acted.outcomes.at(0).refused->fact,
            "\"MaxTime\" of this partition is set in the configuration");
}

TEST_F(Partitioned, ARefusalNamesTheRuleAndThePartitionsThatWouldTakeTheJob) {
  struct Row {
    std::function<void(PartitionConfig&)> rule;
    std::function<void(JobSpec&)> job;
    const char* fact;
  };
  const auto plain = [](JobSpec&) {};
  const std::vector<Row> table = {
      {[](auto& p) { p.max_nodes = 2; }, [](auto& s) { s.nodes = s.tasks = 3; },
       "the job asks for 3 nodes; partition gpu allows at most 2 (max_nodes)"},
      {[](auto& p) { p.min_nodes = 2; }, [](auto& s) { s.nodes = s.tasks = 1; },
       "the job asks for 1 node; partition gpu wants at least 2 (min_nodes)"},
      {[](auto& p) { p.max_nodes = 2; }, [](auto& s) { s.node_sizes = "3-4"; },
       "the job asks for 3 nodes; partition gpu allows at most 2 (max_nodes)"},
      {[](auto& p) { p.max_memory_mb_per_node = 10; }, [](auto& s) { s.memory_mb_per_node = 11; },
       "--mem asks for 11 MB; partition gpu allows 10 on a node (max_memory_mb_per_node)"},
      {[](auto& p) { p.time_limit_max_s = 60; }, [](auto& s) { s.time_limit_s = 61; },
       "--time asks for 00:01:01; partition gpu allows at most 00:01:00 (time_limit_max)"},
      {[](auto& p) { p.allow_qos = {"critical"}; }, plain,
       "partition gpu takes only jobs of QOS critical; not \"standard\""},
      {[](auto& p) { p.deny_qos = {"standard"}; }, plain,
       "partition gpu takes no jobs of QOS standard"},
      {[](auto& p) {
         p.allow_accounts = {"physics", "maths"};
       },
       plain, "partition gpu takes only jobs of account physics, maths; this job has none"},
      {[](auto& p) {
         p.allow_groups = {{"staff", 50, {"eve"}}};
       },
       plain, "partition gpu takes only jobs of group staff; ada is in none of them"},
      {[](auto& p) { p.allow_groups = {unknown_group("staff")}; }, plain,
       "whether ada may use partition gpu is not known: no lookup of group staff on the "
       "controller's host has found it yet"},
      {[](auto& p) { p.qos = "gone"; }, plain,
       "partition gpu has the QOS \"gone\", which does not exist"},
  };
  for (const char* node_name : {"n1", "n2", "n3", "n4"}) node(node_name, 4);
  for (const Row& row : table) {
    PartitionConfig gpu = of("gpu");
    row.rule(gpu);
    configure({of("main"), gpu});
    const Refusal why = refusal([&](JobSpec& s) {
      s.partition = "gpu";
      row.job(s);
    });
    EXPECT_EQ(why.fact, row.fact);
    EXPECT_EQ(why.hint, "these would take it: --partition=main") << row.fact;
  }
}

TEST_F(Partitioned, AnAccountIsAllowedOrDeniedWithAllAccountsBelowIt) {
  PartitionConfig lab = of("lab");
  lab.allow_accounts = {"science"};
  PartitionConfig other = of("other");
  other.deny_accounts = {"science"};
  configure({of("main"), lab, other});
  node("n1", 4);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"add", "account", "science"},
        {"add", "account", "physics", "parent=science"},
        {"add", "user", "ada", "account=physics"}})
    ask(Administer{command, false});
  const auto why = [&](const std::string& partition) {
    return refusal([&](JobSpec& s) { s.partition = partition; }).fact;
  };
  EXPECT_EQ(why("lab"), "");
  EXPECT_EQ(why("other"), "partition other takes no jobs of account physics");
  EXPECT_EQ(why("main"), "");
}

TEST_F(Partitioned, ARefusalNamesOnlyPartitionsThatWouldTakeTheJob) {
  PartitionConfig one = of("one", {"n1"});
  one.max_nodes = 1;
  PartitionConfig night = of("night");
  night.hours = "nights";
  config.hours["nights"] = *parse_week_hours("18:00-08:00");
  now.wall = *parse_moment("2026-11-24T12:00:00Z");
  configure({of("main"), one, of("wd", {"n1", "n2"}), night});
  for (const char* node_name : {"n1", "n2", "n3"}) node(node_name, 4);
  const auto hint = [&](std::int64_t nodes) {
    return refusal([nodes](JobSpec& s) {
             s.partition = "one";
             s.nodes = s.tasks = nodes;
           })
        .hint;
  };
  EXPECT_EQ(hint(2), "these would take it: --partition=main,wd");
  EXPECT_EQ(hint(3), "these would take it: --partition=main") << "wd has two nodes";
  EXPECT_EQ(hint(4), "ask for fewer, or for another partition") << "no partition has four nodes";
  update("wd", "down");
  EXPECT_EQ(hint(2), "these would take it: --partition=main")
      << "in the others the job would only wait";
  update("main", "drain");
  EXPECT_EQ(hint(2),
            "these would take it, and start it when they are open again: --partition=wd,night");
}

TEST_F(Partitioned, AllowGroupsAdmitsUsersByPrimaryGroupAndByMembership) {
  node("n1", 4);
  for (const AllowedGroup& group : {AllowedGroup{"own", 1000, {}}, AllowedGroup{"x", 5, {"ada"}}}) {
    PartitionConfig gpu = of("gpu");
    gpu.allow_groups = {{"staff", 50, {}}, group};
    configure({gpu});
    EXPECT_EQ(refusal([](JobSpec&) {}).fact, "") << group.name;
  }
}

TEST_F(Partitioned, AGroupOfTheSettingsAdmitsItsMembersOnceItWasLookedUp) {
  node("n1", 4);
  PartitionConfig gpu = of("gpu");
  gpu.allow_groups = {unknown_group("staff")};
  configure({gpu});
  EXPECT_EQ(controller->unknown_groups(), std::vector<std::string>{"staff"});
  EXPECT_NE(refusal([](JobSpec&) {}).fact.find("no lookup of group staff"), std::string::npos);
  controller->groups_found({{{"staff", AllowedGroup{"staff", 50, {"ada"}}}}});
  settle();
  EXPECT_TRUE(controller->unknown_groups().empty());
  EXPECT_EQ(refusal([](JobSpec&) {}).fact, "");
}

TEST_F(Partitioned, ARefusalNamesTheRuleOfEachPartitionAndUnsuitablePartitionsAreLeftOut) {
  PartitionConfig small = of("small");
  small.max_nodes = 1;
  PartitionConfig brief = of("brief");
  brief.time_limit_max_s = 60;
  configure({of("main"), small, brief});
  for (const char* node_name : {"n1", "n2"}) node(node_name, 4);
  const Refusal why = refusal([](JobSpec& s) {
    s.partition = "brief,small";
    s.nodes = s.tasks = 2;
    s.time_limit_s = 100;
  });
  EXPECT_EQ(
      why.fact,
      "--time asks for 00:01:40; partition brief allows at most 00:01:00 (time_limit_max); the "
      "job asks for 2 nodes; partition small allows at most 1 (max_nodes)");
  EXPECT_EQ(why.hint, "these would take it: --partition=main");
  const JobId id = submit({.with = [](JobSpec& s) {
    s.partition = "brief,small,main";
    s.time_limit_s = 100;
  }});
  EXPECT_EQ(job(id).job.spec->partition, "small,main");
  EXPECT_EQ(refusal([](JobSpec& s) { s.partition = "main,nain"; }).fact,
            "there is no partition \"nain\"");
}

TEST_F(Partitioned, AJobRunsInTheFirstOfItsPartitionsWithRoom) {
  configure({of("a", {"n1"}), of("b", {"n2"})});
  node("n1", 2);
  node("n2", 2);
  const JobId first = submit(in("a,b", 2));
  const JobId second = submit(in("a,b", 2));
  EXPECT_EQ(attempt(first).partition, "a");
  EXPECT_EQ(attempt(second).partition, "b");
  EXPECT_EQ(nodes(second), "n2");
  const JobId third = submit(in("b,a", 2));
  EXPECT_EQ(state(third), "PENDING");
  EXPECT_EQ(detail(third).view.partition, "b,a");
  EXPECT_EQ(detail(second).view.partition, "b");
  const auto listed = std::get<JobList>(ask(ListJobs{{}, {}, "", "b", {}}).body);
  EXPECT_EQ(listed.jobs.size(), 2u);
  end(first);
  EXPECT_EQ(attempt(third).partition, "a");
  bool is_launched_in_b = false;
  for (const auto& [peer, prepare] : take<Prepare>())
    if (prepare.launch.key.job == second) is_launched_in_b = prepare.launch.spec.partition == "b";
  EXPECT_TRUE(is_launched_in_b) << "SLURM_JOB_PARTITION";
  restart();
  EXPECT_EQ(attempt(second).partition, "b");
}

TEST_F(Partitioned, AJobOfSeveralPartitionsStartsInOneThatIsUp) {
  configure({of("a", {"n1"}), of("b", {"n2"})});
  node("n1", 2);
  node("n2", 2);
  update("a", "DOWN");
  const JobId first = submit(in("a,b", 2));
  EXPECT_EQ(attempt(first).partition, "b");
  const JobId second = submit(in("a,b", 2));
  EXPECT_EQ(reason(second), "Resources");
  update("b", "INACTIVE");
  EXPECT_EQ(reason(second), "PartitionDown");
  EXPECT_EQ(detail(second).view.reason_detail, "partition a is DOWN; partition b is INACTIVE");
  update("a", "UP");
  EXPECT_EQ(attempt(second).partition, "a");
}

TEST_F(Partitioned, ThePartitionOfTheHigherTierIsTriedFirst) {
  PartitionConfig urgent = of("urgent");
  urgent.priority_tier = 5;
  configure({of("main"), urgent});
  node("n1", 2);
  const JobId running = submit({.tasks = 2, .qos = "critical"});
  const JobId critical = submit({.tasks = 2, .qos = "critical"});
  EXPECT_EQ(state(running), "CONFIGURING");
  const JobId low = submit(
      {.tasks = 2, .qos = "besteffort", .with = [](JobSpec& s) { s.partition = "main,urgent"; }});
  EXPECT_EQ(state(low), "PENDING") << "no job is preempted for a partition";
  end(running);
  EXPECT_EQ(state(low), "CONFIGURING") << "before the critical one";
  EXPECT_EQ(attempt(low).partition, "urgent");
  EXPECT_EQ(state(critical), "PENDING");
}

TEST_F(Partitioned, AnExclusivePartitionGivesWholeNodes) {
  PartitionConfig alone = of("alone");
  alone.exclusive = true;
  configure({alone, of("main")});
  node("n1", 4);
  const JobId first = submit({});
  EXPECT_EQ(attempt(first).nodes.at(0).grant.cpus, 4);
  EXPECT_EQ(reason(submit({})), "Resources");
  end(first);
}

TEST_F(Partitioned, AJobIsInThePartitionThatGaveItsNodes) {
  PartitionConfig alone = of("alone");
  alone.exclusive = true;
  configure({alone, of("main")});
  node("n1", 4);
  const JobId first = submit(in("main"));
  const JobId second = submit(in("alone,main"));
  EXPECT_EQ(attempt(first).partition, "main");
  EXPECT_EQ(attempt(second).partition, "main") << "the node is not empty";
}

TEST_F(Partitioned, ThePreemptModeOfAPartitionOverridesThatOfTheQos) {
  PartitionConfig safe = of("safe");
  safe.preempt_mode = PreemptMode::Off;
  PartitionConfig brutal = of("brutal");
  brutal.preempt_mode = PreemptMode::Cancel;
  configure({safe, brutal});
  node("n1", 1);
  const JobId kept = submit({.qos = "besteffort"});
  ready(kept);
  const JobId waiting = submit({.qos = "critical"});
  EXPECT_EQ(state(kept), "RUNNING");
  const auto acted = std::get<Acted>(ask(ActOnJobs{JobVerb::Preempt, {kept}}).body);
  EXPECT_EQ(acted.outcomes.at(0).refused->fact, "partition safe is never preempted");
  finish(kept, 0);
  end(waiting);
  const JobId victim = submit({.with = [](JobSpec& s) { s.partition = "brutal"; }});
  ready(victim);
  submit({.qos = "critical"});
  EXPECT_EQ(state(victim), "COMPLETING");
  EXPECT_FALSE(attempt(victim).stop.ask_checkpoint);
  auto gone = status_of(victim, NodePhase::Gone);
  gone.ranks = {{0, RankPhase::Exited, 0, 15, {}, now.wall, now.wall}};
  status("n1", gone);
  EXPECT_EQ(state(victim), "PREEMPTED");
}

TEST_F(Partitioned, TheLimitsOfAPartitionQosBindItsJobsToo) {
  PartitionConfig gpu = of("gpu");
  gpu.qos = "besteffort";
  configure({gpu, of("main")});
  for (Qos& qos : database->tables.qos)
    if (qos.name == "besteffort") {
      qos.limits.max_jobs_per_user = 1;
      qos.limits.max_tres_per_job = *parse_tres("cpu=2");
      qos.limits.grp_submit_jobs = 2;
      qos.limits.max_wall_s = 600;
    }
  pass(Milliseconds{2'000});
  pass(Milliseconds{0});
  node("n1", 8);
  const JobId first = submit({});
  EXPECT_EQ(job(first).job.spec->time_limit_s, 600);
  EXPECT_EQ(refusal([](JobSpec& s) { s.tasks = 3; }).fact,
            "partition gpu: QOS besteffort has MaxTRESPerJob=cpu=2, and the job asks for 3");
  const JobId second = submit({});
  EXPECT_EQ(reason(second), "QOSMaxJobsPerUserLimit");
  EXPECT_EQ(refusal([](JobSpec&) {}).fact,
            "QOS besteffort has GrpSubmitJobs=2, and there are 2 jobs that wait or run (ada 2)");
  EXPECT_EQ(state(submit(in("main", 3))), "CONFIGURING");
  end(first);
  EXPECT_EQ(state(second), "CONFIGURING");
}

TEST_F(Partitioned, NodeRangesAreCutToTheLimitsOfThePartition) {
  PartitionConfig gpu = of("gpu");
  gpu.min_nodes = 2;
  gpu.max_nodes = 3;
  configure({gpu});
  for (const char* node_name : {"n1", "n2", "n3", "n4"}) node(node_name, 1);
  const JobId id =
      submit({.nodes = 0, .tasks = 0, .with = [](JobSpec& s) { s.node_sizes = "1-9"; }});
  EXPECT_EQ(nodes(id), "n1n2n3");
}

TEST_F(Partitioned, APendingJobBeyondANewPartitionLimitShowsTheReason) {
  configure({of("gpu")});
  const JobId id = submit({.time_limit_s = 600});
  config.partitions.front().time_limit_max_s = 60;
  restart();
  node("n1", 4);
  EXPECT_EQ(reason(id), "PartitionTimeLimit");
  EXPECT_EQ(detail(id).view.reason_detail,
            "--time asks for 00:10:00; partition gpu allows at most 00:01:00 (time_limit_max)");
  config.partitions.front().time_limit_max_s = 0;
  config.partitions.front().min_nodes = 2;
  restart();
  EXPECT_EQ(reason(id), "PartitionNodeLimit");
  config.partitions.front().min_nodes = 0;
  restart();
  node("n1", 4);
  EXPECT_EQ(state(id), "CONFIGURING");
}

TEST_F(Partitioned, WithoutTimeAJobGetsTheShortestDefaultOfItsPartitions) {
  PartitionConfig a = of("a");
  a.time_limit_default_s = 3600;
  PartitionConfig b = of("b");
  b.time_limit_max_s = 600;
  configure({a, b, of("c")});
  node("n1", 4);
  EXPECT_EQ(job(submit(in("a"))).job.spec->time_limit_s, 3600);
  EXPECT_EQ(job(submit(in("a,b,c"))).job.spec->time_limit_s, 600);
  EXPECT_EQ(job(submit(in("c"))).job.spec->time_limit_s, 0);
}

TEST_F(Partitioned, AJobWhosePartitionIsGoneIsGivenANextStep) {
  configure({of("main"), of("debug")});
  const JobId id = submit(in("debug"));
  configure({of("main")});
  node("n1", 4);
  pass(Milliseconds{1000});
  const auto why = std::get<JobDetail>(ask(ShowJob{id}).body).why;
  EXPECT_EQ(std::ranges::count(why, "`cox update " + std::to_string(id.value) +
                                        " Partition=NAME` moves the job; or configure partition "
                                        "debug again"),
            1);
}

TEST_F(Partitioned, TheListOfPartitionsShowsTheirStatesAndRules) {
  PartitionConfig gpu = of("gpu", {"n1"});
  gpu.max_nodes = 4;
  gpu.allow_groups = {{"staff", 50, {}}};
  configure({of("main"), gpu});
  update("gpu", "DOWN", "bad switch");
  const auto list = std::get<NodeList>(ask(ListNodes{}).body);
  ASSERT_EQ(list.partitions.size(), 2u);
  const PartitionView& view = list.partitions[1];
  EXPECT_EQ(view.state, PartitionState::Down);
  EXPECT_EQ(view.reason, "bad switch");
  EXPECT_EQ(view.changed, now.wall);
  EXPECT_EQ(view.max_nodes, 4);
  EXPECT_EQ(view.allow_groups, std::vector<std::string>{"staff"});
  EXPECT_TRUE(list.partitions[0].is_default);
}

}  // namespace
}  // namespace cox
