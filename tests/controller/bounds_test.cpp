// Tests that a value at a limit is accepted, and one beyond it is refused.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class Bounds : public testing::Test, public Bench {};

TEST_F(Bounds, ASubmissionBeyondMaxJobsIsRefused) {
  config.max_jobs = 2;
  restart();
  submit({});
  submit({});
  SubmitJob third;
  third.request_id = "third";
  third.spec.command = {"train"};
  third.spec.work_dir = "/home/u";
  EXPECT_EQ(refusal_of(ask(third)), "2 jobs wait or run already; the limit is 2 (max_jobs)");
}

TEST_F(Bounds, ARequestIdMayBeAsLongAsItsLimit) {
  submit({}, std::string(limits::word_bytes_max, 'x'));
  SubmitJob longer;
  longer.request_id = std::string(limits::word_bytes_max + 1, 'x');
  longer.spec.command = {"train"};
  longer.spec.work_dir = "/home/u";
  EXPECT_NE(refusal_of(ask(longer)).find("bytes; the limit is"), std::string::npos);
}

TEST_F(Bounds, ARequestForPrioritiesMayNameAsManyJobsAsAPageHolds) {
  ListPriorities page;
  page.ids.assign(limits::page_rows_max, JobId{1});
  EXPECT_EQ(refusal_of(ask(page)), "");
  page.ids.push_back(JobId{1});
  EXPECT_NE(refusal_of(ask(page)), "");
}

TEST_F(Bounds, AJobWhoseTimeLimitEndsExactlyAtItsDeadlineStarts) {
  node("n1", 2);
  const JobId id = submit({.time_limit_s = 60, .with = [&](JobSpec& s) {
                             s.deadline = now.wall + Milliseconds{60'000};
                           }});
  EXPECT_EQ(state(id), "CONFIGURING");
}

// A restarted controller finds 10,001 jobs with the same begin time; a turn handles 10,000 of them.
TEST_F(Bounds, ATickReleasesAtMost10000JobsAtTheirBeginTimeAndTheNextTickTheRest) {
  const JobId id = submit({.with = [&](JobSpec& s) { s.begin = now.wall + Milliseconds{60'000}; }});
  const Job job = database->tables.jobs.at(id);
  for (std::int64_t i = 2; i <= 10'001; ++i) {
    Job other = job;
    other.id = JobId{i};
    other.request_id.clear();
    database->tables.jobs[other.id] = other;
  }
  database->tables.job_id_floor = JobId{10'002};
  restart();
  ASSERT_EQ(controller->cluster().eligibility().begins().size(), 10'001U);
  pass(Milliseconds{60'000});
  EXPECT_EQ(controller->cluster().eligibility().begins().size(), 1U);
  pass(Milliseconds{1'000});
  EXPECT_EQ(controller->cluster().eligibility().begins().size(), 0U);
}

TEST_F(Bounds, ATickEndsAtMost1000JobsPastTheirDeadlineAndTheNextTickTheOthers) {
  const JobId id = submit({.time_limit_s = 60, .with = [&](JobSpec& s) {
                             s.deadline = now.wall + Milliseconds{60'000};
                           }});
  const Job job = database->tables.jobs.at(id);
  for (std::int64_t i = 2; i <= 1'001; ++i) {
    Job other = job;
    other.id = JobId{i};
    other.request_id.clear();
    database->tables.jobs[other.id] = other;
  }
  database->tables.job_id_floor = JobId{1'002};
  restart();
  pass(Milliseconds{0});
  EXPECT_EQ(controller->cluster().eligibility().latest_starts().size(), 1'001U)
      << "they may still start";
  pass(Milliseconds{1});
  EXPECT_EQ(controller->cluster().eligibility().latest_starts().size(), 1U);
  pass(Milliseconds{1'000});
  EXPECT_EQ(controller->cluster().eligibility().latest_starts().size(), 0U);
  EXPECT_EQ(state(JobId{1'001}), "DEADLINE");
}

}  // namespace
}  // namespace cox
