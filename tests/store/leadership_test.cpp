// Tests which of two controllers leads, by the lease in a real PostgreSQL and its clock.
#include "controller/io/postgres/leadership.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "common/io/clock.h"
#include "controller/io/postgres/schema.h"
#include "tests/patience.h"
#include "tests/store/store_bench.h"

namespace cox::test {
namespace {

constexpr Milliseconds short_lease{300};

struct LeadershipTest : OnPostgres {
  LeadershipTest() : OnPostgres(PrivatePostgres::shared().new_database()) {}
  void SetUp() override {
    EXPECT_FALSE(schema_exists(servers).value());
    ASSERT_FALSE(migrate_schema(servers));
    EXPECT_TRUE(schema_exists(servers).value());
  }
};

// Polls all these objects, as the controllers that have them do, until the condition holds.
testing::AssertionResult run_until(std::initializer_list<Leadership*> all,
                                   const std::function<bool()>& condition) {
  const bool met = wait_for([&] {
    for (Leadership* one : all) one->poll(read_clock().boot);
    return condition();
  });
  return met ? testing::AssertionSuccess() : testing::AssertionFailure() << "not in time";
}

TEST_F(LeadershipTest, OneControllerGetsTheLeaseAndTheStandbyKnowsItsName) {
  Leadership first(servers, "ctl1", short_lease);
  Leadership second(servers, "ctl2", short_lease);
  ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  const std::string since = first.since();
  ASSERT_TRUE(run_until({&first, &second}, [&] { return second.has_answer(); }));
  EXPECT_FALSE(second.leads());
  EXPECT_EQ(second.holder(), "ctl1");
  EXPECT_EQ(first.since(), since);
  EXPECT_EQ(sql("SELECT holder, ends_at > clock_timestamp() + interval '20 s' FROM cox.leadership"),
            "ctl1|t")
      << "the lease is longer while the controller loads";
  first.set_term(Term{7});
  ASSERT_TRUE(run_until({&first}, [&] {
    return sql("SELECT term, ends_at < clock_timestamp() + interval '1 s' FROM cox.leadership") ==
           "7|t";
  }));
}

TEST_F(LeadershipTest, ALeaseThatIsNotRenewedGoesToTheStandby) {
  Leadership first(servers, "ctl1", short_lease);
  Leadership second(servers, "ctl2", short_lease);
  first.set_term(Term{1});
  second.set_term(Term{2});
  ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  ASSERT_TRUE(run_until({&second}, [&] { return second.leads(); }));
  EXPECT_TRUE(first.leads()) << "the first controller does not know it yet";
  EXPECT_FALSE(first.is_sure(read_clock().boot)) << "its lease may have ended";
  const std::string since = first.since();
  ASSERT_TRUE(run_until({&first}, [&] { return !first.leads(); }));
  EXPECT_EQ(first.holder(), "ctl2");
  ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  EXPECT_NE(first.since(), since) << "another controller has led in between";
}

TEST_F(LeadershipTest, AfterAResignationTheStandbyLeadsAtOnce) {
  Leadership first(servers, "ctl1", Milliseconds{3'600'000});
  Leadership second(servers, "ctl2", Milliseconds{3'600'000});
  ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  first.resign();
  ASSERT_TRUE(run_until({&second}, [&] { return second.leads(); }));
}

TEST_F(LeadershipTest, AControllerThatEndsWhileItAsksForTheLeaseDoesNotKeepIt) {
  Leadership first(servers, "ctl1", Milliseconds{3'600'000});
  Leadership second(servers, "ctl2", Milliseconds{3'600'000});
  ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  const Boot now = read_clock().boot;
  first.doubt(now);
  first.poll(now);  // sends the query
  ASSERT_FALSE(first.leads());
  first.resign();
  ASSERT_TRUE(run_until({&second}, [&] { return second.leads(); }));
}

TEST_F(LeadershipTest, ARestartedLeaderDoesNotWaitForItsOwnLease) {
  {
    Leadership first(servers, "ctl1", Milliseconds{3'600'000});
    ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  }
  Leadership again(servers, "ctl1", Milliseconds{3'600'000});
  ASSERT_TRUE(run_until({&again}, [&] { return again.leads(); }));
  const std::string since = again.since();
  again.doubt(read_clock().boot);
  EXPECT_FALSE(again.leads());
  ASSERT_TRUE(run_until({&again}, [&] { return again.leads(); }));
  EXPECT_EQ(again.since(), since);
}

// The controller gets the lease and dies each time while it loads the cluster. That does not extend
// its lease.
TEST_F(LeadershipTest, ALeaderThatNeverFinishesItsStartDoesNotExtendItsLease) {
  const std::string end = "SELECT ends_at FROM cox.leadership";
  std::string first_end;
  for (int life = 0; life < 3; ++life) {
    Leadership broken(servers, "ctl1", short_lease);
    ASSERT_TRUE(run_until({&broken}, [&] { return broken.leads(); }));
    if (life == 0) first_end = sql(end);
    EXPECT_EQ(sql(end), first_end);
  }
  sql("UPDATE cox.leadership SET since = since - interval '1 h', ends_at = since");
  Leadership broken(servers, "ctl1", short_lease);
  ASSERT_TRUE(run_until({&broken}, [&] { return broken.leads(); }));
  Leadership second(servers, "ctl2", short_lease);
  ASSERT_TRUE(run_until({&second}, [&] { return second.leads(); }));
}

// In a rolling upgrade the controller of the newer version leads. The one of the older version
// stays a standby, also when the newer one resigns.
TEST_F(LeadershipTest, AStandbyOfThePreviousVersionDoesNotLeadWithANewerSchema) {
  Leadership newer(servers, "ctl1", Milliseconds{60'000});
  Leadership older(servers, "ctl2", short_lease);
  ASSERT_TRUE(run_until({&newer}, [&] { return newer.leads(); }));
  ASSERT_TRUE(run_until({&newer, &older}, [&] { return older.has_answer(); }));
  SchemaTexts newer_texts;
  newer_texts.migrations.push_back(
      {"999_further",
       "ALTER TABLE cox.job ADD COLUMN further text NOT NULL DEFAULT 'so far';"
       "CREATE INDEX further ON cox.job (further); SELECT pg_sleep(0.5);"});
  std::atomic<bool> done = false;
  std::thread migrating([&] {
    EXPECT_FALSE(migrate_schema(servers, newer_texts));
    done = true;
  });
  EXPECT_TRUE(run_until({&older}, [&] {
    EXPECT_EQ(older.trouble(), "");
    return done.load();
  }));
  migrating.join();
  EXPECT_FALSE(older.leads());
  newer.resign();
  ASSERT_TRUE(run_until({&older}, [&] { return !older.hindrance().empty(); }));
  EXPECT_EQ(older.hindrance(),
            "the database has schema version 999, this program knows only up to " +
                std::to_string(newest_migration()));
  const std::string row = sql("SELECT leadership::text FROM cox.leadership");
  const Boot end = read_clock().boot + 2 * short_lease;
  ASSERT_TRUE(run_until({&older}, [&] { return read_clock().boot > end; }));
  EXPECT_FALSE(older.leads());
  EXPECT_EQ(sql("SELECT leadership::text FROM cox.leadership"), row);
  EXPECT_EQ(migrate_schema(servers)->fact, older.hindrance()) << "its schema check refuses it too";
}

// The row of the lease in cox.leadership is missing. Only a controller may delete it; the database
// refuses that to all others (refuse_direct_write).
TEST_F(LeadershipTest, WithoutTheLeadershipRowNoControllerLeadsAndTheReasonIsReported) {
  by_hand("CREATE TABLE kept AS SELECT * FROM cox.leadership; DELETE FROM cox.leadership");
  Leadership first(servers, "ctl1", short_lease);
  ASSERT_TRUE(run_until({&first}, [&] { return !first.trouble().empty(); }));
  EXPECT_NE(first.trouble().find("cox.leadership or cox.turn has no row"), std::string::npos)
      << first.trouble();
  EXPECT_FALSE(first.leads());
  by_hand("INSERT INTO cox.leadership SELECT * FROM kept");
  ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  EXPECT_EQ(first.trouble(), "");
}

TEST_F(LeadershipTest, ALeaderKeepsLeadingWhileTheDatabaseIsAway) {
  Leadership first(servers, "ctl1", short_lease);
  first.set_term(Term{1});
  ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  server.kill();
  ASSERT_TRUE(run_until({&first}, [&] { return !first.trouble().empty(); }));
  EXPECT_TRUE(first.leads());
  server.start();
  by_hand(
      "UPDATE cox.leadership SET holder = 'ctl2', ends_at = clock_timestamp() + interval '1 h'");
  ASSERT_TRUE(run_until({&first}, [&] { return !first.leads(); }));
}

}  // namespace
}  // namespace cox::test
