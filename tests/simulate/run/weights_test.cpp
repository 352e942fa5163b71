#include "simulate/run/weights.h"

#include <gtest/gtest.h>

#include "simulate/trace/trace.h"

namespace cox::simulate {
namespace {

TEST(Weights, a_list_sets_weights_of_both_orders_and_leaves_the_others) {
  PriorityWeights weights;
  schedule::LifetimeWeights lifetimes;
  EXPECT_FALSE(set_weights(weights, lifetimes, "age=7,max_age=60,preempt_below=0.5,near_jobs=2"));
  EXPECT_EQ(weights.age, 7);
  EXPECT_EQ(weights.max_age, Milliseconds{60'000});
  EXPECT_EQ(weights.shortness, PriorityWeights{}.shortness);
  EXPECT_EQ(lifetimes.preempt_below, 0.5);
  EXPECT_EQ(lifetimes.near_jobs, 2);
  EXPECT_EQ(lifetimes.all_jobs, schedule::LifetimeWeights{}.all_jobs);
}

TEST(Weights, an_unknown_name_or_a_value_out_of_range_is_refused) {
  PriorityWeights weights;
  schedule::LifetimeWeights lifetimes;
  for (const char* text : {"magic=1", "age", "age=x", "age=0.5", "max_age=0", "wait_memory=1001",
                           "all_jobs=0", "preempt_below=1.1"})
    EXPECT_TRUE(set_weights(weights, lifetimes, text)) << text;
}

TEST(Progress, a_larger_part_of_reporting_jobs_includes_those_of_a_smaller_one) {
  const auto reporting = [](double part) {
    std::vector<TraceJob> jobs(1'000);
    let_some_report(jobs, part, 42);
    return jobs;
  };
  const auto count = [](const std::vector<TraceJob>& jobs) {
    return std::ranges::count(jobs, true, &TraceJob::reports_progress);
  };
  const auto half = reporting(0.5);
  const auto most = reporting(0.8);
  EXPECT_EQ(count(reporting(0)), 0);
  EXPECT_EQ(count(reporting(1)), 1'000);
  EXPECT_NEAR(static_cast<double>(count(half)), 500, 50);
  for (std::size_t i = 0; i < half.size(); ++i)
    EXPECT_LE(half[i].reports_progress, most[i].reports_progress) << i;
}

}  // namespace
}  // namespace cox::simulate
