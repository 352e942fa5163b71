// Tests the lines and the exit code of `cox wait`.
#include "client/show/wait_progress.h"

#include <gtest/gtest.h>

#include "tests/client/sample_job.h"

namespace cox {
namespace {

TEST(Wait, shows_each_change_once) {
  const Screen screen = at_noon();
  JobDetail waits = a_job(JobState::Pending);
  waits.view.reason_detail = "no room";
  EXPECT_EQ(progress_lines({}, waits, screen), "13:00:00  PENDING  no room\n");
  EXPECT_EQ(progress_lines(waits, waits, screen), "");
  JobDetail runs = a_job(JobState::Running);
  runs.view.job.attempt = AttemptNumber{1};
  EXPECT_EQ(progress_lines(waits, runs, screen), "13:00:00  RUNNING  attempt 1 on n[1-2]\n");
  JobDetail saved = runs;
  saved.checkpoints.push_back({{JobId{17}, AttemptNumber{1}}, 30, 2048, 4, screen.now});
  EXPECT_EQ(progress_lines(runs, saved, screen),
            "13:00:00  checkpoint of step 30 committed, 2.0 KiB in 4 files\n");
}

TEST(Wait, shows_when_a_job_ended_rather_than_the_time_of_the_reply) {
  const Screen screen = at_noon();
  JobDetail ended = a_job(JobState::Cancelled);
  ended.view.job.ended = before(screen, 2 * minute_ms);
  EXPECT_EQ(progress_lines({}, ended, screen), "12:58:00  CANCELLED\n");
  ended.view.job.ended = before(screen, 24 * 60 * minute_ms);
  EXPECT_EQ(progress_lines({}, ended, screen), "2026-11-20 13:00:00  CANCELLED\n");
}

TEST(Wait, shows_the_line_of_a_job_again_only_if_it_changed) {
  const Screen screen = at_noon();
  JobDetail first = a_job(JobState::Pending);
  first.view.job.why = "requeued";
  EXPECT_EQ(progress_lines({}, first, screen), "13:00:00  PENDING  requeued\n");
  JobDetail other = first;
  other.view.job.why = "released";
  EXPECT_EQ(progress_lines(first, other, screen), "13:00:00  PENDING  released\n");
  other = first;
  other.view.reason_detail = "no room before 2026-11-21T12:05:00Z";
  EXPECT_EQ(progress_lines(first, other, screen),
            "13:00:00  PENDING  no room before 2026-11-21 13:05:00 (in 5 min)\n");
  other = first;
  other.view.job.attempt = AttemptNumber{2};
  EXPECT_EQ(progress_lines(first, other, screen), "13:00:00  PENDING  requeued\n");
  other = first;
  other.view.priority = 5;
  EXPECT_EQ(progress_lines(first, other, screen), "");
}

TEST(Wait, shows_how_a_job_ended_and_the_notes_of_its_nodes) {
  const Screen screen = at_noon();
  JobDetail ended = a_job(JobState::Failed);
  ended.view.job.why = "rank 1 failed";
  ended.view.job.exit_code = 7;
  EXPECT_EQ(progress_lines({}, ended, screen), "13:00:00  FAILED  rank 1 failed  (exit code 7)\n");
  ended.attempts.resize(1);
  ended.attempts[0].nodes.resize(1);
  ended.attempts[0].nodes[0].grant.node = "n1";
  ended.attempts[0].nodes[0].note = "no such file";
  EXPECT_EQ(progress_lines({}, ended, screen),
            "13:00:00  FAILED  rank 1 failed  (exit code 7)  n1: no such file\n");
  ended.view.job.state = JobState::Completed;
  ended.view.job.why.clear();
  ended.view.job.exit_code = 0;
  EXPECT_EQ(progress_lines({}, ended, screen), "13:00:00  COMPLETED  (exit code 0)\n");
  ended.view.job.state = JobState::Timeout;
  EXPECT_EQ(progress_lines({}, ended, screen), "13:00:00  TIMEOUT\n");
}

TEST(Wait, shows_where_a_new_attempt_resumes_and_each_new_checkpoint) {
  const Screen screen = at_noon();
  JobDetail first = a_job(JobState::Running);
  first.view.job.attempt = AttemptNumber{2};
  first.attempts.resize(1);
  first.checkpoints.push_back({{JobId{17}, AttemptNumber{1}}, 30, 10, 2, screen.now});
  JobDetail second = first;
  second.attempts.resize(2);
  second.attempts[1].key.attempt = AttemptNumber{2};
  EXPECT_EQ(progress_lines(first, second, screen), "") << "the attempt began from the start";
  second.attempts[1].resume = ResumeFrom{};
  second.attempts[1].resume->attempt = AttemptNumber{1};
  second.attempts[1].resume->step = 30;
  const std::string resumes = "13:00:00  attempt 2 resumes from step 30 of attempt 1\n";
  EXPECT_EQ(progress_lines(first, second, screen), resumes);
  EXPECT_EQ(progress_lines(second, second, screen), "");
  second.checkpoints.push_back({{JobId{17}, AttemptNumber{1}}, 40, 10, 1, screen.now});
  second.checkpoints.push_back({{JobId{17}, AttemptNumber{2}}, 30, 10, 3, screen.now});
  EXPECT_EQ(progress_lines(first, second, screen),
            "13:00:00  checkpoint of step 40 committed, 10 B in 1 file\n"
            "13:00:00  checkpoint of step 30 committed, 10 B in 3 files\n" +
                resumes);
  second.attempts[1].resume->job = JobId{5};
  EXPECT_NE(progress_lines(first, second, screen).find("resumes from step 30 of job 5\n"),
            std::string::npos);
  EXPECT_EQ(progress_lines({}, second, screen), "13:00:00  RUNNING  attempt 2 on n[1-2]\n")
      << "checkpoints from before the wait are not new";
}

TEST(Wait, for_an_array_counts_the_tasks_that_have_not_ended) {
  const Screen screen = at_noon();
  JobDetail one = a_job(JobState::Completed);
  one.tasks_left = 1;
  EXPECT_EQ(progress_lines({}, one, screen), "13:00:00  COMPLETED  (exit code 0)\n");
  EXPECT_FALSE(has_ended(one));
  JobDetail three = one;
  three.tasks_left = 3;
  EXPECT_EQ(progress_lines({}, three, screen),
            "13:00:00  3 tasks have not ended\n13:00:00  COMPLETED  (exit code 0)\n");
  EXPECT_EQ(progress_lines(three, three, screen), "");
  JobDetail two = three;
  two.tasks_left = 2;
  EXPECT_EQ(progress_lines(three, two, screen), "13:00:00  2 tasks have not ended\n");
  two.tasks_left = 0;
  EXPECT_TRUE(has_ended(two));
  EXPECT_EQ(exit_code_of(two), 0);
  two.tasks_failed = 1;
  EXPECT_EQ(exit_code_of(two), 1) << "the task with the array's id itself succeeded";
  two.view.job.state = JobState::Failed;
  two.view.job.exit_code = 9;
  EXPECT_EQ(exit_code_of(two), 9);
  two.view.job.state = JobState::Running;
  EXPECT_FALSE(has_ended(two));
}

TEST(Wait, of_an_array_shows_its_states_and_exits_with_the_highest_code) {
  const Screen screen = at_noon();
  JobDetail before = an_array();
  EXPECT_EQ(progress_lines({}, before, screen),
            "13:00:00  6 PENDING, 1 RUNNING, 2 COMPLETED, 1 FAILED  no room\n");
  EXPECT_EQ(progress_lines(before, before, screen), "");
  EXPECT_FALSE(has_ended(before));
  JobDetail ended = before;
  // The row of an array has the state of only one of its tasks.
  ended.view.job.state = JobState::Completed;
  ended.tasks = {{JobState::Completed, 0, 0, 7, ""},
                 {JobState::Failed, 7, 0, 1, ""},
                 {JobState::Failed, 3, 0, 1, ""},
                 {JobState::Cancelled, 0, 0, 1, ""}};
  ended.tasks_left = 0;
  EXPECT_TRUE(has_ended(ended));
  EXPECT_EQ(exit_code_of(ended), 7);
  EXPECT_EQ(progress_lines(before, ended, screen),
            "13:00:00  7 COMPLETED, 2 FAILED, 1 CANCELLED  (the highest exit code is 7)\n");
  ended.tasks.resize(1);
  EXPECT_EQ(exit_code_of(ended), 0);
  ended.view.job.ended = cox::before(screen, 2 * minute_ms);
  EXPECT_EQ(progress_lines({}, ended, screen),
            "12:58:00  7 COMPLETED  (the highest exit code is 0)\n");
  ended.tasks_left = 1;
  EXPECT_EQ(progress_lines({}, ended, screen), "13:00:00  7 COMPLETED\n") << "not all have ended";
}

TEST(Wait, exits_with_the_code_of_the_job) {
  const auto code = [](JobState state, int exit_code, int exit_signal) {
    Job job;
    job.state = state;
    job.exit_code = exit_code;
    job.exit_signal = exit_signal;
    return exit_code_of(job);
  };
  EXPECT_EQ(code(JobState::Completed, 0, 0), 0);
  EXPECT_EQ(code(JobState::Failed, 7, 0), 7);
  EXPECT_EQ(code(JobState::Failed, 0, 9), 137);
  EXPECT_EQ(code(JobState::Failed, 0x107, 0), 7);
  EXPECT_EQ(code(JobState::Timeout, 0, 0), 1);
  EXPECT_EQ(code(JobState::Cancelled, 0, 0), 1);
}

}  // namespace
}  // namespace cox
