// What `cox wait` says while it waits, and how it ends.
#include "client/wait_progress.h"

#include <gtest/gtest.h>

#include "tests/client/sample_job.h"

namespace cox {
namespace {

TEST(Wait, tells_each_new_thing_once) {
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

TEST(Wait, shows_when_a_job_ended_and_not_when_that_was_asked) {
  const Screen screen = at_noon();
  JobDetail ended = a_job(JobState::Cancelled);
  ended.view.job.ended = before(screen, 2 * minute_ms);
  EXPECT_EQ(progress_lines({}, ended, screen), "12:58:00  CANCELLED\n");
  ended.view.job.ended = before(screen, 24 * 60 * minute_ms);
  EXPECT_EQ(progress_lines({}, ended, screen), "2026-11-20 13:00:00  CANCELLED\n");
}

TEST(Wait, of_an_array_tells_how_many_stand_how_and_exits_with_the_highest_code) {
  const Screen screen = at_noon();
  JobDetail before = an_array();
  EXPECT_EQ(progress_lines({}, before, screen),
            "13:00:00  6 PENDING, 1 RUNNING, 2 COMPLETED, 1 FAILED  no room\n");
  EXPECT_EQ(progress_lines(before, before, screen), "");
  EXPECT_FALSE(has_ended(before));
  JobDetail ended = before;
  ended.view.job.state = JobState::Completed;  // that of the task which bears the array's id
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
}

TEST(Wait, exits_as_the_job_did) {
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
  EXPECT_EQ(code(JobState::Timeout, 0, 0), 1);
  EXPECT_EQ(code(JobState::Cancelled, 0, 0), 1);
}

}  // namespace
}  // namespace cox
