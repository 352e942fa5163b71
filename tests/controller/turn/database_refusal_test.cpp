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
  pass_with_beats(Milliseconds{91'000}, {"n1"});
  EXPECT_EQ(database(), "ready");
  EXPECT_EQ(first_why(id), "");
}

}  // namespace
}  // namespace cox
