// Tests the jobs that a standby reads ahead, before it leads. They only save time: a new leader
// always has what the rows say then.
#include "controller/io/records/standby_job_reader.h"
#include "tests/patience.h"
#include "tests/store/store_bench.h"

namespace cox::test {
namespace {

constexpr std::int64_t jobs_there = 300;

struct JobsAhead : OnPostgres {
  StandbyJobReader ahead{servers, std::chrono::hours{1}};
  Now now{Boot{Milliseconds{1'000}}, at(0)};
  std::vector<Job> rows;

  void SetUp() override {
    Controller controller(open());
    std::vector<Change> added;
    for (std::int64_t id = 1; id <= jobs_there; ++id) {
      rows.push_back(a_job(id));
      rows.back().spec.change().comment = id % 3 == 0 ? "sweep" : "";
      added.push_back(JobAdded{rows.back(), {}, {}});
    }
    controller.commit(std::move(added));
    read_ahead_until(jobs_there);
  }

  void read_ahead_until(std::int64_t count) {
    const auto deadline = std::chrono::steady_clock::now() + patience();
    while (std::cmp_not_equal(ahead.known(), count)) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      pollfd wanted{ahead.fd(), POLLIN, 0};
      ::poll(&wanted, 1, 10);
      ahead.poll(now);
    }
  }

  std::vector<Job> loaded(PgJobLoad known, Wall ended_since = at(0)) {
    auto store = open();
    dynamic_cast<PostgresStore&>(*store).know(std::move(known));
    return load(*store, true, ended_since).jobs;
  }
  // Returns the jobs as a load without any jobs read ahead returns them.
  std::vector<Job> read_now(Wall ended_since = at(0)) { return loaded({}, ended_since); }
};

// Returns how many jobs of `found` have the same specification object as in `before`, so that their
// specification was not read again.
std::int64_t count_unread_specs(const std::vector<Job>& found, const std::vector<Job>& before) {
  return std::ranges::count_if(found, [&](const Job& job) {
    const auto same = std::ranges::find(before, job.id, &Job::id);
    return same != before.end() && same->spec.is(job.spec);
  });
}

TEST_F(JobsAhead, ANewLeaderReadsOnlyTheChanges) {
  const PgJobLoad known = ahead.take();
  const std::vector<Job> before = loaded(known);
  EXPECT_EQ(before, rows);
  Controller controller(open());
  JobChanged start = change(rows[4], JobState::Configuring);
  start.job.attempt = rows[4].attempt = AttemptNumber{1};
  rows[6].spec.change().comment = "by scontrol";
  rows.push_back(a_job(jobs_there + 1));
  controller.commit({start, AttemptAdded{an_attempt(5, 1)}, noted(rows[4]), JobRespecified{rows[6]},
                     JobAdded{rows.back(), {}, {}}});
  controller.commit({change(rows[5], JobState::Cancelled), noted(rows[5])});
  EXPECT_EQ(by_hand("UPDATE cox.job SET comment = 'by hand' WHERE id = 8"), "");
  rows[7].spec.change().comment = "by hand";
  const std::vector<Job> found = loaded(known);
  EXPECT_EQ(found, rows);
  EXPECT_EQ(found, read_now());
  EXPECT_EQ(count_unread_specs(found, before), jobs_there - 2) << "all but the two changed jobs";
}

TEST_F(JobsAhead, MissingRowsAreNoticedAndAllRowsAreReadAgain) {
  const PgJobLoad known = ahead.take();
  const std::vector<Job> before = loaded(known);
  EXPECT_EQ(by_hand("DELETE FROM cox.job WHERE id = 9"), "");
  const std::vector<Job> found = loaded(known);
  EXPECT_EQ(std::ssize(found), jobs_there - 1);
  EXPECT_EQ(found, read_now());
  EXPECT_EQ(count_unread_specs(found, before), 0);
}

TEST_F(JobsAhead, JobsThatEndedBeforeTheLimitAreLeftOut) {
  Controller controller(open());
  for (const std::size_t each : {4U, 5U}) {
    JobChanged end = change(rows[each], JobState::Cancelled);
    end.job.ended = at(each == 4U ? 10 : 20);
    controller.commit({end, noted(rows[each])});
  }
  controller.commit({JobAdded{a_job(jobs_there + 1), {}, {}}});
  now.boot += ahead.next_in(now.boot);
  read_ahead_until(jobs_there + 1);
  const PgJobLoad known = ahead.take();
  EXPECT_EQ(std::ssize(loaded(known, at(5))), jobs_there + 1);
  EXPECT_EQ(std::ssize(loaded(known, at(15))), jobs_there);
  EXPECT_EQ(loaded(known, at(15)), read_now(at(15)));
  EXPECT_EQ(count_unread_specs(loaded(known, at(25)), loaded(known)), jobs_there - 1);
}

TEST_F(JobsAhead, JobsOfAnotherTimelineAreNotUsed) {
  PgJobLoad known = ahead.take();
  const std::string timeline = sql("SELECT cox.timeline()");
  EXPECT_NE(known.begin(at(0), std::stoll(timeline)).back().parameters.back(), "");
  EXPECT_EQ(known.begin(at(0), std::stoll(timeline) + 1).back().parameters.back(), "");
}

TEST_F(JobsAhead, AStandbyReadsTheJobsAgainAfterAnInterval) {
  Controller controller(open());
  rows.push_back(a_job(jobs_there + 1));
  controller.commit({JobAdded{rows.back(), {}, {}}});
  EXPECT_GT(ahead.next_in(now.boot), Milliseconds{0});
  now.boot += ahead.next_in(now.boot);
  read_ahead_until(jobs_there + 1);
  EXPECT_EQ(loaded(ahead.take()), rows);
}

TEST_F(JobsAhead, AStandbyForgetsItsJobsWhenItsConnectionDiesAndReadsThemAgain) {
  EXPECT_EQ(sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND datname = current_database() AND backend_type "
                "= 'client backend'"),
            "1");
  read_ahead_until(0);
  now.boot += std::chrono::seconds{10};
  read_ahead_until(jobs_there);
  EXPECT_EQ(loaded(ahead.take()), rows);
}

TEST_F(JobsAhead, AnUnfinishedReadIsNotUsed) {
  Controller controller(open());
  rows.push_back(a_job(jobs_there + 1));
  controller.commit({JobAdded{rows.back(), {}, {}}});
  now.boot += ahead.next_in(now.boot);
  ahead.poll(now);
  EXPECT_EQ(ahead.known(), static_cast<std::size_t>(jobs_there));
  EXPECT_EQ(loaded(ahead.take()), rows);
}

}  // namespace
}  // namespace cox::test
