// Tests limits of QOS in the controller: what each keeps pending or refuses, and the texts about
// it.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class QosLimit : public testing::Test, public Bench {
 protected:
  // Changes the limits of QOS standard in the database, as an administrator does by SQL. The
  // controller reads the changed row by itself within 2 s.
  void set(const std::function<void(QosLimits&)>& change) {
    for (Qos& qos : database->tables.qos)
      if (qos.name == "standard") change(qos.limits);
    pass(Milliseconds{2'000});
    pass(Milliseconds{0});
  }
  static TresList tres(const std::string& text) { return *parse_tres(text); }

  std::string refusal(const std::function<void(JobSpec&)>& edit) {
    SubmitJob s;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    edit(s.spec);
    return refusal_of(ask(s));
  }
  JobDetail detail(JobId id) { return std::get<JobDetail>(ask(ShowJob{id}).body); }
  std::string reason(JobId id) { return std::string(name(detail(id).view.reason)); }
};

TEST_F(QosLimit, EachLimitKeepsAJobPendingUntilThereIsRoomAgain) {
  struct Row {
    const char* reason;
    std::function<void(QosLimits&)> limit;
    std::function<void(JobSpec&)> job;  // two such jobs exceed the limit
  };
  const auto plain = [](JobSpec&) {};
  const std::vector<Row> table = {
      {"QOSGrpJobsLimit", [](QosLimits& l) { l.grp_jobs = 1; }, plain},
      {"QOSGrpCpuLimit", [](QosLimits& l) { l.grp_tres = tres("cpu=3"); },
       [](JobSpec& s) { s.cpus_per_task = 2; }},
      {"QOSGrpMemLimit", [](QosLimits& l) { l.grp_tres = tres("mem=150M"); },
       [](JobSpec& s) { s.memory_mb_per_node = 100; }},
      {"QOSGrpNodeLimit", [](QosLimits& l) { l.grp_tres = tres("node=1"); }, plain},
      {"QOSGrpGRES", [](QosLimits& l) { l.grp_tres = tres("gres/gpu=1"); },
       [](JobSpec& s) { s.gpus_per_node = 1; }},
      {"QOSMaxJobsPerUserLimit", [](QosLimits& l) { l.max_jobs_per_user = 1; }, plain},
      {"QOSMaxCpuPerUserLimit", [](QosLimits& l) { l.max_tres_per_user = tres("cpu=1"); }, plain},
      {"QOSMaxMemoryPerUser", [](QosLimits& l) { l.max_tres_per_user = tres("mem=100"); },
       [](JobSpec& s) { s.memory_mb_per_node = 100; }},
      {"QOSMaxNodePerUserLimit", [](QosLimits& l) { l.max_tres_per_user = tres("node=1"); }, plain},
      {"QOSMaxGRESPerUser", [](QosLimits& l) { l.max_tres_per_user = tres("gres/gpu:h100=1"); },
       [](JobSpec& s) {
         s.gpus_per_node = 1;
         s.gpu_type = "h100";
       }},
  };
  node("n1", 8, {}, {}, 2);
  for (const Row& row : table) {
    set([&](QosLimits& limits) {
      limits = {};
      row.limit(limits);
    });
    const JobId first = submit({.with = row.job});
    EXPECT_EQ(state(first), "CONFIGURING") << row.reason;
    const JobId second = submit({.with = row.job});
    EXPECT_EQ(state(second), "PENDING") << row.reason;
    EXPECT_EQ(reason(second), row.reason);
    const JobId other = submit({.qos = "critical", .with = row.job});
    EXPECT_EQ(state(other), "CONFIGURING") << row.reason << ": it has a QOS of its own";
    ready(first);
    finish(first, 0);
    EXPECT_EQ(state(second), "CONFIGURING") << row.reason;
    ready(second);
    finish(second, 0);
    ready(other);
    finish(other, 0);
  }
}

TEST_F(QosLimit, APendingReasonNamesTheLimitItsValueAndItsHolders) {
  node("n1", 8);
  set([](QosLimits& limits) { limits.max_tres_per_user = tres("cpu=4"); });
  const JobId first = submit({.tasks = 3});
  const JobId second = submit({.tasks = 2});
  EXPECT_EQ(state(first), "CONFIGURING");
  EXPECT_EQ(detail(second).why,
            (std::vector<std::string>{
                "asks for 1 node with 2 CPUs",
                "QOS standard: MaxTRESPerUser cpu of user ada is 4: 3 in use by job 1 of ada, and "
                "it asks for 2"}));
}

TEST_F(QosLimit, ALoweredLimitStopsNoJobAndARemovedOneLetsJobsStart) {
  node("n1", 8);
  const JobId first = submit({.tasks = 4});
  ready(first);
  set([](QosLimits& limits) { limits.grp_tres = tres("cpu=2"); });
  EXPECT_EQ(state(first), "RUNNING");
  const JobId second = submit({.tasks = 2});
  EXPECT_EQ(reason(second), "QOSGrpCpuLimit");
  restart();
  node("n1", 8);
  EXPECT_EQ(state(second), "CONFIGURING") << "the node came back without the first";
  EXPECT_EQ(reason(first), "QOSGrpCpuLimit") << "the current limit applies to the first job";
  set([](QosLimits& limits) { limits = {}; });
  EXPECT_EQ(state(first), "CONFIGURING");
}

TEST_F(QosLimit, ALoweredLimitHoldsAlsoForAJobWhoseVictimIsAlreadyStopping) {
  node("n1", 8);
  const JobId first = submit({.tasks = 4});
  ready(first);
  const JobId victim = submit({.tasks = 4, .qos = "besteffort"});
  ready(victim);
  const JobId second = submit({.tasks = 4});
  EXPECT_EQ(state(victim), "COMPLETING");
  set([](QosLimits& limits) { limits.grp_tres = tres("cpu=4"); });
  finish(victim, 143);
  EXPECT_EQ(state(second), "PENDING");
  EXPECT_EQ(reason(second), "QOSGrpCpuLimit");
  EXPECT_EQ(state(victim), "CONFIGURING") << "the room is no longer reserved";
}

TEST_F(QosLimit, AJobThatALimitCouldNeverAllowIsRefused) {
  node("n1", 8, {}, {}, 2);
  set([](QosLimits& limits) {
    limits.max_tres_per_job = tres("cpu=4");
    limits.min_tres_per_job = tres("cpu=2");
    limits.grp_tres = tres("gres/gpu=1");
    limits.max_wall_s = 3600;
  });
  EXPECT_EQ(refusal([](JobSpec& s) { s.tasks = 5; }),
            "QOS standard has MaxTRESPerJob=cpu=4, and the job asks for 5");
  EXPECT_EQ(refusal([](JobSpec& s) { s.tasks = 1; }),
            "QOS standard has MinTRESPerJob=cpu=2, and the job asks for 1");
  EXPECT_EQ(refusal([](JobSpec& s) {
              s.tasks = 2;
              s.gpus_per_node = 2;
            }),
            "QOS standard has GrpTRES=gres/gpu=1, and the job asks for 2");
  EXPECT_EQ(refusal([](JobSpec& s) {
              s.tasks = 2;
              s.time_limit_s = 3601;
            }),
            "QOS standard has MaxWall=01:00:00, and the job asks for 01:00:01");
  const JobId id = submit({.tasks = 2});
  EXPECT_EQ(job(id).job.spec->time_limit_s, 3600) << "for a job without --time";
}

TEST_F(QosLimit, SubmissionsBeyondALimitAreRefusedUntilJobsHaveEnded) {
  node("n1", 1);
  set([](QosLimits& limits) { limits.max_submit_jobs_per_user = 2; });
  const JobId first = submit({});
  submit({});
  EXPECT_EQ(refusal([](JobSpec&) {}),
            "QOS standard has MaxSubmitJobsPerUser=2, and ada has 2 jobs that wait or run");
  ready(first);
  finish(first, 0);
  submit({});
  set([](QosLimits& limits) {
    limits = {};
    limits.grp_submit_jobs = 4;
  });
  SubmitJobs many;
  JobSpec spec;
  spec.command = {"train"};
  spec.work_dir = "/home/u";
  many.specs.assign(3, spec);
  EXPECT_EQ(refusal_of(ask(many)),
            "job 3 of 3: QOS standard has GrpSubmitJobs=4, and there are 2 jobs that wait or run "
            "(ada 2); the request asks for 3 jobs more; none of them was accepted");
  many.specs.resize(2);
  EXPECT_TRUE(std::holds_alternative<SubmittedJobs>(ask(many).body));
}

// The hint advises to wait only if the submission could succeed after a wait.
TEST_F(QosLimit, ARefusalSaysHowManyTasksOfAnArrayMayBeSubmitted) {
  node("n1", 1);
  const auto answer = [&](const std::string& array) {
    SubmitJob s;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.array = array;
    const Reply reply = ask(s);
    const auto* refused = std::get_if<Refused>(&reply.body);
    return refused == nullptr ? "" : refused->why.fact + " | " + refused->why.hint;
  };
  set([](QosLimits& limits) { limits.max_submit_jobs_per_user = 5; });
  EXPECT_EQ(
      answer("1-6"),
      "QOS standard has MaxSubmitJobsPerUser=5: the array asks for 6 tasks, and at most 5 may "
      "wait or run | submit at most 5 at a time, or choose another QOS or account");
  EXPECT_EQ(answer("1-3"), "");
  EXPECT_EQ(
      answer("1-3"),
      "QOS standard has MaxSubmitJobsPerUser=5, and ada has 3 jobs that wait or run; the array "
      "asks for 3 tasks more | submit at most 2 now, wait until some have ended, or choose "
      "another QOS or account; `cox queue` shows them");
  set([](QosLimits& limits) { limits = {}, limits.grp_submit_jobs = 3; });
  user = "eve";
  EXPECT_EQ(
      answer("1-6"),
      "QOS standard has GrpSubmitJobs=3: the array asks for 6 tasks, and at most 3 may wait or "
      "run; now there are 3 jobs that wait or run (ada 3) | wait until some have ended, and "
      "submit at most 3 at a time, or choose another QOS or account");
  set([](QosLimits& limits) { limits = {}, limits.grp_submit_jobs = 0; });
  EXPECT_EQ(answer(""),
            "QOS standard has GrpSubmitJobs=0, so no job may be submitted | choose another QOS or "
            "account");
}

// Limits of TRES-minutes on what all jobs of a QOS used recently. They apply without accounts.
class QosMinutes : public QosLimit {
 protected:
  // No node becomes silent within 10,000 hours, and no lease ends, so a test may let hours pass
  // without heartbeats.
  QosMinutes() {
    config.node_timeout = std::chrono::hours{10'000};
    config.lease = Milliseconds{0};
    restart();
  }
  JobId submit_for(std::int64_t minutes, const std::function<void(JobSpec&)>& edit = {}) {
    return submit({.time_limit_s = minutes * 60, .with = edit});
  }
  void run(JobId id, std::int64_t minutes) {
    ready(id);
    pass(std::chrono::minutes{minutes});
    finish(id, 0);
  }
  double used(const std::string& qos, const std::string& what) const {
    const auto known = store.tables().qos_usage.find(qos);
    if (known == store.tables().qos_usage.end()) return 0;
    for (const TresUsage& one : known->second.usage)
      if (one.tres == what) return one.seconds / 60;
    return 0;
  }
};

TEST_F(QosMinutes, EachLimitHasItsPendingReason) {
  struct Row {
    const char* reason;
    std::function<void(QosLimits&)> limit;
  };
  const auto job = [](JobSpec& s) { s.memory_mb_per_node = 100, s.gpus_per_node = 1; };
  node("n1", 8, {}, {}, 4);
  for (const Row& row : std::vector<Row>{
           {"QOSGrpCPUMinutesLimit", [](QosLimits& l) { l.grp_tres_mins = tres("cpu=15"); }},
           {"QOSGrpNodeMinutes", [](QosLimits& l) { l.grp_tres_mins = tres("node=15"); }},
           {"QOSGrpMemoryMinutes", [](QosLimits& l) { l.grp_tres_mins = tres("mem=1500"); }},
           {"QOSGrpGRESMinutes", [](QosLimits& l) { l.grp_tres_mins = tres("gres/gpu=15"); }},
           {"QOSGrpWallLimit", [](QosLimits& l) { l.grp_wall_s = 15 * 60; }}}) {
    SCOPED_TRACE(row.reason);
    set([](QosLimits& limits) { limits = {}; });
    ask(Administer{{"modify", "qos", "standard", "set", "rawusage=0"}, false});
    set(row.limit);
    const JobId first = submit_for(10, job);
    const JobId second = submit_for(10, job);
    EXPECT_EQ(state(first), "CONFIGURING");
    EXPECT_EQ(reason(second), row.reason) << "the first job may use it up";
    run(first, 8);
    EXPECT_EQ(reason(second), row.reason)
        << "the first job has used so much that the second does not fit";
    ask(Administer{{"modify", "qos", "standard", "set", "rawusage=0"}, false});
    pass(Milliseconds{0});
    EXPECT_EQ(state(second), "CONFIGURING") << "an administrator has reset the usage";
    run(second, 1);
  }
}

TEST_F(QosMinutes, MinutesAreUsedByAllJobsOfTheQosAndComeBackAsUsageDecays) {
  node("n1", 8);
  ask(Administer{{"modify", "qos", "standard", "set", "GrpTRESMins=cpu=120"}, false});
  EXPECT_EQ(refusal([](JobSpec&) {}),
            "QOS standard has GrpTRESMins=cpu=120, and the job needs a time limit for it");
  EXPECT_EQ(refusal([](JobSpec& s) { s.time_limit_s = 61 * 60, s.cpus_per_task = 2; }),
            "QOS standard has GrpTRESMins=cpu=120, and the job asks for 122: cpu=2 for 01:01:00");
  EXPECT_EQ(refusal([](JobSpec& s) { s.time_limit_s = 7201, s.cpus_per_task = 1; }),
            "QOS standard has GrpTRESMins=cpu=120, and the job asks for 121: cpu=1 for 02:00:01");
  const JobId first = submit_for(90);
  user = "eve";
  const JobId second = submit_for(70);
  EXPECT_EQ(reason(second), "QOSGrpCPUMinutesLimit")
      << "90 of 120 minutes are charged in advance for ada";
  run(first, 50);
  EXPECT_EQ(state(second), "CONFIGURING") << "50 were used, and it asks for 70";
  ready(second);
  pass(std::chrono::minutes{20});
  ask(ActOnJobs{JobVerb::Requeue, {second}});
  finish(second, 143);
  EXPECT_EQ(reason(second), "QOSGrpCPUMinutesLimit") << "it used 20 before it was requeued";
  EXPECT_EQ(detail(second).why.at(1),
            "QOS standard: GrpTRESMins cpu is 120 minutes: 70 minutes used lately or promised, "
            "and it asks for 70 minutes");
  EXPECT_NEAR(used("standard", "cpu"), 70, 0.5) << "less what has decayed";
  restart();
  node("n1", 8);
  EXPECT_EQ(reason(second), "QOSGrpCPUMinutesLimit") << "a restart forgets nothing";
  pass(std::chrono::hours{168});
  pass(Milliseconds{0});
  node("n1", 8);
  EXPECT_EQ(state(second), "CONFIGURING") << "after a half-life 35 are left";
}

TEST_F(QosMinutes, AJobWithWholeNodesCountsAllOfTheirCpus) {
  config.usage.half_life = Milliseconds{0};
  restart();
  node("n1", 8, {}, {}, 4);
  node("n2", 4);
  const auto alone = [](JobSpec& s) { s.exclusive = true; };
  const auto on_n2 = [](JobSpec& s) { s.exclusive = true, s.nodelist = {"n2"}; };
  ask(Administer{{"modify", "qos", "standard", "set", "GrpTRESMins=cpu=60"}, false});
  EXPECT_EQ(refusal([&](JobSpec& s) { alone(s), s.time_limit_s = 480; }),
            "QOS standard has GrpTRESMins=cpu=60, and the job asks for 64: cpu=8 (whole nodes, "
            "which the job has to itself) for 00:08:00");
  run(submit_for(10, on_n2), 10);
  EXPECT_NEAR(used("standard", "cpu"), 40, 0.1) << "all of n2";
  const JobId second = submit_for(6, on_n2);
  EXPECT_EQ(detail(second).why.at(1),
            "QOS standard: GrpTRESMins cpu is 60 minutes: 40 minutes used lately or promised, and "
            "it asks for 24 minutes because --exclusive counts whole nodes");
  EXPECT_EQ(state(submit_for(5, on_n2)), "CONFIGURING") << "20 are left, and it may use them all";
  EXPECT_EQ(reason(submit_for(1)), "QOSGrpCPUMinutesLimit") << "they are charged in advance";
}

TEST_F(QosMinutes, MinutesOfAPartitionQosCountTheJobsInThePartition) {
  PartitionConfig gpu;
  gpu.name = "gpu";
  gpu.qos = "besteffort";
  config.partitions.push_back(gpu);
  restart();
  node("n1", 8);
  const auto in_gpu = [](JobSpec& s) { s.partition = "gpu"; };
  ask(Administer{{"modify", "qos", "besteffort", "set", "GrpWall=60"}, false});
  EXPECT_EQ(refusal([&](JobSpec& s) { in_gpu(s), s.time_limit_s = 61 * 60; }),
            "partition gpu: QOS besteffort has GrpWall=01:00:00, and the job asks for 01:01:00");
  run(submit_for(60), 30);
  run(submit_for(60, in_gpu), 40);
  EXPECT_EQ(state(submit_for(30)), "CONFIGURING") << "the limit of the partition does not bind it";
  EXPECT_EQ(reason(submit_for(30, in_gpu)), "QOSGrpWallLimit");
  EXPECT_EQ(state(submit_for(20, in_gpu)), "CONFIGURING") << "so much is left";
  EXPECT_NEAR(used("besteffort", "wall"), 40, 0.1);
  EXPECT_NEAR(used("standard", "wall"), 70, 0.5) << "each job counts for its own QOS too";
}

TEST_F(QosMinutes, TheUsageOfADeletedQosIsDeleted) {
  node("n1", 8);
  const auto administer = [&](std::vector<std::string> words) {
    return refusal_of(ask(Administer{std::move(words), false}));
  };
  const auto at_night = [](JobSpec& s) { s.qos = "night"; };
  EXPECT_EQ(administer({"add", "qos", "night", "priority=0", "GrpWall=60"}), "");
  run(submit_for(60, at_night), 50);
  EXPECT_NEAR(used("night", "wall"), 50, 0.1);
  const JobId waiting = submit_for(60, at_night);
  EXPECT_EQ(reason(waiting), "QOSGrpWallLimit");
  ask(ActOnJobs{JobVerb::Cancel, {waiting}});
  pass(config.min_job_age + Milliseconds{1});
  EXPECT_EQ(administer({"delete", "qos", "night"}), "");
  EXPECT_EQ(used("night", "wall"), 0);
  EXPECT_EQ(administer({"add", "qos", "night", "priority=0", "GrpWall=60"}), "");
  EXPECT_EQ(state(submit_for(60, at_night)), "CONFIGURING");
}

}  // namespace
}  // namespace cox
