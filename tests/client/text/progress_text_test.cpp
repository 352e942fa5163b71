// Tests how a job's progress is shown.
#include "client/text/progress_text.h"

#include <gtest/gtest.h>

#include "client/show/show_job.h"
#include "client/show/show_queue.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

Progress a_progress() {
  Progress progress;
  progress.first_step = 100;
  progress.first_at = wall_from_ms(1'000);
  progress.step = 200;
  progress.total = 500;
  progress.at = wall_from_ms(11'000);
  progress.metrics = {{"loss", "0.25"}, {"acc", "0.9"}};
  return progress;
}

TEST(ProgressText, ShowsPercentageRateAndTimeLeft) {
  const Wall now = wall_from_ms(11'000);
  EXPECT_EQ(brief_progress_text(a_progress(), now, true), "40 %, 10/s, 30 s left");
  EXPECT_EQ(progress_text(a_progress(), now, true),
            "step 200 of 500, 40 %, 10/s, 30 s left; loss=0.25, acc=0.9");
  EXPECT_EQ(progress_text(a_progress(), now, false),
            "step 200 of 500, 40 %, 10/s; loss=0.25, acc=0.9");
  EXPECT_EQ(brief_progress_text({}, now, true), "");
  EXPECT_EQ(progress_text({}, now, true), "");
}

TEST(ProgressText, ShowsTheStepIfTheTotalIsUnknown) {
  Progress progress = a_progress();
  progress.total = 0;
  progress.metrics.clear();
  EXPECT_EQ(brief_progress_text(progress, progress.at, true), "step 200, 10/s");
  EXPECT_EQ(progress_text(progress, progress.at, true), "step 200, 10/s");
  progress.first_step = -49'800;
  EXPECT_EQ(brief_progress_text(progress, progress.at, true), "step 200, 5000/s");
}

TEST(ProgressText, TheQueueHasAColumnIfAJobReportsProgress) {
  JobDetail runs = a_job(JobState::Running);
  EXPECT_EQ(show_queue({{runs.view}, false, {}}, at_noon()).find("PROGRESS"), std::string::npos);
  JobDetail reports = a_job(JobState::Running);
  reports.view.progress.step = 1;
  reports.view.progress.total = 4;
  reports.view.progress.at = at_noon().now;
  const std::string text = show_queue({{runs.view, reports.view}, false, {}}, at_noon());
  EXPECT_NE(text.find("PROGRESS"), std::string::npos);
  EXPECT_NE(text.find("25 %"), std::string::npos) << text;
  EXPECT_NE(show_job(reports, at_noon()).find("step 1 of 4, 25 %"), std::string::npos);
}

}  // namespace
}  // namespace cox
