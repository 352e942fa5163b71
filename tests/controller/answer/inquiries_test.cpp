// Tests the replies to requests of sprio, sdiag and scontrol.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "common/base/moment_text.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class Inquiries : public testing::Test, public Bench {
 protected:
  std::string setting(const std::vector<NamedValue>& all, const std::string& name) {
    for (const NamedValue& one : all)
      if (one.name == name) return one.value;
    return "none";
  }
  Configuration shown() { return std::get<Configuration>(ask(ShowConfiguration{}).body); }
  // Returns a line "Name=value" for each setting.
  static std::string lines_of(const std::vector<NamedValue>& all) {
    std::string lines;
    for (const NamedValue& one : all) lines += one.name + "=" + one.value + "\n";
    return lines;
  }
  // Returns the priority of a job as "JOB USER PARTITION QOS TIER: PRIORITY = FACTORS", such as "1
  // ada main standard 2: 400 = age100 size300".
  static std::string row_of(const JobPriority& one) {
    std::ostringstream text;
    text << one.job_name << " " << one.user_name << " " << one.partition << " " << one.qos << " "
         << one.tier << ": " << one.priority << " =";
    for (const PriorityFactor& factor : one.factors) text << " " << factor.name << factor.value;
    return text.str();
  }
  std::vector<std::int64_t> rows(const std::function<void(ListPriorities&)>& edit) {
    ListPriorities which;
    edit(which);
    const auto listed = std::get<PriorityList>(ask(which).body);
    std::vector<std::int64_t> ids;
    for (const JobPriority& one : listed.jobs) ids.push_back(one.id.value);
    return ids;
  }
  std::string counted(const std::string& name) {
    return setting(std::get<Statistics>(ask(ShowStatistics{}).body).values, name);
  }
};

TEST_F(Inquiries, AJobsPriorityIsTheSumOfItsFactors) {
  config.scheduling.priority.age = 350;
  config.scheduling.priority.max_age = std::chrono::hours{240};
  restart();
  const JobId id = submit({.time_limit_s = 60, .with = [](JobSpec& s) { s.nice = 10; }});
  const JobId held = submit({.with = [](JobSpec& s) { s.hold = true; }});
  now.wall += std::chrono::hours{24};
  const auto list = std::get<PriorityList>(ask(ListPriorities{}).body);
  ASSERT_EQ(list.jobs.size(), 1u) << held.value << " is held, and has none";
  const JobPriority& one = list.jobs[0];
  EXPECT_EQ(one.id, id);
  double sum = 0;
  for (const PriorityFactor& factor : one.factors) {
    sum += factor.value;
    if (factor.name == "age") {
      EXPECT_EQ(std::llround(factor.value), 35) << "350 in ten days";
    }
    if (factor.name == "nice") {
      EXPECT_EQ(factor.value, -10);
    }
  }
  EXPECT_DOUBLE_EQ(one.priority, sum);
  EXPECT_EQ(list.weights.front().name, "age");
  ListPriorities others;
  others.user_name = "bob";
  EXPECT_TRUE(std::get<PriorityList>(ask(others).body).jobs.empty());
}

TEST_F(Inquiries, StatisticsCountSubmittedStartedAndCompletedJobs) {
  node("n1", 2);
  const JobId id = submit({});
  submit({.with = [](JobSpec& s) { s.array = "0-9"; }});
  ready(id);
  EXPECT_EQ(counted("Jobs submitted"), "11");
  EXPECT_EQ(counted("Jobs started"), "1");
  finish(id, 0);
  EXPECT_EQ(counted("Jobs completed"), "1");
  const JobId failing = submit({.qos = "critical"});
  ask(ActOnJobs{JobVerb::Cancel, {failing}});
  EXPECT_EQ(counted("Jobs pending"), "8") << "two of the array have their CPUs";
}

TEST_F(Inquiries, OnlyItsOwnerReadsAScript) {
  SubmitJob with_script;
  with_script.request_id = "s";
  with_script.spec.form = JobForm::Batch;
  with_script.spec.work_dir = "/home/u";
  with_script.spec.nodes = with_script.spec.tasks = 1;
  with_script.script = "#!/bin/sh\nexit 0\n";
  const JobId id = std::get<Submitted>(ask(with_script).body).id;
  EXPECT_EQ(std::get<Script>(ask(ReadScript{id}).body).text, with_script.script);
  EXPECT_EQ(refusal_of(ask(ReadScript{JobId{9}})), "there never was a job 9");
  const JobId gang = submit({});
  EXPECT_EQ(refusal_of(ask(ReadScript{gang})), "job 2 has no batch script");
  user = "eve";
  EXPECT_EQ(refusal_of(ask_as(2000, ReadScript{id})), "job 1 belongs to ada");
  user = "ada";
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  pass(config.min_job_age + Milliseconds{1'000});
  ASSERT_EQ(controller->cluster().job(id), nullptr);
  EXPECT_EQ(refusal_of(ask(ReadScript{id})),
            "there is no job 1 among the queued and recently finished jobs");
}

TEST_F(Inquiries, TheScriptOfATaskIsThatOfItsArray) {
  SubmitJob array;
  array.request_id = "s";
  array.spec.form = JobForm::Batch;
  array.spec.work_dir = "/home/u";
  array.spec.nodes = array.spec.tasks = 1;
  array.spec.array = "0-3";
  array.script = "#!/bin/sh\nexit 0\n";
  const JobId id = std::get<Submitted>(ask(array).body).id;
  ReadScript which{id};
  which.task = 2;
  EXPECT_EQ(std::get<Script>(ask(which).body).text, array.script);
  which.task = 4;
  EXPECT_EQ(refusal_of(ask(which)),
            "there is no job 1_4 among the queued and recently finished jobs");
  EXPECT_EQ(refusal_of(ask(ReadScript{JobId{2}})), "there never was a job 2") << "the next id";
  array.request_id = "s2";
  array.spec.array = "1-3";
  which.id = std::get<Submitted>(ask(array).body).id;
  which.task = 0;
  EXPECT_EQ(refusal_of(ask(which)),
            "there is no job 2_0 among the queued and recently finished jobs");
  which.task = 1;
  EXPECT_EQ(std::get<Script>(ask(which).body).text, array.script);
}

TEST_F(Inquiries, EachPriorityFactorIsItsWeightTimesAFractionOfItsMaximum) {
  config.partitions = {{"main", {}, true, 0, 0, 0, 30}, {"other", {}, false, 0, 0, 0, 15}};
  config.scheduling.priority = {1'000, 0, 800, false, 5, 60, 90, 4'000, 1'000};
  config.scheduling.priority.max_age = std::chrono::hours{240};
  restart();
  for (const char* name : {"n1", "n2", "n3", "n4"}) node(name, 4, {}, {}, 1);
  ask(ActOnNodes{true, {"n1", "n2", "n3", "n4"}, "nobody starts"});
  const auto wide = [](JobSpec& s) {
    s.partition = "other";
    s.cpus_per_task = 2;
    s.gpus_per_node = 1;
    s.nice = 7;
  };
  submit({.nodes = 2, .tasks = 4, .with = wide});
  submit({.nodes = 2, .tasks = 4, .with = [&](JobSpec& s) {
            wide(s);
            s.form = JobForm::Batch;
            s.components.resize(1);
            s.components[0].nodes = 1;
            s.components[0].tasks = 4;
            s.components[0].gpus_per_node = 1;
          }});
  now.wall += std::chrono::hours{24};  // the jobs wait for a tenth of max_age
  const auto list = std::get<PriorityList>(ask(ListPriorities{}).body);
  ASSERT_EQ(list.jobs.size(), 2U);
  EXPECT_EQ(row_of(list.jobs[0]),
            "1 ada other standard 2: 3083 = age100 shortness0 size400 fair share0 partition30 "
            "QOS60 CPUs2000 GPUs500 site0 nice-7");
  EXPECT_EQ(row_of(list.jobs[1]),
            "2 ada other standard 2: 4533 = age100 shortness0 size600 fair share0 partition30 "
            "QOS60 CPUs3000 GPUs750 site0 nice-7");
  std::string weights;
  for (const PriorityFactor& one : list.weights)
    weights += one.name + "=" + std::to_string(std::llround(one.value)) + " ";
  EXPECT_EQ(weights,
            "age=1000 fair share=5 size=800 shortness=0 partition=60 QOS=90 CPUs=4000 GPUs=1000 ");
  EXPECT_EQ(std::get<JobDetail>(ask(ShowJob{JobId{1}}).body).priority_parts,
            (std::vector<std::string>{"age 100", "size 400", "partition 30", "QOS 60", "CPUs 2000",
                                      "GPUs 500", "nice -7"}));
}

// Job 1 waited for three hours, so job 2 goes first after about as long; after a restart, too.
TEST_F(Inquiries, AJobGoesFirstAfterAboutTheLongestWaitOfLate) {
  const auto first_after_h = [&](std::int64_t job) {
    const auto list = std::get<PriorityList>(ask(ListPriorities{}).body);
    const auto shown = std::get<JobDetail>(ask(ShowJob{JobId{job}}).body);
    EXPECT_EQ(shown.first_after_s, list.jobs.at(0).first_after_s);
    return static_cast<double>(shown.first_after_s) / 3600;
  };
  const JobId first = submit({.tasks = 2});
  EXPECT_EQ(first_after_h(1), 1) << "max_age_min";
  now.wall += std::chrono::hours{3};
  node("n1", 2);
  ready(first);
  EXPECT_EQ(std::get<JobDetail>(ask(ShowJob{first}).body).first_after_s, 0) << "it runs";
  submit({.tasks = 2});
  const double after = first_after_h(2);
  EXPECT_GT(after, 2.5);
  EXPECT_LE(after, 3);
  restart();
  node("n1", 2);
  EXPECT_EQ(first_after_h(2), after);
  config.scheduling.order = OrderPolicy::Fcfs;
  restart();
  EXPECT_EQ(first_after_h(2), 0) << "this order needs no guard";
}

// The time in which a job was held is no wait.
TEST_F(Inquiries, TheTimeInWhichAJobWasHeldDoesNotDecideWhenAnotherGoesFirst) {
  const JobId held = submit({.tasks = 1});
  ask(ActOnJobs{JobVerb::Hold, {held}});
  node("n1", 4);
  pass_with_beats(Milliseconds{10 * 3'600'000}, {"n1"});
  ask(ActOnJobs{JobVerb::Release, {held}});
  const Wall released = now.wall;
  ready(held);
  EXPECT_EQ(job(held).job.eligible, released);
  const JobId other = submit({.tasks = 4});
  EXPECT_EQ(std::get<JobDetail>(ask(ShowJob{other}).body).first_after_s, 3'600) << "max_age_min";
}

// The time in which a job waited for a limit does not count either.
TEST_F(Inquiries, AWaitForALimitDoesNotDecideWhenAnotherJobGoesFirst) {
  node("n1", 8);
  const auto one_job = submit({.tasks = 1, .with = [](JobSpec& s) { s.array = "0-1%1"; }});
  const JobId first{one_job.value + 1};
  ready(first);
  pass_with_beats(Milliseconds{10 * 3'600'000}, {"n1"});
  EXPECT_EQ(std::get<JobDetail>(ask(ShowJob{one_job}).body).view.reason,
            WaitReason::JobArrayTaskLimit);
  finish(first, 0);
  ready(one_job);
  const JobId other = submit({.tasks = 8});
  EXPECT_EQ(std::get<JobDetail>(ask(ShowJob{other}).body).first_after_s, 3'600) << "max_age_min";
}

TEST_F(Inquiries, PrioritiesAreListedForTheQueuedJobsThatMatchTheRequest) {
  config.partitions.push_back({"other", {}, false, 0, 0, 0});
  config.scheduling.order = OrderPolicy::ShortestFirst;
  restart();
  submit({.time_limit_s = 60});
  submit({.with = [](JobSpec& s) { s.partition = "other"; }});
  submit({.with = [](JobSpec& s) { s.hold = true; }});
  user = "bob";
  submit({});
  using Ids = std::vector<std::int64_t>;
  using L = ListPriorities;
  EXPECT_EQ(rows([](L&) {}), (Ids{1, 2, 4}));
  EXPECT_EQ(rows([](L& l) { l.user_name = "ada"; }), (Ids{1, 2}));
  EXPECT_EQ(rows([](L& l) { l.partition = "main"; }), (Ids{1, 4}));
  EXPECT_EQ(rows([](L& l) { l.partition = "main", l.user_name = "bob"; }), (Ids{4}));
  EXPECT_EQ(rows([](L& l) { l.ids = {JobId{4}, JobId{3}, JobId{1}}; }), (Ids{1, 4}));
  EXPECT_EQ(rows([](L& l) { l.after = JobId{1}; }), (Ids{2, 4}));
  const auto list = std::get<PriorityList>(ask(ListPriorities{}).body);
  EXPECT_TRUE(list.weights.empty()) << "no weights in this order";
  EXPECT_FALSE(list.more);
  EXPECT_EQ(row_of(list.jobs.at(0)), "1 ada main standard 2: -60 =");
}

TEST_F(Inquiries, StatisticsCountJobsByOutcome) {
  node("n1", 1);
  const Wall since = now.wall;
  for (const int code : {0, 3}) {
    const JobId id = submit({});
    ready(id);
    finish(id, code);
  }
  ready(submit({}));
  submit({.with = [](JobSpec& s) { s.array = "0-3"; }});
  submit({.with = [](JobSpec& s) { s.hold = true; }});
  ask(ActOnJobs{JobVerb::Cancel, {submit({})}});
  pass(Milliseconds{1'000});
  auto answer = std::get<Statistics>(ask(ShowStatistics{}).body);
  EXPECT_EQ(answer.since, since);
  EXPECT_EQ(answer.now, now.wall);
  ASSERT_EQ(answer.values.back().name, "Turns");
  EXPECT_NE(answer.values.back().value, "0");
  answer.values.pop_back();
  const std::string cycles = lines_of({answer.values.begin() + 9, answer.values.begin() + 13});
  answer.values.erase(answer.values.begin() + 9, answer.values.begin() + 13);
  EXPECT_EQ(lines_of(answer.values),
            "Server thread count=1\nAgent queue size=1\nJobs submitted=9\nJobs started=3\n"
            "Jobs completed=1\nJobs canceled=1\nJobs failed=1\nJobs pending=5\nJobs running=1\n"
            "Last queue length=4\n");
  EXPECT_EQ(cycles, "Last cycle=0\nMax cycle=0\nTotal cycles=0\nMean cycle=0\n")
      << "no cycle has been measured";
  controller->note_run(Microseconds{30});
  submit({});
  controller->note_run(Microseconds{10});
  EXPECT_EQ(counted("Last cycle") + " " + counted("Max cycle") + " " + counted("Total cycles") +
                " " + counted("Mean cycle"),
            "10 30 2 20");
}

// Returns the settings without the two version numbers, which differ in each release.
std::vector<NamedValue> but_versions(std::vector<NamedValue> all) {
  std::erase_if(all, [](const NamedValue& one) {
    return one.name == "CoxswainVersion" || one.name == "SLURM_VERSION";
  });
  return all;
}

TEST_F(Inquiries, TheConfigurationIsShownWithTheNamesOfSlurmsSettings) {
  config.scheduling.licences = {{"ansys", 1}, {"matlab", 3}};
  config.max_array_size = 71;
  config.max_jobs = 72;
  config.site = {"/prolog", "/epilog", "/task-prolog", "/task-epilog", 1'000};
  config.prolog_program = "/allocation-prolog";
  config.epilog_program = "/allocation-epilog";
  config.scheduling.priority = {1, 2, 3, false, 4, 5, 6, 7, 8};
  restart();
  node("n1", 2);
  const Configuration answer = shown();
  EXPECT_EQ(answer.now, now.wall);
  EXPECT_EQ(answer.settings.size() - but_versions(answer.settings).size(), 2U);
  EXPECT_EQ(lines_of(but_versions(answer.settings)),
            "AccountingStorageEnforce=none\n"
            "AccountingStorageTRES=cpu,mem,node,billing,gres/gpu\n"
            "AccountingStorageType=accounting_storage/slurmdbd\n"
            "BOOT_TIME=" +
                moment_text(now.wall) +
                "\nClusterName=coxswain\n"
                "JobAcctGatherType=jobacct_gather/linux\n"
                "DependencyParameters=(null)\n"
                "KillWait=30 sec\n"
                "Licenses=ansys:1,matlab:3\n"
                "MinJobAge=300 sec\n"
                "PreemptExemptTime=00:00:00\n"
                "PreemptMode=REQUEUE\n"
                "PreemptType=preempt/qos\n"
                "ReturnToService=2\n"
                "SchedulerType=sched/backfill\n"
                "ScronParameters=enable,explicit_scancel\n"
                "SelectType=select/cons_tres\n"
                "SelectTypeParameters=CR_CPU_MEMORY\n"
                "SlurmUser=(1000)\n"
                "SlurmctldPort=\n"
                "SlurmctldTimeout=600 sec\n"
                "SlurmdPort=0\n"
                "SlurmdTimeout=15 sec\n"
                "StateSaveLocation=PostgreSQL\n"
                "TopologyPlugin=topology/default\n"
                "PriorityType=priority/multifactor\n"
                "PriorityDecayHalfLife=7-00:00:00\n"
                "PriorityCalcPeriod=00:05:00\n"
                "PriorityMaxAge=60-00:00:00\n"
                "PriorityFavorSmall=No\n"
                "PriorityWeightAge=1\n"
                "PriorityWeightFairShare=4\n"
                "PriorityWeightJobSize=3\n"
                "PriorityWeightPartition=5\n"
                "PriorityWeightQOS=6\n"
                "PriorityWeightTRES=CPU=7,GRES/gpu=8\n"
                "MaxArraySize=71\n"
                "MaxJobCount=72\n"
                "MaxNodeCount=1\n"
                "MaxStepCount=10000\n"
                "MaxTasksPerNode=262144\n"
                "DefMemPerNode=UNLIMITED\n"
                "MaxMemPerNode=UNLIMITED\n"
                "NEXT_JOB_ID=1\n"
                "Epilog=/epilog\n"
                "EpilogSlurmctld=/allocation-epilog\n"
                "Prolog=/prolog\n"
                "JobSubmitPlugins=\n"
                "PrologEpilogTimeout=300\n"
                "PrologFlags=Alloc\n"
                "PrologSlurmctld=/allocation-prolog\n"
                "TaskEpilog=/task-epilog\n"
                "TaskProlog=/task-prolog\n");
}

TEST_F(Inquiries, TheShownConfigurationFollowsTheSettingsAndListsTheSwitches) {
  config.kill_invalid_depend = true;
  config.scheduling.order = OrderPolicy::Fcfs;
  config.scheduling.backfill.reservations = 0;
  config.scheduling.priority.favor_small = true;
  config.usage.half_life = Milliseconds{999};
  config.usage.period = Milliseconds{1'000};
  config.listen_tcp = "tcp://[::]:6820";
  config.domains = {{"n1", {"core", "leaf1"}}, {"n2", {"core", "leaf2"}}, {"n3", {"top", "leaf3"}}};
  restart();
  ask(Administer{{"add", "account", "physics"}, false});
  ask(Administer{{"add", "user", "ada", "account=physics"}, false});
  const Configuration answer = shown();
  const auto is = [&](const std::string& name) { return setting(answer.settings, name); };
  EXPECT_EQ(is("AccountingStorageEnforce"), "associations,limits,qos");
  EXPECT_EQ(is("DependencyParameters"), "kill_invalid_depend");
  EXPECT_EQ(is("PriorityType"), "priority/basic");
  EXPECT_EQ(is("SchedulerType"), "sched/builtin");
  EXPECT_EQ(is("PriorityFavorSmall"), "Yes");
  EXPECT_EQ(is("PriorityDecayHalfLife"), "00:00:00");
  EXPECT_EQ(is("PriorityCalcPeriod"), "00:00:01");
  EXPECT_EQ(is("SlurmctldPort"), "6820");
  EXPECT_EQ(is("TopologyPlugin"), "topology/tree");
  std::string switches;
  for (const SwitchView& one : answer.switches)
    switches +=
        one.name + " " + std::to_string(one.level) + " " + one.nodes + " " + one.switches + "\n";
  EXPECT_EQ(switches,
            "leaf1 0 n1 \nleaf2 0 n2 \nleaf3 0 n3 \ncore 1 n[1-2] leaf[1-2]\ntop 1 n3 leaf3\n");
}

}  // namespace
}  // namespace cox
