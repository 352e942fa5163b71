// Tests replies to sacct: live jobs come from the controller's memory, older jobs from the store,
// and pending jobs with their current reasons.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class RecordsStory : public testing::Test, public Bench {
 protected:
  AccountingPage page(const ListAccounting& asked) {
    const Reply reply = ask(asked);
    const auto* page = std::get_if<AccountingPage>(&reply.body);
    EXPECT_NE(page, nullptr) << refusal_of(reply);
    return page == nullptr ? AccountingPage{} : *page;
  }
};

TEST_F(RecordsStory, AJobIsListedFromItsSubmissionToItsEndWithItsUsage) {
  node("n1", 2);
  const JobId id = submit({});
  ListAccounting asked;
  asked.ids = {id};
  AccountingPage listed = page(asked);
  ASSERT_EQ(listed.records.size(), 1u);
  EXPECT_EQ(listed.cluster, config.cluster_name);
  EXPECT_EQ(listed.records[0].job.id, id);
  ready(id);
  AttemptStatus gone = status_of(id, NodePhase::Gone);
  RankStatus rank;
  rank.phase = RankPhase::Exited;
  rank.exit_code = 3;
  rank.ended = now.wall;
  gone.ranks = {rank};
  gone.usage = {500, 40, 1236};
  status("n1", gone);
  listed = page(asked);
  EXPECT_EQ(listed.records[0].job.state, JobState::Failed);
  EXPECT_EQ(listed.records[0].run.usage, (StepUsage{500, 40, 1236}));
  EXPECT_EQ(listed.records[0].run.exit_code, 3);
  EXPECT_EQ(listed.records[0].run.nodelist, "n1");
}

TEST_F(RecordsStory, TheCancellingUserAndThePendingReasonAreListed) {
  const JobId held = submit({.with = [](JobSpec& spec) { spec.hold = true; }});
  const JobId cancelled = submit({});
  ask(ActOnJobs{JobVerb::Cancel, {cancelled}});
  const AccountingPage listed = page({});
  ASSERT_EQ(listed.records.size(), 2u);
  EXPECT_EQ(listed.records[0].job.id, held);
  EXPECT_EQ(listed.records[0].reason, "JobHeldUser");
  EXPECT_EQ(listed.records[1].ended_by, "user ada");
}

TEST_F(RecordsStory, InvalidAccountingRequestsAreRefused) {
  ListAccounting asked;
  asked.ids.resize(1'001, JobId{1});
  EXPECT_NE(refusal_of(ask(asked)).find("more than 1000"), std::string::npos);
  asked = {};
  asked.ids = {JobId{1}};
  asked.tasks = {"0-4000000"};
  EXPECT_NE(refusal_of(ask(asked)), "");
  asked.tasks.clear();
  asked.names = {std::string("a\0b", 3)};
  EXPECT_NE(refusal_of(ask(asked)), "");
}

}  // namespace
}  // namespace cox
