// What `cox why` prints.
#include <gtest/gtest.h>

#include "client/show/show.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

TEST(Why, its_lines_are_numbered) {
  JobDetail job = a_job(JobState::Pending);
  job.why = {"2 nodes are drained", "job 12 is before it"};
  const std::string text = show_why(job, at_noon());
  EXPECT_NE(text.find("  1. 2 nodes are drained\n  2. job 12 is before it\n"), std::string::npos)
      << text;
}

TEST(Why, its_reason_is_said_once) {
  JobDetail job = a_job(JobState::Pending);
  job.view.reason_detail = "GrpTRES cpu is 2";
  job.why = {"asks for 1 node", "GrpTRES cpu is 2", "MaxJobs is 1"};
  const std::string text = show_why(job, at_noon());
  EXPECT_NE(text.find("\nGrpTRES cpu is 2\n  1. asks for 1 node\n  2. MaxJobs is 1\n"),
            std::string::npos)
      << text;
}

TEST(Why, a_deadline_says_by_when_it_must_have_begun) {
  JobDetail job = a_job(JobState::Pending);
  EXPECT_EQ(show_why(job, at_noon()).find("deadline"), std::string::npos);
  job.view.job.spec.change().deadline = before(at_noon(), -60 * minute_ms);
  job.view.job.spec.change().time_limit_s = 1800;
  EXPECT_NE(show_why(job, at_noon())
                .find("Its deadline is 2026-11-21 14:00:00 (in 1 h); it starts by 2026-11-21 "
                      "13:30:00 (in 30 min), or ends without.\n"),
            std::string::npos)
      << show_why(job, at_noon());
}

TEST(Why, moments_in_it_are_told_in_the_time_of_who_reads_it) {
  JobDetail job = a_job(JobState::Pending);
  job.view.reason_detail = "expected at 2026-11-21T12:12:00Z by time limits";
  job.why = {"gone by 2026-11-21T12:00:30Z\x1b, 2026-13-21T12:00:00Z"};
  const std::string text = show_why(job, at_noon());
  EXPECT_NE(text.find("\nexpected at 2026-11-21 13:12:00 (in 12 min) by time limits\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("gone by 2026-11-21 13:00:30 (in 30 s)?, 2026-13-21T12:00:00Z\n"),
            std::string::npos)
      << text;
}

TEST(Why, who_is_suspended_learns_for_whom_and_what_it_waits_for) {
  JobDetail job = a_job(JobState::Suspended);
  job.view.job.why = "suspended for job 9, which gets its CPUs";
  job.view.reason_detail = "stands still on n[1-2] until its CPUs are free again on 1 node";
  job.why = {"node n1: 0 of its 2 CPUs free; held by job 9 (2 CPUs)"};
  const std::string text = show_why(job, at_noon());
  EXPECT_NE(text.find("is SUSPENDED on n[1-2]\nsuspended for job 9, which gets its CPUs\n"
                      "stands still on n[1-2] until its CPUs are free again on 1 node\n"
                      "  1. node n1: 0 of its 2 CPUs free; held by job 9 (2 CPUs)\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace cox
