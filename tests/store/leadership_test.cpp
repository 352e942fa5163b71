// Which of two controllers leads: the lease in a real PostgreSQL, by its clock.
#include "controller/io/postgres/leadership.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "common/io/clock.h"
#include "controller/io/postgres/schema.h"
#include "tests/store/store_bench.h"

namespace cox::test {
namespace {

constexpr Milliseconds short_lease{300};

struct LeadershipTest : OnPostgres {
  void SetUp() override {
    EXPECT_FALSE(schema_exists(servers).value());
    ASSERT_FALSE(migrate_schema(servers));
    EXPECT_TRUE(schema_exists(servers).value());
  }
};

// Both, as their programs would, until it is so.
testing::AssertionResult run_until(std::initializer_list<Leadership*> all,
                                   const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < end) {
    for (Leadership* one : all) one->poll(read_clock().boot);
    if (condition()) return testing::AssertionSuccess();
    ::poll(nullptr, 0, 5);
  }
  return testing::AssertionFailure() << "not within 20 s";
}

TEST_F(LeadershipTest, OneLeadsAndTheOtherKnowsWho) {
  Leadership first(servers, "ctl1", short_lease);
  Leadership second(servers, "ctl2", short_lease);
  ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  const std::string since = first.since();
  ASSERT_TRUE(run_until({&first, &second}, [&] { return second.knows(); }));
  EXPECT_FALSE(second.leads());
  EXPECT_EQ(second.holder(), "ctl1");
  EXPECT_EQ(first.since(), since);
  EXPECT_EQ(sql("SELECT holder, ends_at > clock_timestamp() + interval '20 s' FROM cox.leadership"),
            "ctl1|t")
      << "it gets more time as long as it loads";
  first.set_term(Term{7});
  ASSERT_TRUE(run_until({&first}, [&] {
    return sql("SELECT term, ends_at < clock_timestamp() + interval '1 s' FROM cox.leadership") ==
           "7|t";
  }));
}

TEST_F(LeadershipTest, ALeaseThatIsNotRenewedGoesToTheOther) {
  Leadership first(servers, "ctl1", short_lease);
  Leadership second(servers, "ctl2", short_lease);
  first.set_term(Term{1});
  second.set_term(Term{2});
  ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  ASSERT_TRUE(run_until({&second}, [&] { return second.leads(); }));
  EXPECT_TRUE(first.leads()) << "it has not heard of it";
  EXPECT_FALSE(first.is_sure(read_clock().boot)) << "but may have known";
  const std::string since = first.since();
  ASSERT_TRUE(run_until({&first}, [&] { return !first.leads(); }));
  EXPECT_EQ(first.holder(), "ctl2");
  ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  EXPECT_NE(first.since(), since) << "another one has led in between";
}

TEST_F(LeadershipTest, WhoResignsLetsTheOtherLeadAtOnce) {
  Leadership first(servers, "ctl1", Milliseconds{3'600'000});
  Leadership second(servers, "ctl2", Milliseconds{3'600'000});
  ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  first.resign();
  ASSERT_TRUE(run_until({&second}, [&] { return second.leads(); }));
}

TEST_F(LeadershipTest, OneThatIsBackNeedNotWaitForItsOwnLease) {
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

// It dies while it loads, each time, and its lease is not made longer for that.
TEST_F(LeadershipTest, OneThatNeverComesToLeadKeepsNobodyAway) {
  const std::string end = "SELECT ends_at FROM cox.leadership";
  std::string told;
  for (int life = 0; life < 3; ++life) {
    Leadership broken(servers, "ctl1", short_lease);
    ASSERT_TRUE(run_until({&broken}, [&] { return broken.leads(); }));
    if (life == 0) told = sql(end);
    EXPECT_EQ(sql(end), told);
  }
  sql("UPDATE cox.leadership SET since = since - interval '1 h', ends_at = since");
  Leadership broken(servers, "ctl1", short_lease);
  ASSERT_TRUE(run_until({&broken}, [&] { return broken.leads(); }));
  Leadership second(servers, "ctl2", short_lease);
  ASSERT_TRUE(run_until({&second}, [&] { return second.leads(); }));
}

// A rolling upgrade: the newer program leads, and the older one stands by meanwhile and afterwards.
TEST_F(LeadershipTest, AStandbyOfTheVersionBeforeSeesTheSchemaGoFurther) {
  Leadership newer(servers, "ctl1", Milliseconds{60'000});
  Leadership older(servers, "ctl2", short_lease);
  ASSERT_TRUE(run_until({&newer}, [&] { return newer.leads(); }));
  ASSERT_TRUE(run_until({&newer, &older}, [&] { return older.knows(); }));
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
  EXPECT_EQ(migrate_schema(servers)->fact, older.hindrance()) << "nor does it lead by itself";
}

// Only by force: to others the database refuses it (refuse_direct_write).
TEST_F(LeadershipTest, WithoutItsRowNobodyTakesTheLeadAndItIsSaid) {
  by_hand("CREATE TABLE kept AS SELECT * FROM cox.leadership; DELETE FROM cox.leadership");
  Leadership first(servers, "ctl1", short_lease);
  ASSERT_TRUE(run_until({&first}, [&] { return !first.trouble().empty(); }));
  EXPECT_NE(first.trouble().find("has lost its row"), std::string::npos) << first.trouble();
  EXPECT_FALSE(first.leads());
  by_hand("INSERT INTO cox.leadership SELECT * FROM kept");
  ASSERT_TRUE(run_until({&first}, [&] { return first.leads(); }));
  EXPECT_EQ(first.trouble(), "");
}

TEST_F(LeadershipTest, WhoLeadsGoesOnWhileTheDatabaseIsAway) {
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
