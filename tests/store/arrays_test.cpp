// Tests of the suite that runs over both stores (PostgreSQL and memory): reads of job arrays and of
// jobs that depend on them. Large arrays are not read again for each page or for each dependent
// job.
#include <chrono>

#include "common/base/limits.h"
#include "controller/io/postgres/schema.h"
#include "tests/patience.h"
#include "tests/store/private_postgres.h"
#include "tests/store/store_suite.h"

namespace cox::test {
namespace {

Job a_task(std::int64_t id, std::int64_t array, std::int64_t task) {
  Job job = a_job(id);
  if (id != array) job.request_id.clear();
  job.array_job = JobId{array};
  job.array_task = task;
  job.array_tasks = {};
  return job;
}

TEST_P(StoreSuite, TheHistoryOfAnArrayIsReadRowByRowInPages) {
  Controller controller(*database);
  std::vector<Change> changes = {JobAdded{a_task(1, 1, 0), {}, {}},
                                 JobAdded{a_task(2, 1, 7), {}, {}},
                                 JobAdded{a_task(3, 3, 0), {}, {}}};
  const std::size_t of_each = limits::page_rows_max / 2 + 5;
  for (std::size_t i = 0; i < of_each; ++i)
    for (const std::int64_t id : {2, 1, 3}) {
      JobEvent event = an_event(id, std::to_string(i));
      event.attempt = AttemptNumber{1};
      changes.push_back(EventAdded{event});
    }
  controller.commit(changes);
  std::vector<std::string> seen;
  std::int64_t after = 0;
  for (bool more = true; more;) {
    controller.store().read_array_history(3, JobId{1}, after);
    const HistoryRead page = next<HistoryRead>(controller.store());
    more = page.more;
    ASSERT_EQ(page.events.size(), more ? limits::page_rows_max : 10);
    for (std::size_t i = 0; i < page.events.size(); ++i)
      seen.push_back(page.job_names.at(i) + " " + page.events[i].what);
    after = page.events.back().sequence;
  }
  ASSERT_EQ(seen.size(), 2 * of_each);
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ(seen[i], (i < of_each ? "1_0 " : "1_7 ") + std::to_string(i % of_each));
  controller.store().read_array_history(4, JobId{2}, 0);
  const HistoryRead alone = next<HistoryRead>(controller.store());
  EXPECT_EQ(alone.events.size(), of_each);
  EXPECT_EQ(alone.job_names.front(), "2") << "a task that is read by its id is no array";
}

TEST_P(StoreSuite, RowsOfAnArrayAreReadOnlyOnRequest) {
  Controller controller(*database);
  controller.commit({JobAdded{a_task(1, 1, 0), {}, {}}, JobAdded{a_task(2, 1, 7), {}, {}}});
  for (const bool and_rows : {true, false}) {
    controller.store().read_job(1, JobId{1}, and_rows);
    const JobRead read = next<JobRead>(controller.store());
    EXPECT_EQ(read.jobs.size(), 1u);
    EXPECT_EQ(read.rows.size(), and_rows ? 2u : 0u);
  }
}

TEST_P(StoreSuite, AReportedDependencyThatCannotBeMetLoadsNoOtherJob) {
  Controller controller(*database);
  Job failed = a_job(1);
  failed.array_job = {};
  failed.array_task = -1;
  failed.array_tasks = {};
  Job vain = failed;
  vain.id = JobId{2};
  vain.request_id.clear();
  vain.dependencies = {{DependencyKind::AfterOk, JobId{1}, 0, true}};
  controller.commit({JobAdded{failed, {}, {}}, JobAdded{vain, {}, {}}});
  controller.commit({change(failed, JobState::Cancelled)});
  const auto loaded = [&] { return load(controller.store(), false, at(1'000'000)).jobs.size(); };
  EXPECT_EQ(loaded(), 2u) << "its pending reason is not stored yet";
  JobWait reported;
  reported.job = vain.id;
  reported.reason = "DependencyNeverSatisfied";
  reported.first_evaluated = reported.last_evaluated = at(1);
  controller.commit({WaitPut{reported}});
  EXPECT_EQ(loaded(), 1u);
}

// Arrays so large that a test would take minutes if all tasks were read again for each job.
struct LargeArrays : testing::Test {
  std::string conninfo = PrivatePostgres::shared().new_database();
  PgServers servers{conninfo};

  std::string sql(const std::string& text) {
    // The database refuses changes of cox.job unless cox.writer is set.
    return run_sql(conninfo, "SET cox.writer = 'test'; " + text);
  }
  void needs_little_of_a_row() {
    ASSERT_FALSE(migrate_schema(servers));
    sql("DO $$ DECLARE needed name; BEGIN FOR needed IN SELECT attname FROM pg_attribute\n"
        "  WHERE attrelid = 'cox.job'::regclass AND attnum > 0 AND attnotnull AND attname <> 'id'\n"
        "  LOOP EXECUTE format('ALTER TABLE cox.job ALTER %I DROP NOT NULL', needed); END LOOP;\n"
        "END $$");
  }
  static void is_soon(const std::function<void()>& what) {
    const auto began = std::chrono::steady_clock::now();
    what();
    EXPECT_LT(std::chrono::steady_clock::now() - began, patience());
  }
};

TEST_F(LargeArrays, TheHistoryOfALargeArrayIsReadInTime) {
  needs_little_of_a_row();
  auto store = PostgresStore::open(servers);
  ASSERT_TRUE(store.ok());
  ASSERT_EQ(sql("INSERT INTO cox.job (id, state, array_job, array_task, array_tasks, exit_code,\n"
                "                     exit_signal)\n"
                "  SELECT i, 'PENDING', 1, i, '', 0, 0 FROM generate_series(1, 100000) AS i;\n"
                "INSERT INTO cox.job_event (job_id, attempt, at, what, state, why, actor)\n"
                "  SELECT i % 100000 + 1, 1, now(), 'state', 'PENDING', '', ''\n"
                "    FROM generate_series(1, 300000) AS i;\n"
                "ANALYZE cox.job, cox.job_event"),
            "");
  is_soon([&] {
    std::int64_t events = 0;
    std::int64_t after = 0;
    for (bool more = true; more;) {
      (*store)->read_array_history(1, JobId{1}, after);
      const HistoryRead page = next<HistoryRead>(**store);
      ASSERT_FALSE(page.events.empty());
      more = page.more;
      events += std::ssize(page.events);
      after = page.events.back().sequence;
    }
    EXPECT_EQ(events, 300'000);
  });
}

TEST_F(LargeArrays, TheDependenciesOfLargeArraysAreResolvedInTime) {
  needs_little_of_a_row();
  const auto waiting = [&](const std::string& who) {
    return sql(
        "INSERT INTO cox.job (id, state, held, array_job, array_task, array_tasks, user_name, "
        "name,\n"
        "                     dependency, dependency_kind, dependency_on, dependency_delay_s,\n"
        "                     dependency_never, dependency_task) " +
        who);
  };
  const std::string none = "'{}', '{}', '{}', '{}', '{}'";
  ASSERT_EQ(
      waiting("SELECT i, 'PENDING', false, 0, -1, '', 'ada', 'daily', 'singleton',\n"
              "  '{singleton}', '{0}', '{0}', '{f}', '{-1}' FROM generate_series(1, 30000) AS i"),
      "");
  ASSERT_EQ(waiting("SELECT 100000 + i, 'PENDING', false, 100000, i, '', 'ada', 'sweep', '', " +
                    none + " FROM generate_series(0, 19999) AS i"),
            "");
  ASSERT_EQ(
      waiting("SELECT 200000 + i, 'PENDING', false, 0, -1, '', 'ada', 'after', 'afterany:100000',\n"
              "  '{afterany}', '{100000}', '{0}', '{f}', '{-1}'\n"
              "  FROM generate_series(1, 20000) AS i"),
      "");
  ASSERT_EQ(waiting("SELECT 300000 + i, 'PENDING', false, 300000, i, '', 'ada', 'each',\n"
                    "  'aftercorr:100000', '{aftercorr}', '{100000}', '{0}', '{f}', '{-1}'\n"
                    "  FROM generate_series(0, 19999) AS i"),
            "");
  sql("ANALYZE cox.job");
  is_soon([&] {
    EXPECT_EQ(sql("SELECT kind, count(*), count(DISTINCT on_row) FROM cox.dependencies\n"
                  "  WHERE on_row IS NOT NULL GROUP BY kind ORDER BY kind"),
              "afterany|20000|1\nsingleton|29999|1\naftercorr|20000|20000");
  });
}

}  // namespace
}  // namespace cox::test
