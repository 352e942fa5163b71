// Tests that need the real PostgreSQL: a server that dies, the rights of roles, and the schema
// itself.
#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/cluster/reservation_flags.h"
#include "common/io/clock.h"
#include "controller/io/postgres/schema.h"
#include "tests/store/store_bench.h"

namespace cox::test {
namespace {

struct Postgres : OnPostgres {
  std::unique_ptr<Store> open() {
    auto store = OnPostgres::open();
    install_transition_trigger(conninfo);
    return store;
  }
};

template <class T>
std::size_t count(const std::vector<StoreEvent>& events) {
  return static_cast<std::size_t>(std::count_if(
      events.begin(), events.end(), [](const auto& e) { return std::holds_alternative<T>(e); }));
}

// Shuts down all connections of this process to PostgreSQL except `spared`. A server process that
// is executing a query does not notice that.
void cut_connections(int spared) {
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_un peer{};
    socklen_t size = sizeof peer;
    if (fd == spared || getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (std::string_view(peer.sun_path).find(".s.PGSQL.") != std::string_view::npos)
      shutdown(fd, SHUT_RDWR);
  }
}

TEST_F(Postgres, TheViewOfReservationsShowsTheFlagsOfTheList) {
  Controller controller(open());
  const auto in_view = [&](const AdvanceReservation& r) {
    controller.commit({ReservationPut{r, "created"}});
    return sql("SELECT array_to_string(flags, ',') FROM cox.reservations");
  };
  AdvanceReservation all;
  all.name = "r";
  all.begin = at(1);
  all.end = at(2);
  all.changed = at(1);
  EXPECT_EQ(in_view(all), "");
  for (const ReservationFlag& flag : reservation_flags()) {
    AdvanceReservation one = all;
    flag.set(one, true);
    EXPECT_EQ(in_view(one), flags_text(one));
    flag.set(all, true);
  }
  all.purge_idle_s = 90'060;
  EXPECT_EQ(in_view(all), flags_text(all));
}

TEST_F(Postgres, EachTurnIsCommittedOnceThoughTheServerIsKilled) {
  Controller controller(open());
  for (int round = 1; round <= 8; ++round) {
    std::vector<Change> changes = {JobAdded{a_job(round), {}, {}}};
    for (int i = 0; i < 500; ++i) changes.push_back(EventAdded{an_event(round, "state")});
    controller.store().commit(controller.turn(changes));
    // Each round polls longer before it kills the server: at first before the server reads the
    // turn, then while it executes the turn, at last after the commit.
    for (int polls = 0; polls < (round - 1) * 3; ++polls) {
      auto* const store = static_cast<PostgresStore*>(&controller.store());
      pollfd wanted{store->fd(), store->events(), 0};
      ::poll(&wanted, 1, 5);
    }
    server.kill_and_restart();
    std::vector<StoreEvent> others;
    EXPECT_EQ(next<Committed>(controller.store(), &others).number.value, ++controller.last.value);
    EXPECT_EQ(others.size(), count<StoreAway>(others) + count<StoreBack>(others));
  }
  EXPECT_EQ(sql("SELECT count(*), (SELECT count(*) FROM cox.job_event) FROM cox.job"), "8|4000");
  EXPECT_EQ(sql("SELECT turn FROM cox.turn"), "8");
}

TEST_F(Postgres, AnIdleStoreReportsThatTheServerIsAwayAndBack) {
  Controller controller(open());
  server.kill();
  next<StoreAway>(controller.store());
  controller.store().commit(controller.turn({JobAdded{a_job(1), {}, {}}}));
  server.start();
  std::vector<StoreEvent> others;
  next<Committed>(controller.store(), &others);
  EXPECT_EQ(count<StoreBack>(others), 1u);
}

TEST_F(Postgres, AReadIsRepeatedWhenItsConnectionDies) {
  Controller controller(open());
  controller.commit({JobAdded{a_job(1), {}, {}}});
  controller.store().read_job(1, JobId{1}, false);
  EXPECT_EQ(next<JobRead>(controller.store()).jobs.size(), 1u);
  controller.store().read_job(2, JobId{1}, false);
  server.kill_and_restart();
  std::vector<StoreEvent> others;
  EXPECT_EQ(next<JobRead>(controller.store(), &others).jobs.size(), 1u);
}

TEST_F(Postgres, AReadIsRepeatedWhenATableHasOtherColumnsThanBefore) {
  Controller controller(open());
  controller.commit({JobAdded{a_job(1), {}, {}}});
  std::int64_t ticket = 0;
  for (const char* change : {"ADD COLUMN site text", "DROP COLUMN site"}) {
    controller.store().read_job(++ticket, JobId{1}, false);
    EXPECT_EQ(next<JobRead>(controller.store()).jobs.size(), 1u);
    sql(std::string("ALTER TABLE cox.job ") + change);
    controller.store().read_job(++ticket, JobId{1}, false);
    EXPECT_EQ(next<JobRead>(controller.store()).jobs.size(), 1u) << change;
  }
}

TEST_F(Postgres, APageOfRecordsHasTheTimeWhenTheClusterWasCreated) {
  Controller controller(open());
  controller.store().read_accounting(1, {});
  const Wall first = next<AccountingRead>(controller.store()).page.first_moment;
  const std::string made =
      sql("SELECT floor(extract(epoch FROM min(applied_at)))::bigint FROM cox.schema_version");
  EXPECT_EQ(std::to_string(to_ms(first) / 1000), made);
}

// The connection is lost after the server has committed, before the store has read the answer to
// COMMIT.
TEST_F(Postgres, ACommittedTurnWithALostReplyIsNotRepeated) {
  Controller controller(open());
  controller.store().commit(controller.turn({JobAdded{a_job(1), {}, {}}}));
  for (std::string turn = "0"; turn != "1";) turn = sql("SELECT turn FROM cox.turn");
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity\n"
      "  WHERE application_name = 'cox-controller' AND datname = current_database()");
  std::vector<StoreEvent> others;
  EXPECT_EQ(next<Committed>(controller.store(), &others).number, TurnNumber{1});
  EXPECT_EQ(sql("SELECT count(*) FROM cox.job"), "1");
}

TEST_F(Postgres, AControllerIsSupersededIfItsDatabaseWasSetBack) {
  Controller controller(open());
  controller.commit({JobAdded{a_job(1), {}, {}}});
  sql("UPDATE cox.turn SET turn = 0");
  server.kill_and_restart();
  std::vector<StoreEvent> others;
  EXPECT_TRUE(next<Superseded>(controller.store(), &others).database_regressed);
}

// The promoted server has all turns of this controller. But another controller may have led on the
// former primary, so this one must take a new term before it writes.
TEST_F(Postgres, OnlyANewTermWritesToAPromotedServer) {
  Controller controller(open());
  controller.commit({JobAdded{a_job(1), {}, {}}});
  sql("UPDATE cox.turn SET timeline = 7");
  server.kill_and_restart();
  std::vector<StoreEvent> others;
  EXPECT_TRUE(next<Superseded>(controller.store(), &others).database_regressed);
  EXPECT_EQ(sql("SELECT timeline, (SELECT count(*) FROM cox.failover) FROM cox.turn"), "7|0");
  Controller second(open());
  ASSERT_EQ(second.loaded.failovers.size(), 1u);
  EXPECT_EQ(second.loaded.failovers.front().turns_lost, std::nullopt);
  EXPECT_EQ(second.loaded.failovers.front().from_timeline, 7);
}

TEST_F(Postgres, OnlyTheNextTurnOfTheCurrentTermAndSessionBegins) {
  Controller controller(open());
  controller.commit({});
  const std::string session = sql("SELECT session FROM cox.turn");
  const auto begin = [&](const std::string& term, const std::string& turn,
                         const std::string& its_session) {
    return sql("BEGIN; SELECT cox.begin_turn(" + term + "," + turn + "," + its_session +
               "); ROLLBACK");
  };
  EXPECT_EQ(begin("1", "2", session), "");
  EXPECT_TRUE(begin("1", "1", session).starts_with("ERROR CX001"))
      << "the turn is already committed";
  EXPECT_TRUE(begin("1", "3", session).starts_with("ERROR CX001")) << "a turn is missing";
  EXPECT_TRUE(begin("2", "2", session).starts_with("ERROR CX001")) << "another term";
  EXPECT_TRUE(begin("1", "2", "99").starts_with("ERROR CX001")) << "another session";
}

// A server that hangs does not close its connections, so the store notices only that it does not
// answer.
TEST_F(Postgres, ASilentServerIsReportedAsAwayAndThenBack) {
  Controller controller(open());
  SqlSession administrator(conninfo);
  EXPECT_EQ(administrator.run("BEGIN; LOCK TABLE cox.job"), "");
  controller.store().commit(controller.turn({JobAdded{a_job(1), {}, {}}}));
  EXPECT_EQ(next<StoreAway>(controller.store()).message, "it is connected but does not answer");
  EXPECT_EQ(administrator.run("COMMIT"), "");
  std::vector<StoreEvent> others;
  EXPECT_EQ(next<Committed>(controller.store(), &others).number, TurnNumber{1});
  EXPECT_EQ(count<StoreBack>(others), 1u);
  EXPECT_EQ(count<StoreAway>(others), 0u);
}

// The turn waits for a lock of another session, and then the store loses its connection. The new
// connection waits until the old server process has ended before it decides whether the turn was
// committed. So the turn is committed once.
TEST_F(Postgres, ANewConnectionWaitsForTheOldBackend) {
  Controller controller(open());
  SqlSession administrator(conninfo);
  EXPECT_EQ(administrator.run("BEGIN; LOCK TABLE cox.job"), "");
  controller.store().commit(controller.turn({JobAdded{a_job(1), {}, {}}}));
  const auto waiting = [&] {
    return sql(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'\n"
        "  AND application_name = 'cox-controller' AND datname = current_database()");
  };
  while (waiting() == "0") controller.store().poll();
  cut_connections(administrator.socket());
  next<StoreAway>(controller.store());
  // Two sessions wait for a lock: the turn, and the new connection, which waits for the turn.
  while (waiting() != "2") controller.store().poll();
  EXPECT_EQ(administrator.run("COMMIT"), "");
  std::vector<StoreEvent> others;
  EXPECT_EQ(next<Committed>(controller.store(), &others).number, TurnNumber{1});
  EXPECT_EQ(sql("SELECT count(*) FROM cox.job"), "1");
}

TEST_F(Postgres, AMissingServerIsReportedAndDoesNotAbort) {
  PgServers nowhere("host=/nonexistent dbname=cox");
  const auto store = PostgresStore::open(nowhere);
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.refusal().fact.find("/nonexistent"), std::string::npos);
}

TEST_F(Postgres, TheHistoryOfJobsIsAppendOnlyAndPartitioned) {
  Controller controller(open());
  JobEvent far = an_event(1, "state");
  far.at = wall_from_ms(4'000'000'000'000);
  controller.commit({EventAdded{an_event(1, "state")}, EventAdded{far}});
  EXPECT_TRUE(sql("UPDATE cox.job_event SET why = ''").starts_with("ERROR"));
  EXPECT_TRUE(sql("DELETE FROM cox.job_event").starts_with("ERROR"));
  EXPECT_EQ(sql("SELECT count(*) FROM cox.job_event"), "2");
  EXPECT_EQ(
      sql("SELECT count(*) >= 13 FROM pg_inherits WHERE inhparent = 'cox.job_event'::regclass"),
      "t");
}

TEST_F(Postgres, TheHistoryOfNodesIsAppendOnlyAndKeptForAYear) {
  Controller controller(open());
  const auto noted_at = [](Wall when) {
    return NodeEventAdded{{"n1", when, "drained", "it is to be repaired", "user ada"}};
  };
  const Wall long_ago = wall_from_ms(1'000'000'000'000);
  controller.commit({NodeChanged{a_node("n1")}, noted_at(long_ago), noted_at(long_ago),
                     noted_at(long_ago), noted_at(read_clock().wall)});
  EXPECT_TRUE(sql("UPDATE cox.node_event SET why = ''").starts_with("ERROR 23001"));
  EXPECT_TRUE(sql("DELETE FROM cox.node_event").starts_with("ERROR 23001"));
  EXPECT_EQ(sql("SELECT count(*) FROM cox.node_event"), "4");
  for (const std::string left : {"1|2", "0|3", "0|4"}) {
    controller.commit({noted_at(read_clock().wall)});
    EXPECT_EQ(sql("SELECT count(*) FILTER (WHERE at < now() - interval '1 year'),\n"
                  "       count(*) FILTER (WHERE at >= now() - interval '1 year')\n"
                  "  FROM cox.node_event"),
              left);
  }
}

TEST_F(Postgres, TheViewsShowJobsNodesAndHistory) {
  Controller controller(open());
  Job job = a_job(1);
  Attempt attempt = an_attempt(1, 1);
  Node node = a_node("n1");
  controller.commit({JobAdded{job, {}, {}}, change(job, JobState::Configuring),
                     change(job, JobState::Running), AttemptAdded{attempt},
                     CheckpointAdded{a_checkpoint(1, 1, 10)}, NodeChanged{node},
                     EventAdded{an_event(1, "state")}});
  EXPECT_EQ(sql("SELECT id, state, node_list, saved_step FROM cox.queue"), "1|RUNNING|{n1,n2}|10");
  EXPECT_EQ(sql("SELECT name, state FROM cox.nodes"), "n1|DOWN") << "an operator set it so";
  node.set_down = false;
  controller.commit({NodeChanged{node}});
  EXPECT_EQ(sql("SELECT name, state, cpus_used, gpus_used, jobs FROM cox.nodes"),
            "n1|DRAINING|0|2|{1}")
      << "the job is suspended there: only its CPUs are free";
  EXPECT_EQ(sql("SELECT job_id, state, stop_why FROM cox.attempts"), "1|stopping|preempt");
  EXPECT_EQ(sql("SELECT job_id, state, step FROM cox.checkpoints"), "1|good|10");
  EXPECT_EQ(sql("SELECT state, job_id, actor FROM cox.events"), "PENDING|1|user ada");
  attempt.ended = at(63);
  attempt.nodes[0].given_back = at(33);
  attempt.outcome = "preempted; its save did not become a checkpoint: and so on";
  attempt.suspension = {4, false};
  attempt.suspended_ms = 10'000;
  controller.commit({change(job, JobState::Completing), change(job, JobState::Completed),
                     AttemptChanged{attempt}});
  EXPECT_EQ(sql("SELECT id, state, ran, cpu_seconds_allocated, gpu_seconds_allocated FROM "
                "cox.history"),
            "1|COMPLETED|00:00:50|400|120");
  EXPECT_EQ(sql("SELECT job_id, attempt, gpu_seconds, cpu_seconds FROM cox.lost_saves"),
            "1|1|56|312")
      << "n1, with all GPUs, was given back after 28 s of the 50 s that it ran since its "
         "checkpoint";
}

// A controller does not notice such a change of its own tables, so the database refuses it.
TEST_F(Postgres, DirectWritesAreRefusedAndTheRightCommandIsNamed) {
  const std::vector<std::string> writes{"UPDATE cox.job SET held = true",
                                        "DELETE FROM cox.job",
                                        "UPDATE cox.node SET drained = false",
                                        "INSERT INTO cox.node (name) VALUES ('n9')",
                                        "UPDATE cox.partition SET state = 'UP'",
                                        "TRUNCATE cox.reservation",
                                        "UPDATE cox.crontab SET text = ''",
                                        "DELETE FROM cox.crontab_line",
                                        "UPDATE cox.association SET shares = 2",
                                        "UPDATE cox.attempt SET ended_at = now()",
                                        "DELETE FROM cox.leadership",
                                        "INSERT INTO cox.turn DEFAULT VALUES",
                                        "TRUNCATE cox.job_event_default",
                                        "DELETE FROM cox.turn",
                                        "TRUNCATE cox.failover",
                                        "DELETE FROM cox.event_trigger",
                                        "DELETE FROM cox.schema_version",
                                        "DELETE FROM cox.reservation_event",
                                        "TRUNCATE cox.node_event",
                                        "UPDATE cox.request SET refused = false"};
  for (const std::string& write : writes) {
    const std::string result_text = sql(write);
    EXPECT_TRUE(result_text.starts_with("ERROR 42501")) << write << ": " << result_text;
    EXPECT_NE(result_text.find("only the controller writes cox."), std::string::npos)
        << result_text;
  }
  EXPECT_EQ(sql("UPDATE cox.qos SET grace_ms = 1000"), "") << "the controller reads QOS again";
  EXPECT_TRUE(sql("UPDATE cox.qos SET tier = 2147483647").starts_with("ERROR 23514"));
  EXPECT_TRUE(sql("UPDATE cox.qos SET grace_ms = 9223372036854775807").starts_with("ERROR 23514"));
  EXPECT_EQ(sql("INSERT INTO cox.request (command) VALUES ('show')"), "")
      << "requests may be added";
  EXPECT_EQ(by_hand("UPDATE cox.association SET shares = 2"), "") << "cox.writer allows repairs";
  SchemaTexts next;
  next.migrations.push_back({"999_next", "UPDATE cox.association SET shares = 3;"});
  EXPECT_FALSE(migrate_schema(servers, next)) << "a migration may write";
}

TEST_F(Postgres, TheReaderRoleCanOnlyRead) {
  const std::string reader = conninfo + " user=cox_reader";  // overrides the user= in conninfo
  EXPECT_EQ(run_sql(reader, "SHOW statement_timeout"), "30s");
  EXPECT_EQ(run_sql(reader, "SHOW idle_in_transaction_session_timeout"), "1min");
  EXPECT_EQ(run_sql(reader, "SELECT count(*) FROM cox.queue"), "0");
  EXPECT_TRUE(run_sql(reader, "SELECT * FROM cox.blob").starts_with("ERROR 42501"));
  EXPECT_TRUE(run_sql(reader, "SELECT * FROM cox.crontab").starts_with("ERROR 42501"));
  EXPECT_EQ(run_sql(reader, "SELECT count(*) FROM cox.crontabs"), "0");
  for (const std::string act :
       {"UPDATE cox.turn SET term = 9", "DELETE FROM cox.job", "SELECT cox.begin_turn(1, 1, 1)"}) {
    EXPECT_TRUE(run_sql(reader, "SET TRANSACTION READ WRITE; " + act).starts_with("ERROR 42501"))
        << act;
  }
}

// At sites where a superuser has made the role, the owner of the schema may not alter it.
TEST_F(Postgres, AnOwnerWhoMayNotAlterTheReaderRoleGrantsItWhatItMayRead) {
  sql("DO $$ BEGIN CREATE ROLE cox_test_owner LOGIN; EXCEPTION WHEN duplicate_object THEN END $$");
  sql("REVOKE SELECT ON cox.job FROM cox_reader; ALTER SCHEMA cox OWNER TO cox_test_owner;\n"
      "ALTER FUNCTION cox.grant_reader OWNER TO cox_test_owner;\n"
      "DO $$ DECLARE relation text; BEGIN\n"
      "  FOR relation IN SELECT relname FROM pg_class WHERE relnamespace = 'cox'::regnamespace\n"
      "      AND relkind IN ('r', 'p', 'v') LOOP\n"
      "    EXECUTE format('ALTER TABLE cox.%I OWNER TO cox_test_owner', relation);\n"
      "  END LOOP; END $$");
  ASSERT_EQ(sql("SELECT has_table_privilege('cox_reader', 'cox.job', 'SELECT')"), "f");
  EXPECT_EQ(run_sql(conninfo + " user=cox_test_owner", "SELECT cox.grant_reader()"), "");
  EXPECT_EQ(sql("SELECT has_table_privilege('cox_reader', 'cox.job', 'SELECT')"), "t");
}

TEST_F(Postgres, TheSchemaPassesItsPgTapTests) {
  ASSERT_FALSE(sql("CREATE EXTENSION pgtap SCHEMA public").starts_with("ERROR"))
      << "pgTAP is not installed: ./dev test installs the package pgtap";
  std::ifstream file("sql/tests/schema.sql");  // the working directory is the repository's root
  std::stringstream text;
  text << file.rdbuf();
  ASSERT_FALSE(text.str().empty());
  // The last statement returns the output of runtests(), one line a test.
  const std::string result_text = sql(text.str());
  EXPECT_EQ(result_text.find("not ok"), std::string::npos) << result_text;
  EXPECT_NE(result_text.find("ok 1"), std::string::npos) << result_text;
}

}  // namespace
}  // namespace cox::test
