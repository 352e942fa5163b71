// Tests that a paused writer does not block others for ever: a leader that has sent only half a
// turn, or a migration that does not continue.
#include <libpq-fe.h>

#include "controller/io/postgres/database_check.h"
#include "controller/io/postgres/pg_connection.h"
#include "controller/io/postgres/pg_queries.h"
#include "controller/io/postgres/schema.h"
#include "tests/store/store_bench.h"

namespace cox::test {
namespace {

struct LockedTurn : OnPostgres {};

// Sends the first statement of the next turn, as a leader does that is then paused. The server
// waits for more statements, since it got no Sync, and none of its timeouts applies.
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

TEST_F(LockedTurn, APausedLeaderInHalfATurnDoesNotBlockATakeover) {
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
  EXPECT_EQ(loaded.snapshot.turn, TurnNumber{1}) << "the half turn is not committed";
  EXPECT_EQ(administrator.run("SELECT turn FROM cox.turn"), "1")
      << "the session that reads is not ended";
}

TEST_F(LockedTurn, AHalfTurnDoesNotBlockALeaderAfterALostConnection) {
  Controller controller(open());
  const HalfTurn half(conninfo);
  sql("SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a\n"
      "  WHERE a.application_name = 'cox-controller' AND a.datname = current_database()");
  controller.store().commit(controller.turn({JobAdded{a_job(1), {}, {}}}));
  std::vector<StoreEvent> others;
  EXPECT_EQ(next<Committed>(controller.store(), &others).number, TurnNumber{1});
}

// If the session of a turn executes a statement or waits for another session's lock, the turn will
// end by itself, so the session is not terminated.
TEST_F(LockedTurn, ASessionThatWorksOnItsTurnIsNotTerminated) {
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

TEST_F(LockedTurn, TheCheckOfTheDatabaseNamesTheSessionThatHoldsALock) {
  EXPECT_EQ(check_database(conninfo).find("\nlock_"), std::string::npos);
  SqlSession administrator(conninfo);
  const std::string pid = administrator.run("SELECT pg_backend_pid()");
  EXPECT_EQ(administrator.run("BEGIN; LOCK TABLE cox.job IN ACCESS EXCLUSIVE MODE"), "");
  const std::string checked = check_database(conninfo);
  EXPECT_NE(checked.find("\nlock_pid=" + pid + "\n"), std::string::npos) << checked;
  EXPECT_NE(checked.find("\nlock_state=idle in transaction\n"), std::string::npos) << checked;
  EXPECT_NE(checked.find("lock_query=BEGIN; LOCK TABLE cox.job"), std::string::npos) << checked;
  EXPECT_EQ(administrator.run("COMMIT"), "");
  EXPECT_EQ(check_database(conninfo).find("\nlock_"), std::string::npos);
}

// The statement of the turn ends by its lock_timeout. The controller then connects again, and the
// preparation of its queries waits for the lock as well.
TEST_F(LockedTurn, AStoreThatWaitsForALockSaysSo) {
  Controller controller(open());
  SqlSession administrator(conninfo);
  EXPECT_EQ(administrator.run("BEGIN; LOCK TABLE cox.job IN ACCESS EXCLUSIVE MODE"), "");
  controller.store().commit(controller.turn({JobAdded{a_job(1), {}, {}}}));
  EXPECT_EQ(next<StoreAway>(controller.store()).message, "it is connected but does not answer");
  const std::string why = next<StoreAway>(controller.store()).message;
  EXPECT_TRUE(why.starts_with(table_is_locked)) << why;
  EXPECT_EQ(next<StoreAway>(controller.store()).message, table_is_locked);
  EXPECT_EQ(administrator.run("COMMIT"), "");
  std::vector<StoreEvent> others;
  EXPECT_EQ(next<Committed>(controller.store(), &others).number, TurnNumber{1});
}

TEST_F(LockedTurn, APausedMigrationDoesNotBlockTheNextOne) {
  SqlSession paused(conninfo);
  EXPECT_FALSE(paused.run(query_text("schema_lock")).starts_with("ERROR"));
  EXPECT_EQ(sql("SELECT pg_try_advisory_lock(hashtext('cox.schema_version'))"), "f");
  EXPECT_FALSE(migrate_schema(servers));
}

}  // namespace
}  // namespace cox::test
