// What sprio, sdiag and scontrol ask.
#include <gtest/gtest.h>

#include <cmath>

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
  std::string counted(const std::string& name) {
    return setting(std::get<Statistics>(ask(ShowStatistics{}).body).values, name);
  }
};

TEST_F(Inquiries, AJobsPriorityIsTheSumOfItsFactors) {
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

TEST_F(Inquiries, WhatWasDoneIsCountedOnceItIsTrue) {
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

TEST_F(Inquiries, AScriptIsReadByItsOwner) {
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
}

TEST_F(Inquiries, SettingsBearSlurmsNames) {
  const auto all = std::get<Configuration>(ask(ShowConfiguration{}).body).settings;
  EXPECT_EQ(setting(all, "MinJobAge"), "300 sec");
  EXPECT_EQ(setting(all, "MaxArraySize"), "100000");
  EXPECT_EQ(setting(all, "JobAcctGatherType"), "jobacct_gather/linux");
  EXPECT_EQ(setting(all, "SlurmctldPort"), "");
  EXPECT_EQ(setting(all, "PriorityWeightAge"), "350");
  EXPECT_EQ(setting(all, "ClusterName"), "coxswain");
}

}  // namespace
}  // namespace cox
