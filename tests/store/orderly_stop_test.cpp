// Tests the row that a controller writes when it is stopped in order, how the next controller uses
// it, and which job ids are skipped otherwise.
#include "controller/io/postgres/orderly_stop.h"

#include "tests/store/store_bench.h"

namespace cox::test {
namespace {

struct OrderlyStop : OnPostgres {
  // Returns what the controller knows when it stops: its term, its last turn and the next job id.
  static LastKnownState at_end(const Controller& controller, std::int64_t next_job) {
    LastKnownState known;
    known.term = controller.loaded.term;
    known.turn = controller.last;
    known.next_job = JobId{next_job};
    return known;
  }
  // PostgreSQL seems to have been restarted since the leader took its term.
  void postgres_restarted() { sql("UPDATE cox.turn SET server_started = 'epoch'"); }
};

TEST_F(OrderlyStop, AfterAnOrderlyStopTheNextControllerIssuesTheNextJobId) {
  {
    Controller first(open());
    first.commit({JobAdded{a_job(1), {}, {}}, JobAdded{a_job(2), {}, {}}});
    EXPECT_TRUE(note_orderly_stop(servers, at_end(first, 5)));
  }
  {
    Controller second(open());
    EXPECT_EQ(second.loaded.next_job, JobId{5});
    EXPECT_TRUE(note_orderly_stop(servers, at_end(second, 5)));
  }
  Controller third(open());
  EXPECT_EQ(third.loaded.next_job, JobId{5}) << "the second controller has added no job";
  third.commit({JobAdded{a_job(5), {}, {}}});
  postgres_restarted();
  Controller fourth(open());
  EXPECT_EQ(fourth.loaded.next_job, JobId{6 + job_id_gap}) << "the third was not stopped in order";
}

TEST_F(OrderlyStop, IsNotRecordedAfterAnUnknownTurnOrByAFormerLeader) {
  Controller first(open());
  first.commit({JobAdded{a_job(1), {}, {}}});
  LastKnownState before = at_end(first, 2);
  first.commit({JobAdded{a_job(2), {}, {}}});
  EXPECT_FALSE(note_orderly_stop(servers, before)) << "the database has a later turn";
  const LastKnownState known = at_end(first, 3);
  postgres_restarted();
  Controller second(open());
  EXPECT_FALSE(note_orderly_stop(servers, known)) << "another controller leads";
  EXPECT_EQ(second.loaded.next_job, JobId{3 + job_id_gap});
}

TEST_F(OrderlyStop, NoIdIsSkippedAfterAnyEndOfAControllerWhilePostgresqlRuns) {
  {
    Controller first(open());
    first.commit({JobAdded{a_job(1), {}, {}}});
  }
  Controller second(open());
  EXPECT_EQ(second.loaded.next_job, JobId{2});
  second.commit({JobAdded{a_job(2), {}, {}}});
  by_hand("DELETE FROM cox.job WHERE id = 2");
  Controller third(open());
  EXPECT_EQ(third.loaded.next_job, JobId{3}) << "the id of a deleted job is not issued again";
  // A restore that only fills the table again gives the row another xmin.
  by_hand(
      "CREATE TEMP TABLE kept AS TABLE cox.turn; DELETE FROM cox.turn; "
      "INSERT INTO cox.turn SELECT * FROM kept");
  EXPECT_EQ(Controller(open()).loaded.next_job, JobId{2 + job_id_gap});
}

TEST_F(OrderlyStop, GivesUpWhenTheDatabaseHangs) {
  Controller first(open());
  first.commit({JobAdded{a_job(1), {}, {}}});
  server.kill();
  EXPECT_FALSE(note_orderly_stop(servers, at_end(first, 2)));
  server.start();
}

}  // namespace
}  // namespace cox::test
