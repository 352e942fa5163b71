// Tests what a new leader derives from the last turn in the database: its term, the next ids, and
// whether the database went back in time.
#include <gtest/gtest.h>

#include "controller/change/recovery.h"

namespace cox {
namespace {

Wall at(std::int64_t seconds) {
  return wall_from_ms(seconds * 1000);
}

TurnFound found(std::int64_t term, std::int64_t turn, std::int64_t timeline_noted,
                std::int64_t timeline) {
  return {Term{term},     TurnNumber{turn}, 3,      JobId{2000}, at(10),
          timeline_noted, timeline,         at(50), JobId{1500}};
}

LastKnownState known(std::int64_t term, std::int64_t turn, bool is_all) {
  return {Term{term}, TurnNumber{turn}, JobId{2600}, at(60), is_all, {}};
}

TEST(RecoveryTest, ALeaderOnTheSamePrimaryTakesTheNextTerm) {
  for (const std::int64_t noted : {0, 1}) {
    const Takeover to = take_over(found(7, 100, noted, 1), {}, at(99));
    EXPECT_EQ(to.term, Term{8});
    EXPECT_EQ(to.id_floor, JobId{2500}) << "the ids of a term are followed by a gap";
    EXPECT_FALSE(to.failover);
  }
}

TEST(RecoveryTest, AFailoverWithoutLostTurnsIsRecordedAndTakesTheNextTerm) {
  const Takeover to = take_over(found(7, 101, 1, 2), known(7, 100, true), at(99));
  EXPECT_EQ(to.term, Term{8});
  ASSERT_TRUE(to.failover);
  EXPECT_EQ(to.failover->turns_lost, 0);
  EXPECT_EQ(to.failover->settled, at(99));
}

TEST(RecoveryTest, LostTurnsAreCounted) {
  const Takeover to = take_over(found(7, 100, 1, 2), known(7, 142, true), at(99));
  EXPECT_EQ(to.term, Term{7 + terms_lost_max});
  EXPECT_EQ(to.id_floor, JobId{2600}) << "it knows which ids it has issued";
  Failover expected{to.term, 2,           1,           at(99), 42, at(50),
                    at(60),  JobId{1500}, JobId{2600}, {},     {}, {}};
  EXPECT_EQ(to.failover, expected);
}

TEST(RecoveryTest, ALostTermIsNotTakenAgain) {
  const Takeover to = take_over(found(5, 100, 1, 2), known(9, 142, true), at(99));
  EXPECT_EQ(to.term, Term{9 + terms_lost_max});
  EXPECT_EQ(to.failover->turns_lost, 42);
}

TEST(RecoveryTest, IdsContinueWithoutAGapOnlyAfterAnOrderlyStop) {
  EXPECT_EQ(take_over(found(7, 100, 1, 1), {}, at(99)).id_floor, JobId{1500 + job_id_gap});
  TurnFound stopped = found(7, 100, 1, 1);
  stopped.id_floor = JobId{1000};
  stopped.next_job = JobId{1507};
  EXPECT_EQ(take_over(stopped, {}, at(99)).id_floor, JobId{1507});
  stopped.next_job = JobId{1499};
  EXPECT_EQ(take_over(stopped, {}, at(99)).id_floor, JobId{1500 + job_id_gap})
      << "the database has a job that the stop did not record";
  stopped.next_job = JobId{1507};
  stopped.timeline = 2;  // a replica, which may lag, was promoted after the stop
  EXPECT_EQ(take_over(stopped, {}, at(99)).id_floor, JobId{1507 + job_ids_lost_max});
}

TEST(RecoveryTest, IdsContinueWithoutAGapIfPostgresqlRanAllTheTime) {
  TurnFound same = found(7, 100, 1, 1);
  same.id_floor = JobId{1000};
  same.is_same_server = true;
  EXPECT_EQ(take_over(same, {}, at(99)).id_floor, JobId{1500});
  same.id_floor = JobId{1600};
  EXPECT_EQ(take_over(same, {}, at(99)).id_floor, JobId{1600}) << "jobs were deleted";
  same.incarnation_noted = "1/2/3";
  same.incarnation = "1/2/4";
  EXPECT_EQ(take_over(same, {}, at(99)).id_floor, JobId{1600 + job_ids_lost_max})
      << "restored from a backup into the server that had it before";
}

TEST(RecoveryTest, ChangesAreLostFromTheLastCommitOnThatTheDatabaseHas) {
  const auto lost_from = [](const TurnFound& found) {
    return take_over(found, {}, at(99)).failover->lost_from;
  };
  TurnFound promoted = found(7, 100, 1, 2);
  EXPECT_EQ(lost_from(promoted), at(50)) << "the last commit that was replayed";
  promoted.replayed = Wall{};  // not known after a restart
  promoted.last_commit = at(40);
  EXPECT_EQ(lost_from(promoted), at(40)) << "long after the term began";
  TurnFound restored = found(7, 100, 1, 1);
  restored.incarnation_noted = "1/2/3";
  restored.incarnation = "1/2/4";
  restored.last_commit = at(40);
  EXPECT_EQ(lost_from(restored), at(40)) << "what the server replayed is of another time";
  restored.last_commit = Wall{};
  EXPECT_EQ(lost_from(restored), at(10)) << "the term began then";
}

TEST(RecoveryTest, AStandbyCannotKnowThatNothingIsLost) {
  const Takeover to = take_over(found(7, 100, 1, 2), known(7, 100, false), at(99));
  EXPECT_EQ(to.term, Term{7 + terms_lost_max});
  EXPECT_EQ(to.id_floor, JobId{2600 + job_ids_lost_max});
  ASSERT_TRUE(to.failover);
  EXPECT_EQ(to.failover->turns_lost, std::nullopt);
  EXPECT_EQ(to.failover->settled, Wall{});
}

TEST(RecoveryTest, ABackupRestoredOnTheSameTimelineIsRecognizedByItsTurn) {
  const Takeover to = take_over(found(7, 100, 1, 1), known(7, 142, true), at(99));
  ASSERT_TRUE(to.failover);
  EXPECT_EQ(to.failover->turns_lost, 42);
}

TEST(RecoveryTest, ABackupRestoredIntoAnotherDatabaseIsRecognizedByAnyController) {
  TurnFound restored = found(7, 100, 1, 1);
  restored.incarnation_noted = "1/2/3";
  restored.incarnation = "1/2/4";
  LastKnownState by_folders;
  by_folders.next_job = JobId{30'000};
  const Takeover to = take_over(restored, by_folders, at(99));
  ASSERT_TRUE(to.failover);
  EXPECT_EQ(to.failover->settled, Wall{}) << "what nodes run must be known first";
  EXPECT_EQ(to.id_floor, JobId{30'000 + job_ids_lost_max})
      << "behind all ids that the checkpoint folder has seen, and may not have seen";
  restored.incarnation_noted = "";
  EXPECT_FALSE(take_over(restored, {}, at(99)).failover)
      << "no controller of this version has led yet";
}

TEST(RecoveryTest, AReissuedIdHasAnotherIdentity) {
  const std::string once = job_identity("random 1", JobId{17});
  EXPECT_EQ(once.size(), 36u);
  EXPECT_EQ(once, job_identity("random 1", JobId{17}));
  EXPECT_NE(once, job_identity("random 1", JobId{18}));
  EXPECT_NE(once, job_identity("random 2", JobId{17}));
}

TEST(RecoveryTest, AFailoverIsDatedAfterAllAttemptsThoughTheFormerLeadersClockWasAhead) {
  TurnFound ahead = found(7, 100, 1, 2);
  ahead.last_began = at(500);
  EXPECT_EQ(take_over(ahead, {}, at(99)).failover->found, at(500) + Milliseconds{1});
}

TEST(RecoveryTest, TheKnowledgeOfTwoControllersIsMergedToTheLaterTermAndTurn) {
  LastKnownState of_leader = known(7, 100, true);
  of_leader.next_job = JobId{9000};
  const LastKnownState both = merged(of_leader, known(8, 90, false));
  EXPECT_EQ(std::pair(both.term, both.turn), std::pair(Term{8}, TurnNumber{90}));
  EXPECT_FALSE(both.is_all);
  EXPECT_EQ(both.next_job, JobId{9000});
  EXPECT_EQ(merged(of_leader, known(7, 101, false)).turn, TurnNumber{100})
      << "the leader's own turn, which it has not shared";
  EXPECT_TRUE(merged(known(7, 101, false), of_leader).is_all);
}

}  // namespace
}  // namespace cox
