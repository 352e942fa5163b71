// Limits of QOS, told on the controller alone: what each keeps back or refuses, and in which words.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class QosLimit : public testing::Test, public Bench {
 protected:
  // As an administrator changes the row; the controller reads it again by itself.
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

TEST_F(QosLimit, EachKeepsBackWhatWouldExceedItUntilThereIsRoomAgain) {
  struct Row {
    const char* reason;
    std::function<void(QosLimits&)> limit;
    std::function<void(JobSpec&)> job;  // two of it are one too many
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

TEST_F(QosLimit, WhoHoldsItIsToldWithItsValue) {
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

TEST_F(QosLimit, OneThatIsLoweredStopsNobodyAndOneThatIsLiftedLetsThemStart) {
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
  EXPECT_EQ(reason(first), "QOSGrpCpuLimit") << "which is judged by the limit as it is now";
  set([](QosLimits& limits) { limits = {}; });
  EXPECT_EQ(state(first), "CONFIGURING");
}

TEST_F(QosLimit, WhatNoWaitWouldHelpIsRefused) {
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
  EXPECT_EQ(job(id).job.spec->time_limit_s, 3600) << "of who asks for none";
}

TEST_F(QosLimit, OfJobsSubmittedMoreAreRefusedUntilSomeHaveEnded) {
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
            "job 3 of 3: QOS standard has GrpSubmitJobs=4, and there are 2 jobs that wait or run; "
            "none of them was accepted");
  many.specs.resize(2);
  EXPECT_TRUE(std::holds_alternative<SubmittedJobs>(ask(many).body));
}

}  // namespace
}  // namespace cox
