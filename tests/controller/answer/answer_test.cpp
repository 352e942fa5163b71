// Tests replies about counted resources (GRES of nodes, licences of the cluster), and about jobs.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class AnswerStory : public testing::Test, public Bench {};

TEST_F(AnswerStory, ANodeIsListedWithTheGresThatJobsHold) {
  node("n1", 4, {}, {{"fpga", "u280", 2}, {"nic", "", 4}});
  node("n2", 4);
  const JobId typed = submit({.gres = "fpga:u280:1,nic:1"});
  const JobId any = submit({.gres = "nic:2"});
  for (const JobId id : {typed, any}) ready(id);
  const auto list = std::get<NodeList>(ask(ListNodes{}).body);
  using Gres = std::vector<GresCount>;
  EXPECT_EQ(list.nodes.at(0).gres_used, (Gres{{"fpga", "u280", 1}, {"nic", "", 3}}));
  EXPECT_EQ(list.nodes.at(1).gres_used, Gres{});
  finish(typed, 0);
  EXPECT_EQ(std::get<NodeList>(ask(ListNodes{}).body).nodes.at(0).gres_used,
            (Gres{{"nic", "", 2}}));
}

TEST_F(AnswerStory, LicencesAreListedWithTheJobsThatHoldThem) {
  EXPECT_TRUE(std::get<LicenceList>(ask(ListLicences{}).body).licences.empty());
  config.scheduling.licences = {{"matlab", 3}, {"ansys", 1}};
  restart();
  node("n1", 4);
  const JobId two = submit({.licences = "matlab:2"});
  const JobId one = submit({.licences = "matlab"});
  for (const JobId id : {two, one}) ready(id);
  submit({.licences = "matlab"});  // a pending job, so it holds no licence
  const auto licences = std::get<LicenceList>(ask(ListLicences{}).body).licences;
  ASSERT_EQ(licences.size(), 2u);
  EXPECT_EQ(licences[0].name, "matlab");
  EXPECT_EQ(licences[0].total, 3);
  EXPECT_EQ(licences[0].used, 3);
  EXPECT_EQ(licences[0].jobs, (std::vector<JobId>{two, one}));
  EXPECT_EQ(licences[1].name, "ansys");
  EXPECT_EQ(licences[1].used, 0);
  EXPECT_TRUE(licences[1].jobs.empty());
}

TEST_F(AnswerStory, AJobIsListedWithItsTotalsOverAllNodes) {
  node("n1", 4, {}, {}, 2);
  node("n2", 4, {}, {}, 2);
  const JobId two = submit({.nodes = 2, .tasks = 4, .with = [](JobSpec& spec) {
                              spec.gpus_per_node = 1;
                              spec.memory_mb_per_node = 300;
                            }});
  ready(two);
  const JobId waits = submit({.nodes = 2, .tasks = 8});
  const auto jobs = std::get<JobList>(ask(ListJobs{}).body).jobs;
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].cpus, 4);
  EXPECT_EQ(jobs[0].memory_mb, 600);
  EXPECT_EQ(jobs[0].gpus, 2);
  EXPECT_EQ(jobs[1].job.id, waits);
  EXPECT_EQ(jobs[1].cpus + jobs[1].memory_mb + jobs[1].gpus, 0);
}

TEST_F(AnswerStory, AnUnknownAttemptIsRefusedWithTheNumbersOfTheExistingOnes) {
  node("n1", 4);
  const JobId id = submit({});
  ready(id);
  const auto hint = [&](std::int32_t attempt) {
    return std::get<Refused>(ask(LocateLog{id, AttemptNumber{attempt}, 0, false}).body).why.hint;
  };
  EXPECT_EQ(hint(2), "it has one attempt: 1");
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  finish(id, 143);
  EXPECT_EQ(hint(3), "it has attempts 1 to 2");
}

// Only the first page of a list runs a scheduling pass; the other pages reuse its pending reasons.
TEST_F(AnswerStory, PagesAfterTheFirstReuseThePendingReasonsOfTheFirst) {
  node("n1", 1);
  ready(submit({}));
  const JobId first = submit({});
  const auto reason_behind = [&](JobId after) {
    ListJobs page;
    page.after = after;
    return std::get<JobList>(ask(page).body).jobs.back().reason;
  };
  EXPECT_EQ(reason_behind(JobId{}), WaitReason::Resources);
  submit({.with = [](JobSpec& s) { s.nodelist = {"n1"}; }});
  EXPECT_EQ(reason_behind(first), WaitReason::Priority) << "no pass has considered it yet";
  EXPECT_NE(reason_behind(JobId{}), WaitReason::Priority);
}

}  // namespace
}  // namespace cox
