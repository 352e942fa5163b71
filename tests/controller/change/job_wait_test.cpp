// Tests how the accuracy of expected starts is computed from the estimates that users were shown.
#include "controller/change/job_wait.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

constexpr Wall noon = wall_from_ms(1'700'000'000'000);
constexpr std::int64_t minute_ms = 60'000;

// Returns an estimate that was made `made_before_ms` before the actual start, and was `off_ms`
// later than it.
StartEstimate estimate(std::int64_t made_before_ms, std::int64_t off_ms) {
  StartEstimate one;
  one.actual = noon;
  one.estimated = noon + Milliseconds{off_ms};
  one.made = noon - Milliseconds{made_before_ms};
  return one;
}

TEST(StartEstimates, EstimateErrorsAreSummarizedByMedianAndNinetiethPercentile) {
  std::vector<StartEstimate> estimates;
  for (int i = 9; i >= 0; --i)
    estimates.push_back(estimate(minute_ms, (i % 2 == 0 ? 1 : -1) * i * minute_ms));
  const EstimateView ten = accuracy_of(estimates);
  EXPECT_EQ(ten.count, 10);
  EXPECT_EQ(ten.error_ms_median, 5 * minute_ms);
  EXPECT_EQ(ten.error_ms_p90, 9 * minute_ms);
  EXPECT_EQ(ten.close_permille, 200) << "at most a minute off";
  const EstimateView one = accuracy_of({estimate(0, minute_ms)});
  EXPECT_EQ(one.error_ms_median, minute_ms);
  EXPECT_EQ(one.error_ms_p90, minute_ms);
  EXPECT_EQ(one.close_permille, 1'000);
  EXPECT_EQ(accuracy_of({}).count, 0);
}

TEST(StartEstimates, AnErrorWithinATenthOfTheWaitIsClose) {
  const auto is_close = [](std::int64_t made_before_ms, std::int64_t off_ms) {
    return accuracy_of({estimate(made_before_ms, off_ms)}).close_permille == 1'000;
  };
  EXPECT_TRUE(is_close(0, minute_ms));
  EXPECT_FALSE(is_close(0, minute_ms + 1));
  EXPECT_TRUE(is_close(100 * minute_ms, -10 * minute_ms));
  EXPECT_FALSE(is_close(100 * minute_ms, 10 * minute_ms + 1));
}

TEST(StartEstimates, AStoredReasonDependencyNeverSatisfiedMeansThatAJobWaitsInVain) {
  JobWait row;
  EXPECT_FALSE(is_never_satisfied(nullptr));
  EXPECT_FALSE(is_never_satisfied(&row));
  row.reason = "DependencyNeverSatisfied";
  EXPECT_TRUE(is_never_satisfied(&row));
}

}  // namespace
}  // namespace cox
