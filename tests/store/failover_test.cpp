// What a new leader finds of what was known to be true, and what is kept of it.
#include "tests/store/store_suite.h"

namespace cox::test {
namespace {

TEST_P(StoreSuite, WhatIsMissingOfWhatALeaderKnewIsFoundAndKept) {
  Controller first(*database);
  first.commit({JobAdded{a_job(1), {}, {}}});
  const LastKnownState known{Term{3}, TurnNumber{42}, JobId{9000},
                             at(1),   true,           {JobId{1}, JobId{7}}};
  Controller second(database->open(known));
  EXPECT_EQ(second.loaded.term, Term{3 + terms_lost_max});
  EXPECT_EQ(second.loaded.next_job, JobId{9000});
  ASSERT_EQ(second.loaded.failovers.size(), 1u);
  Failover found = second.loaded.failovers.front();
  EXPECT_EQ(found.term, second.loaded.term);
  EXPECT_EQ(found.turns_lost, 41);
  EXPECT_EQ(found.lost_until, at(1));
  EXPECT_EQ(found.jobs_lost, std::vector<JobId>{JobId{7}});
  EXPECT_EQ(found.settled, Wall{});

  found.jobs_lost.push_back(JobId{20'000});
  found.attempts_lost = {"1.1", "20000.1"};
  found.settled = at(2);
  second.commit({FailoverTold{found}});
  Controller third(*database);
  EXPECT_EQ(third.loaded.failovers, std::vector<Failover>{found});
  EXPECT_EQ(third.loaded.term, Term{second.loaded.term.value + 1});
  EXPECT_GT(third.loaded.next_job, JobId{20'000}) << "a node has told of that id";
}

// Attempts are numbered anew behind a failover by when they began: by the clock of who led then.
TEST_P(StoreSuite, AFailoverIsFoundAfterAllAttemptsThatHadBegun) {
  Controller first(*database);
  Job job = a_job(1);
  Attempt attempt = an_attempt(1, 1);
  attempt.began = wall_from_ms(4'000'000'000'000);  // a clock that is far ahead
  attempt.ended = Wall{};
  first.commit({JobAdded{job, {}, {}}, change(job, JobState::Configuring), AttemptAdded{attempt}});
  const LastKnownState known{Term{3}, TurnNumber{42}, JobId{9000}, at(1), true, {}};
  Controller second(database->open(known));
  ASSERT_EQ(second.loaded.failovers.size(), 1u);
  EXPECT_EQ(second.loaded.failovers.front().found, attempt.began + Milliseconds{1});
}

}  // namespace
}  // namespace cox::test
