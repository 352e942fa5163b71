// Tests how a starting controller reads the jobs: equal specifications are read only once, and the
// result always matches the rows.
#include <regex>
#include <sstream>

#include "controller/io/postgres/pg_queries.h"
#include "tests/patience.h"
#include "tests/store/store_bench.h"

namespace cox::test {
namespace {

constexpr std::int64_t jobs = 700;

struct JobLoad : OnPostgres {
  // Adds jobs of two users. Each user has two different specifications.
  void SetUp() override {
    Controller controller(open());
    std::vector<Change> added;
    for (std::int64_t id = 1; id <= jobs; ++id) {
      Job job = a_job(id);
      job.spec.change().uid = id % 2 == 0 ? 1001 : 1002;
      job.spec.change().comment = id % 3 == 0 ? "sweep" : "";
      rows.push_back(job);
      added.push_back(JobAdded{job, {}, {}});
    }
    controller.commit(std::move(added));
  }

  std::vector<Job> loaded() { return load(*open(), true, at(0)).jobs; }

  std::vector<Job> rows;
};

TEST_F(JobLoad, EqualSpecificationsAreReadOnce) {
  const std::vector<Job> found = loaded();
  EXPECT_EQ(found, rows);
  ASSERT_EQ(found.size(), rows.size());
  // These two jobs have equal specifications, so they share one object.
  EXPECT_TRUE(found[1].spec.is(found[jobs - 3].spec));
  EXPECT_EQ(sql("SELECT count(DISTINCT spec_digest) FROM cox.job"), "4");
}

TEST_F(JobLoad, RowsWithoutADigestAreReadOneByOne) {
  EXPECT_EQ(by_hand("UPDATE cox.job SET spec_digest = NULL WHERE id % 5 < 3"), "");
  EXPECT_EQ(loaded(), rows);
}

TEST_F(JobLoad, TheDigestOfAnotherUsersJobIsIgnored) {
  EXPECT_EQ(
      by_hand("UPDATE cox.job SET spec_digest = (SELECT spec_digest FROM cox.job WHERE id = 1)"
              " WHERE id % 3 <> 0"),
      "");
  EXPECT_EQ(loaded(), rows);
}

TEST_F(JobLoad, ARowChangedByHandIsReadAsItIs) {
  EXPECT_EQ(by_hand("UPDATE cox.job SET comment = 'by hand' WHERE id = 7"), "");
  rows[6].spec.change().comment = "by hand";
  EXPECT_EQ(loaded(), rows);
  EXPECT_EQ(sql("SELECT count(*) FROM cox.job WHERE spec_digest IS NULL"), "1");
}

TEST_F(JobLoad, AChangedSpecificationGetsItsOwnDigest) {
  Controller controller(open());
  rows[6].spec.change().comment = "by scontrol";
  controller.commit({JobRespecified{rows[6]}});
  EXPECT_EQ(loaded(), rows);
  EXPECT_EQ(sql("SELECT count(DISTINCT spec_digest) FROM cox.job"), "5");
}

TEST_F(JobLoad, RecentlyEndedJobsAreLoadedInIdOrderWithTheOthers) {
  Controller controller(open());
  std::vector<Change> ends;
  for (const std::size_t each : {3U, 300U}) {
    ends.push_back(change(rows[each], JobState::Cancelled));
    ends.push_back(noted(rows[each]));
  }
  controller.commit(std::move(ends));
  EXPECT_EQ(loaded(), rows);
}

TEST_F(JobLoad, AJobChangedByHandAndByTheControllerIsLoadedWithBothChanges) {
  Controller controller(open());
  EXPECT_EQ(by_hand("UPDATE cox.job SET command = '{by,hand}' WHERE id = 7"), "");
  for (const std::size_t each : {0U, 6U}) rows[each].spec.change().comment = "by scontrol";
  controller.commit({JobRespecified{rows[0]}, JobRespecified{rows[6]}});
  rows[6].spec.change().command = {"by", "hand"};
  EXPECT_EQ(loaded(), rows);
}

TEST_F(JobLoad, ALoadOfJobsStartsAgainWhenItsConnectionDies) {
  constexpr std::int64_t more = 8'100;  // more rows than one FETCH returns
  const auto store = open();
  // A first load prepares the queries. In later loads their texts appear in pg_stat_activity only
  // while they are executed.
  load(*store, true, at(0));
  EXPECT_EQ(by_hand("INSERT INTO cox.job SELECT r.* FROM cox.job AS j"
                    " CROSS JOIN generate_series(" +
                    std::to_string(jobs + 1) + ", " + std::to_string(jobs + more) +
                    ") AS g CROSS JOIN LATERAL jsonb_populate_record(j,"
                    "   jsonb_build_object('id', g, 'request_id', g::text)) AS r WHERE j.id = 1"),
            "");
  EXPECT_EQ(by_hand("UPDATE cox.job SET spec_digest = NULL"), "");
  store->load(false, at(0));
  const std::string at_it =
      // The brackets keep this query from matching itself.
      " FROM pg_stat_activity WHERE query ~ 'FETCH 250 FROM loaded_spec[s]'"
      " AND pid <> pg_backend_pid() AND datname = current_database()";
  const auto deadline = std::chrono::steady_clock::now() + patience();
  while (sql("SELECT count(*)" + at_it) == "0") {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    // Other events are ignored: on a slow machine the connection may also be lost.
    for (const StoreEvent& event : store->poll())
      // The load ended before it could be interrupted, so it is started again.
      if (std::holds_alternative<Loaded>(event)) store->load(false, at(0));
  }
  EXPECT_EQ(sql("SELECT pg_terminate_backend(pid)" + at_it), "t");
  std::vector<StoreEvent> others;
  const std::vector<Job> found = next<Loaded>(*store, &others).snapshot.jobs;
  EXPECT_EQ(others.size(), 2U);  // StoreAway and StoreBack
  ASSERT_EQ(found.size(), static_cast<std::size_t>(jobs + more));
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i].id.value, static_cast<std::int64_t>(i) + 1);
  EXPECT_EQ(std::vector<Job>(found.begin(), found.begin() + jobs), rows);
}

TEST_F(JobLoad, TimesOutOfRangeAreReadAsTheFirstOrTheLastTime) {
  EXPECT_EQ(by_hand("UPDATE cox.job SET begin_at = '0044-03-15 BC', deadline_at = '12026-11-23'"
                    " WHERE id = 7"),
            "");
  rows[6].spec.change().begin = wall_from_ms(-62'135'596'800'000);
  rows[6].spec.change().deadline = wall_from_ms(253'402'300'799'999);
  EXPECT_EQ(loaded(), rows);
}

// A load reads specifications with equal digests once. So each column of a job must be read for
// each job, or a change of it must clear the digest. Otherwise a changed column would be missed or
// come from another job's row.
TEST_F(JobLoad, EveryColumnIsReadForEachJobOrClearsTheDigest) {
  std::istringstream columns(
      sql("SELECT string_agg(a.attname, ' ') FROM pg_attribute AS a"
          " JOIN pg_trigger AS t ON t.tgrelid = a.attrelid AND t.tgname = 'forget_spec_digest'"
          " WHERE a.attrelid = 'cox.job'::regclass AND a.attnum > 0 AND NOT a.attisdropped"
          " AND NOT a.attnum = ANY (t.tgattr::smallint[])"));
  int read = 0;
  for (std::string name; columns >> name; ++read)
    EXPECT_TRUE(std::regex_search(query_text("load_jobs"), std::regex("[ (]" + name + ",")))
        << name;
  EXPECT_GT(read, 20);
}

}  // namespace
}  // namespace cox::test
