// Tests the incident that PostgreSQL answers, but refuses what the controller writes.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class DatabaseRefuses : public testing::Test, public Bench {
 protected:
  std::string database() { return std::get<ClusterView>(ask(ShowCluster{}).body).database; }
  std::string first_why(JobId id) {
    const auto detail = std::get<JobDetail>(ask(ShowJob{id}).body);
    return detail.why.empty() ? "" : detail.why.front();
  }
};

TEST_F(DatabaseRefuses, ItIsNamedUntilWhatWasRefusedIsCommitted) {
  node("n1", 4);
  EXPECT_EQ(database(), "ready");
  store.refuses_attempts = true;
  const std::string refusal = "refuses writes since 2023-11-14T22:13:20Z: wrong record type";
  const JobId id = submit({});
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_EQ(database(), refusal);
  EXPECT_EQ(first_why(id), "PostgreSQL " + refusal);
  pass_with_beats(Milliseconds{300'000}, {"n1"});
  EXPECT_EQ(database(), refusal) << "it is tried again, and refused again";
  store.refuses_attempts = false;
  pass_with_beats(Milliseconds{31'000}, {"n1"});
  EXPECT_EQ(state(id), "CONFIGURING");
  EXPECT_EQ(database(), "ready");
  EXPECT_EQ(first_why(id), "");
}

TEST_F(DatabaseRefuses, ItEndsSoonIfWhatWasRefusedIsCommittedBeforeItIsTriedAgain) {
  node("n1", 4);
  store.refuses_attempts = true;
  const JobId id = submit({});
  store.refuses_attempts = false;
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  submit({});  // another pass begins
  EXPECT_EQ(state(id), "CONFIGURING");
  EXPECT_TRUE(database().starts_with("refuses writes")) << "it may be refused again";
  pass_with_beats(Milliseconds{36'000}, {"n1"});
  EXPECT_EQ(database(), "ready");
}

TEST_F(DatabaseRefuses, ARefusedRequestIsNamedUntilARequestOfItsKindIsCommitted) {
  node("n1", 4);
  const JobId before = submit({.with = [](JobSpec& spec) { spec.hold = true; }});
  store.refused_job = "evil";
  const auto submit_evil = [this] {
    SubmitJob s;
    s.request_id = "evil" + std::to_string(++requests);
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.name = "evil";
    s.environment = std::string("A=1\0", 4);
    EXPECT_EQ(refusal_of(ask(s)), "the database refuses it: violates \"nojob\"");
  };
  submit_evil();
  const std::string refusal = "has refused a request at 2023-11-14T22:13:20Z: violates \"nojob\"";
  EXPECT_EQ(database(), refusal);
  EXPECT_EQ(first_why(before).find("PostgreSQL"), std::string::npos) << "no job waits for it";
  node("n2", 4);
  EXPECT_EQ(database(), refusal) << "a commit of another kind shows nothing";
  submit({});
  EXPECT_EQ(database(), "ready");
  submit_evil();
  pass_with_beats(Milliseconds{80'000}, {"n1", "n2"});
  EXPECT_EQ(database(), refusal);
  pass_with_beats(Milliseconds{11'000}, {"n1", "n2"});
  EXPECT_EQ(database(), "ready");
}

}  // namespace
}  // namespace cox
