// Tests the progress that jobs report: which values are parsed or refused, the rate, and the time
// left.
#include "common/base/progress.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"

namespace cox {
namespace {

Progress at_step(std::int64_t step, std::int64_t ms, std::int64_t total = 0) {
  Progress progress;
  progress.step = step;
  progress.total = total;
  progress.at = wall_from_ms(ms);
  return progress;
}

TEST(Progress, AMetricIsANameAndANumber) {
  for (const char* text : {"loss=0.25", "loss=-1e-3", "val/acc.top-1=nan", "x_1=7"})
    EXPECT_TRUE(parse_metric(text).ok()) << text;
  for (const char* text : {"", "loss", "loss=", "=1", "a b=1", "loss=1x", "loss= 1", "ä=1"})
    EXPECT_FALSE(parse_metric(text).ok()) << text;
  const std::string longest(limits::metric_name_bytes_max, 'n');
  EXPECT_EQ(parse_metric(longest + "=1")->name, longest);
  EXPECT_FALSE(parse_metric(longest + "n=1").ok());
  const std::string digits(limits::metric_value_bytes_max, '1');
  EXPECT_EQ(parse_metric("n=" + digits)->value, digits);
  EXPECT_FALSE(parse_metric("n=1" + digits).ok());
}

TEST(Progress, ValuesOutOfRangeAreRefused) {
  Progress most = at_step(limits::training_step_max, 1, limits::training_step_max);
  for (std::size_t i = 0; i < limits::progress_metrics_max; ++i)
    most.metrics.push_back({"loss" + std::to_string(i), "1"});
  EXPECT_FALSE(check_progress(most));
  EXPECT_TRUE(check_progress(at_step(limits::training_step_max + 1, 1)));
  EXPECT_TRUE(check_progress(at_step(-1, 1)));
  EXPECT_TRUE(check_progress(at_step(1, 1, limits::training_step_max + 1)));
  EXPECT_TRUE(check_progress(at_step(1, 1, -1)));
  EXPECT_TRUE(check_progress(at_step(9, 1, 3)));
  EXPECT_FALSE(check_progress(at_step(3, 1, 3)));
  most.metrics.push_back({"loss", "1"});  // one metric more than the limit
  EXPECT_TRUE(check_progress(most));
  most.metrics = {{"loss", "1"}, {"loss", "2"}};
  ASSERT_TRUE(check_progress(most));
  EXPECT_EQ(check_progress(most)->fact, "the metric \"loss\" is named twice");
  most.metrics = {{"loss", "low"}};
  EXPECT_TRUE(check_progress(most));
}

TEST(Progress, TheRateCountsFromTheFirstReportedStepOfTheAttempt) {
  const Progress first = followed_by({}, at_step(100, 1'000, 500));
  EXPECT_FALSE(steps_per_second(first)) << "a single step has no rate";
  const Progress second = followed_by(first, at_step(200, 11'000, 500));
  EXPECT_EQ(second.first_step, 100);
  EXPECT_EQ(second.first_at, wall_from_ms(1'000));
  EXPECT_DOUBLE_EQ(*steps_per_second(second), 10.0);
  EXPECT_EQ(per_cent(second), 40);
  EXPECT_EQ(time_left_ms(second, second.at), 30'000);
  EXPECT_EQ(time_left_ms(second, wall_from_ms(21'000)), 20'000);
  EXPECT_EQ(time_left_ms(second, wall_from_ms(100'000)), 0) << "the estimated end has passed";
  EXPECT_EQ(run_time_from_ms(second, 0), 50'000);
  EXPECT_EQ(run_time_from_ms(second, 450), 5'000);
  EXPECT_EQ(run_time_from_ms(second, 501), 0);
  EXPECT_FALSE(run_time_from_ms(first, 450)) << "there is no rate yet";
}

TEST(Progress, StepsThatStartAgainHaveTheirOwnRate) {
  const Progress far = followed_by(followed_by({}, at_step(100, 1'000)), at_step(200, 2'000));
  const Progress again = followed_by(far, at_step(199, 3'000));
  EXPECT_EQ(again.first_step, 199);
  EXPECT_EQ(again.first_at, wall_from_ms(3'000));
  EXPECT_EQ(followed_by(far, at_step(200, 3'000)).first_step, 100)
      << "a repeated step is no new start";
}

TEST(Progress, WithoutATotalNoTimeLeftIsShown) {
  const Progress some = followed_by(followed_by({}, at_step(1, 1'000)), at_step(2, 2'000));
  EXPECT_FALSE(per_cent(some));
  EXPECT_FALSE(time_left_ms(some, some.at));
  EXPECT_EQ(per_cent(at_step(7, 1, 5)), 100) << "more steps than the total";
  const Progress over = followed_by(followed_by({}, at_step(1, 1'000, 5)), at_step(7, 2'000, 5));
  EXPECT_EQ(time_left_ms(over, over.at), 0);
}

}  // namespace
}  // namespace cox
