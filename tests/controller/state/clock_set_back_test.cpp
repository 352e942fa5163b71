// Tests that no job waits for years when a clock that was years ahead has been put right.
#include <gtest/gtest.h>

#include "common/base/moment_text.h"
#include "controller/scheduling/ineligible.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class ClockSetBack : public testing::Test, public Bench {
 protected:
  static constexpr std::chrono::hours years{2 * 365 * 24};

  ClockSetBack() { node("n1", 2); }
  JobId after(const std::string& dependency) {
    return submit({.with = [&](JobSpec& s) { s.dependency = dependency; }});
  }
};

TEST_F(ClockSetBack, AJobThatWaitsForMinutesIsDueByTheBootClock) {
  now.wall += years;
  const JobId first = submit({});
  ready(first);
  const JobId second = after("after:" + std::to_string(first.value) + "+1");
  now.wall -= years;
  pass_with_beats(Milliseconds{59'000}, {"n1"});
  EXPECT_EQ(state(second), "PENDING");
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(state(second), "CONFIGURING");
}

// The clocks of two controllers may differ so much, and both are believed.
TEST_F(ClockSetBack, AJobThatWaitsForMinutesIsDueByTheTimeOfDayIfThatWasSetBackByMinutes) {
  const JobId first = submit({});
  ready(first);
  const JobId second = after("after:" + std::to_string(first.value) + "+1");
  now.wall -= std::chrono::minutes{5};
  pass_with_beats(Milliseconds{359'000}, {"n1"});
  EXPECT_EQ(state(second), "PENDING");
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(state(second), "CONFIGURING");
}

TEST_F(ClockSetBack, AJobThatSeemsToBeginInYearsCountsAsBegunNow) {
  now.wall += years;
  const JobId first = submit({});
  ready(first);
  now.wall -= years;
  const JobId second = after("after:" + std::to_string(first.value) + "+1");
  pass_with_beats(Milliseconds{60'000}, {"n1"});
  EXPECT_EQ(state(second), "CONFIGURING");
}

TEST_F(ClockSetBack, ALeaderWithTheRightClockDoesNotWaitForTheYearsOfTheFormerOne) {
  now.wall += years;
  const JobId first = submit({});
  ready(first);
  finish(first, 0);
  const JobId second = after("after:" + std::to_string(first.value) + "+1");
  const Wall begin = now.wall - years + std::chrono::hours{1};
  submit({});  // leaves too little room for the next one
  const JobId asks = submit({.tasks = 2, .with = [&](JobSpec& s) { s.begin = begin; }});
  ASSERT_EQ(state(asks), "PENDING");
  now.wall -= years;
  restart();
  node("n1", 2);
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(state(second), "CONFIGURING");
  const auto waits = why_ineligible(controller->cluster(), job(asks).job, now);
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->detail, "does not start before " + moment_text(begin));
}

}  // namespace
}  // namespace cox
