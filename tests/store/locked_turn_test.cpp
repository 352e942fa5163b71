// Whoever was to write and stands still holds up nobody for ever: a turn that was sent by half, a
// migration that does not go on.
#include <libpq-fe.h>

#include "controller/io/postgres/pg_queries.h"
#include "controller/io/postgres/schema.h"
#include "tests/store/store_bench.h"

namespace cox::test {
namespace {

struct LockedTurn : OnPostgres {};

// The first statement of the next turn, as of a leader that was paused while it sent the others:
// no Sync has come, so the server waits for more, and no timeout of its own counts.
class HalfTurn {
 public:
  explicit HalfTurn(const std::string& conninfo) : connection_(PQconnectdb(conninfo.c_str())) {
    PQclear(PQexec(connection_, query_text("session_settings").c_str()));
    EXPECT_EQ(PQenterPipelineMode(connection_), 1);
    const char* const begin = "SELECT cox.begin_turn(term, turn + 1, session) FROM cox.turn";
    EXPECT_EQ(PQsendQueryParams(connection_, begin, 0, nullptr, nullptr, nullptr, nullptr, 0), 1);
    EXPECT_EQ(PQsendFlushRequest(connection_), 1);
    EXPECT_EQ(PQflush(connection_), 0);
    PGresult* const begun = PQgetResult(connection_);
    EXPECT_EQ(PQresultStatus(begun), PGRES_TUPLES_OK) << PQresultErrorMessage(begun);
    PQclear(begun);
  }
  ~HalfTurn() { PQfinish(connection_); }
  HalfTurn(const HalfTurn&) = delete;
  HalfTurn& operator=(const HalfTurn&) = delete;

 private:
  PGconn* connection_;
};

TEST_F(LockedTurn, ALeaderThatStandsStillInHalfATurnKeepsNobodyFromLeading) {
  Controller former(open());
  former.commit({JobAdded{a_job(1), {}, {}}});
  SqlSession administrator(conninfo);
  EXPECT_EQ(administrator.run("BEGIN; SELECT turn FROM cox.turn"), "1");
  const HalfTurn half(conninfo);
  auto store = open();
  store->load(true, {});
  std::vector<StoreEvent> others;
  const Loaded loaded = next<Loaded>(*store, &others);
  EXPECT_EQ(loaded.snapshot.term, Term{2});
  EXPECT_EQ(loaded.snapshot.turn, TurnNumber{1}) << "the half turn is none";
  EXPECT_EQ(administrator.run("SELECT turn FROM cox.turn"), "1") << "who reads is left alone";
}

TEST_F(LockedTurn, NorFromGoingOnAfterALostConnection) {
  Controller controller(open());
  const HalfTurn half(conninfo);
  sql("SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a\n"
      "  WHERE a.application_name = 'cox-controller' AND a.datname = current_database()");
  controller.store().commit(controller.turn({JobAdded{a_job(1), {}, {}}}));
  std::vector<StoreEvent> others;
  EXPECT_EQ(next<Committed>(controller.store(), &others).number, TurnNumber{1});
}

// It works, or waits for a lock of somebody else's: it gets on by itself.
TEST_F(LockedTurn, WhoHoldsTheRowAndDoesNotWaitForItsClientIsLeftAlone) {
  Controller controller(open());
  SqlSession administrator(conninfo);
  EXPECT_EQ(administrator.run("BEGIN; LOCK TABLE cox.job"), "");
  controller.store().commit(controller.turn({JobAdded{a_job(1), {}, {}}}));
  const std::string waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'\n"
      "  AND application_name = 'cox-controller' AND datname = current_database()";
  while (sql(waiting) == "0") controller.store().poll();
  EXPECT_EQ(sql(query_text("free_turn")), "");
  EXPECT_EQ(administrator.run("COMMIT"), "");
  std::vector<StoreEvent> others;
  EXPECT_EQ(next<Committed>(controller.store(), &others).number, TurnNumber{1});
}

TEST_F(LockedTurn, AMigrationThatStandsStillIsFollowedByAnother) {
  ASSERT_FALSE(migrate_schema(servers));
  SqlSession paused(conninfo);
  EXPECT_FALSE(paused.run(query_text("schema_lock")).starts_with("ERROR"));
  EXPECT_EQ(sql("SELECT pg_try_advisory_lock(hashtext('cox.schema_version'))"), "f");
  EXPECT_FALSE(migrate_schema(servers));
}

}  // namespace
}  // namespace cox::test
