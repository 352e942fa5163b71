// Tests that a new leader compares the database with what the former leader knew, and records the
// difference as a failover.
#include "tests/store/store_suite.h"

namespace cox::test {
namespace {

TEST_P(StoreSuite, LostStateThatALeaderKnewIsFoundAndRecorded) {
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
  second.commit({FailoverChanged{found}});
  Controller third(*database);
  EXPECT_EQ(third.loaded.failovers, std::vector<Failover>{found});
  EXPECT_EQ(third.loaded.term, Term{second.loaded.term.value + 1});
  EXPECT_GT(third.loaded.next_job, JobId{20'000}) << "a node has reported that id";
}

// If the newest known attempt of a job began before a failover, the job's next attempt skips
// numbers, since lost turns may have used them. Begin times come from the former leader's clock, so
// the failover must be dated after all of them.
TEST_P(StoreSuite, AFailoverIsDatedAfterAllAttemptsThatHadBegun) {
  Controller first(*database);
  Job job = a_job(1);
  Attempt attempt = an_attempt(1, 1);
  // In 2096: the former leader's clock was far ahead.
  attempt.began = wall_from_ms(4'000'000'000'000);
  attempt.ended = Wall{};
  first.commit({JobAdded{job, {}, {}}, change(job, JobState::Configuring), AttemptAdded{attempt}});
  const LastKnownState known{Term{3}, TurnNumber{42}, JobId{9000}, at(1), true, {}};
  Controller second(database->open(known));
  ASSERT_EQ(second.loaded.failovers.size(), 1u);
  EXPECT_EQ(second.loaded.failovers.front().found, attempt.began + Milliseconds{1});
}

}  // namespace
}  // namespace cox::test
