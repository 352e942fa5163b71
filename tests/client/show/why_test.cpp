// Tests the output of `cox why`.
#include <gtest/gtest.h>

#include "client/show/show_why.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

TEST(Why, numbers_the_lines_of_the_explanation) {
  JobDetail job = a_job(JobState::Pending);
  job.why = {"2 nodes are drained", "job 12 is before it"};
  const std::string text = show_why(job, at_noon());
  EXPECT_NE(text.find("  1. 2 nodes are drained\n  2. job 12 is before it\n"), std::string::npos)
      << text;
}

TEST(Why, shows_the_reason_of_a_pending_job_once) {
  JobDetail job = a_job(JobState::Pending);
  job.view.reason_detail = "GrpTRES cpu is 2";
  job.why = {"asks for 1 node", "GrpTRES cpu is 2", "MaxJobs is 1"};
  const std::string text = show_why(job, at_noon());
  EXPECT_NE(text.find("\nGrpTRES cpu is 2\n  1. asks for 1 node\n  2. MaxJobs is 1\n"),
            std::string::npos)
      << text;
}

TEST(Why, a_pending_job_shows_from_which_checkpoint_of_another_job_it_begins) {
  JobDetail job = a_job(JobState::Pending);
  job.view.reason_detail = "held by a user";
  job.view.system_comment = "it is to begin from step 20 of job 3";
  const std::string text = show_why(job, at_noon());
  EXPECT_NE(text.find("\nheld by a user\nit is to begin from step 20 of job 3\n"),
            std::string::npos)
      << text;
}

TEST(Why, a_running_job_shows_the_lost_save_of_its_attempt_before_until_it_has_saved_again) {
  JobDetail job = a_job(JobState::Running);
  const JobId id = job.view.job.id;
  const std::string lost = "its save did not become a checkpoint: rank 0 reported no save";
  job.attempts.clear();
  for (const std::int32_t number : {1, 2, 3}) {
    Attempt attempt;
    attempt.key = {id, AttemptNumber(number)};
    if (number != 2) attempt.went = at_noon().now;  // the launch of attempt 2 was undone
    job.attempts.push_back(attempt);
  }
  job.attempts[0].outcome = "preempted; " + lost;
  job.checkpoints.clear();
  const std::string line = "\nAttempt 1: " + lost + "\n";
  EXPECT_NE(show_why(job, at_noon()).find(line), std::string::npos) << show_why(job, at_noon());
  job.checkpoints.emplace_back();
  job.checkpoints.back().key = job.attempts.back().key;
  EXPECT_EQ(show_why(job, at_noon()).find(line), std::string::npos) << show_why(job, at_noon());
}

TEST(Why, a_deadline_shows_the_latest_start) {
  JobDetail job = a_job(JobState::Pending);
  EXPECT_EQ(show_why(job, at_noon()).find("deadline"), std::string::npos);
  job.view.job.spec.change().deadline = before(at_noon(), -60 * minute_ms);
  job.view.job.spec.change().time_limit_s = 1800;
  EXPECT_NE(show_why(job, at_noon())
                .find("Its deadline is 2026-11-21 14:00:00 (in 1 h); it must start by 2026-11-21 "
                      "13:30:00 (in 30 min), or it ends in state DEADLINE.\n"),
            std::string::npos)
      << show_why(job, at_noon());
}

TEST(Why, shows_times_in_the_time_zone_of_the_reader) {
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

TEST(Why, a_suspended_job_shows_its_preemptor_and_what_it_waits_for) {
  JobDetail job = a_job(JobState::Suspended);
  job.view.job.why = "suspended for job 9, which gets its CPUs";
  job.view.reason_detail = "suspended on n[1-2] until its CPUs are free again on 1 node";
  job.why = {"node n1: 0 of its 2 CPUs free; held by job 9 (2 CPUs)"};
  const std::string text = show_why(job, at_noon());
  EXPECT_NE(text.find("is SUSPENDED on n[1-2]\nsuspended for job 9, which gets its CPUs\n"
                      "suspended on n[1-2] until its CPUs are free again on 1 node\n"
                      "  1. node n1: 0 of its 2 CPUs free; held by job 9 (2 CPUs)\n"),
            std::string::npos)
      << text;
}

TEST(Why, a_job_suspended_by_a_user_shows_once_how_to_resume_it) {
  JobDetail job = a_job(JobState::Suspended);
  job.view.job.held = true;
  job.view.job.why = "suspended by ada";
  job.view.reason_detail = "suspended by ada; `scontrol resume 43` resumes it";
  job.why = {job.view.reason_detail};
  EXPECT_TRUE(show_why(job, at_noon())
                  .ends_with("is SUSPENDED on n[1-2]\n"
                             "suspended by ada; `scontrol resume 43` resumes it\n"))
      << show_why(job, at_noon());
  job.view.job.why = "suspended for job 9, which gets its CPUs";
  job.view.reason_detail = "held by a user; `scontrol resume 43` resumes it";
  job.why = {job.view.reason_detail};
  EXPECT_TRUE(show_why(job, at_noon())
                  .ends_with("\nsuspended for job 9, which gets its CPUs\n"
                             "held by a user; `scontrol resume 43` resumes it\n"))
      << show_why(job, at_noon());
}

TEST(Why, a_job_that_a_user_resumes_shows_only_what_it_waits_for) {
  JobDetail job = a_job(JobState::Suspended);
  job.view.job.why = "suspended by ada";
  job.view.reason_detail = "suspended on n[1-2] until its CPUs are free again on 1 node";
  job.why = {"node n1: 0 of its 2 CPUs free; held by job 9 (2 CPUs)"};
  EXPECT_TRUE(show_why(job, at_noon())
                  .ends_with("is SUSPENDED on n[1-2]\n"
                             "suspended on n[1-2] until its CPUs are free again on 1 node\n"
                             "  1. node n1: 0 of its 2 CPUs free; held by job 9 (2 CPUs)\n"))
      << show_why(job, at_noon());
}

TEST(Why, says_after_which_wait_a_job_goes_first_once_it_has_waited_for_half_of_it) {
  JobDetail job = a_job(JobState::Pending);
  job.first_after_s = 2 * 3'600;
  const auto shown_after = [&](std::int64_t minutes) {
    job.view.job.eligible = before(at_noon(), minutes * minute_ms);
    return show_why(job, at_noon());
  };
  EXPECT_EQ(shown_after(59).find("goes first"), std::string::npos);
  const std::string says =
      "It has waited for 1 h 30 min (time in which it was held does not count). "
      "After 2 h a job goes first in its tier";
  EXPECT_NE(shown_after(90).find(says + ".\n"), std::string::npos) << shown_after(90);
  job.priority_parts = {"age 12", "fair share 300"};
  EXPECT_NE(shown_after(90).find(says + ", but its account's fair share still counts.\n"),
            std::string::npos)
      << shown_after(90);
  job.first_after_s = 0;
  EXPECT_EQ(shown_after(90).find("goes first"), std::string::npos);
}

}  // namespace
}  // namespace cox
