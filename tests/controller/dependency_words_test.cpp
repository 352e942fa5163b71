// Tests the pending reasons of jobs that depend on other jobs, and the refusals of dependencies.
#include <gtest/gtest.h>

#include "tests/controller/array_story.h"

namespace cox {
namespace {

class DependencyWords : public JobArrays {
 protected:
  JobId held() {
    return submit({.with = [](JobSpec& s) { s.hold = true; }});
  }
  JobId after(const std::string& dependency) {
    return submit({.with = [&](JobSpec& s) { s.dependency = dependency; }});
  }
  std::string why(JobId id) { return detail(id).view.reason_detail; }
  std::string refusal_of_dependency(const std::string& dependency) {
    return refused({.with = [&](JobSpec& s) { s.dependency = dependency; }});
  }
};

TEST_F(DependencyWords, EachKindOfDependencySaysWhatItWaitsFor) {
  held();
  EXPECT_EQ(why(after("after:1")), "waits for job 1 (PENDING) to begin");
  EXPECT_EQ(why(after("after:1+5")), "waits for job 1 (PENDING) to have begun 5 min ago");
  EXPECT_EQ(why(after("afterany:1")), "waits for job 1 (PENDING) to end");
  EXPECT_EQ(why(after("afterok:1")), "waits for job 1 (PENDING) to complete successfully");
  EXPECT_EQ(why(after("aftercorr:1")), "waits for job 1 (PENDING) to complete successfully");
  EXPECT_EQ(why(after("afternotok:1")), "waits for job 1 (PENDING) to fail");
}

TEST_F(DependencyWords, ThreeDependenciesAreNamedAndTheOthersCounted) {
  for (int i = 1; i <= 5; ++i) held();
  const std::string three =
      "waits for job 1 (PENDING) to end, for job 2 (PENDING) to end, for job 3 (PENDING) to end";
  const std::string asked = "afterany:1,afterany:2,afterany:3";
  EXPECT_EQ(why(after(asked)), three);
  EXPECT_EQ(why(after(asked + ",afterany:4")), three + " and 1 more");
  EXPECT_EQ(why(after(asked + ",afterany:4,afterany:5")), three + " and 2 more");
  EXPECT_EQ(why(after("afterany:1?afterok:2")),
            "waits for job 1 (PENDING) to end or for job 2 (PENDING) to complete successfully");
}

TEST_F(DependencyWords, AJobThatWaitsInVainNamesOnlyTheHopelessDependencies) {
  node("n1", 4);
  const JobId bad = submit({});
  held();
  end(bad, 1);
  EXPECT_EQ(why(after("afterok:1,afterok:2")),
            "waits in vain for job 1 (FAILED) to complete successfully");
  EXPECT_EQ(why(after("afterok:1?afterok:2")), "waits for job 2 (PENDING) to complete successfully")
      << "the other dependency can still be met";
  pass_with_beats(config.min_job_age + Milliseconds{1'000}, {"n1"});
  ASSERT_EQ(controller->cluster().job(bad), nullptr);
  EXPECT_EQ(why(after("afterok:1")), "waits in vain for job 1 (ended) to complete successfully");
}

TEST_F(DependencyWords, AHopelessDependencyOnAnArrayNamesTheDecidingTask) {
  node("n1", 4);
  const JobId well = array("0-1");
  for (const std::int64_t number : {0, 1}) end_task(well, number);
  EXPECT_EQ(why(after("afternotok:" + std::to_string(well.value))),
            "waits in vain for array 1 to fail: all of its tasks are COMPLETED");
  const JobId bad = array("0-2");
  for (const std::int64_t number : {0, 1, 2}) end_task(bad, number, number == 1 ? 3 : 0);
  const std::string name = std::to_string(bad.value);
  EXPECT_EQ(why(after("afterok:" + name)), "waits in vain for array " + name +
                                               " to complete successfully: task 1 of array " +
                                               name + " (" + name + "_1) FAILED");
}

TEST_F(DependencyWords, ADependencyOnATaskNeedsAnArray) {
  held();
  EXPECT_EQ(refusal_of_dependency("afterok:1_3"),
            "--dependency names task 3 of job 1, which is not an array");
  EXPECT_EQ(refusal_of_dependency("afterok:1"), "");
}

TEST_F(DependencyWords, AnAfterDependencyIsMetWhenTheOtherJobEndsWithoutStarting) {
  node("n1", 4);
  const JobId first = held();
  const JobId soon = after("after:1");
  const JobId later = after("after:1+2");
  const Wall cancelled = now.wall;
  act(JobVerb::Cancel, first);
  EXPECT_EQ(state(soon), "CONFIGURING");
  EXPECT_EQ(job(later).job.eligible, cancelled + Milliseconds{120'000}) << "counted from its end";
}

}  // namespace
}  // namespace cox
