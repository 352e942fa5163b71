// What a controller writes when it is stopped in order, and what it is worth later.
#include "controller/io/postgres/orderly_stop.h"

#include "tests/store/store_bench.h"

namespace cox::test {
namespace {

struct OrderlyStop : OnPostgres {
  // Of the controller: what it knows to be true at its end.
  static LastKnownState at_end(const Controller& controller, std::int64_t next_job) {
    LastKnownState known;
    known.term = controller.loaded.term;
    known.turn = controller.last;
    known.next_job = JobId{next_job};
    return known;
  }
};

TEST_F(OrderlyStop, TheNextControllerIssuesTheNextId) {
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
  EXPECT_EQ(third.loaded.next_job, JobId{5}) << "it has written nothing meanwhile";
  third.commit({JobAdded{a_job(5), {}, {}}});
  Controller fourth(open());
  EXPECT_EQ(fourth.loaded.next_job, JobId{6 + job_id_gap}) << "the third was not stopped in order";
}

TEST_F(OrderlyStop, IsNotWrittenBesideAnotherTurnOrAnotherLeader) {
  Controller first(open());
  first.commit({JobAdded{a_job(1), {}, {}}});
  LastKnownState before = at_end(first, 2);
  first.commit({JobAdded{a_job(2), {}, {}}});
  EXPECT_FALSE(note_orderly_stop(servers, before)) << "a turn that it did not know to be true";
  const LastKnownState known = at_end(first, 3);
  Controller second(open());
  EXPECT_FALSE(note_orderly_stop(servers, known)) << "another one leads";
  EXPECT_EQ(second.loaded.next_job, JobId{3 + job_id_gap});
}

TEST_F(OrderlyStop, GivesUpWhereTheDatabaseStandsStill) {
  Controller first(open());
  first.commit({JobAdded{a_job(1), {}, {}}});
  server.kill();
  EXPECT_FALSE(note_orderly_stop(servers, at_end(first, 2)));
  server.start();
}

}  // namespace
}  // namespace cox::test
