// Tests the names of a turn (its events and state transitions), by which COX_CRASH_AT lets a
// controller crash in that turn.
#include "controller/change/turn_words.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

Change moved(JobState from, JobState to) {
  JobChanged change;
  change.job.state = to;
  change.state_left = from;
  return change;
}

Change noted(const std::string& what) {
  EventAdded added;
  added.event.what = what;
  return added;
}

TEST(TurnWords, TheNamesOfATurnAreItsStateTransitionsAndItsEvents) {
  using Words = std::set<std::string>;
  EXPECT_EQ(names_of({}), Words{});
  EXPECT_EQ(names_of({JobAdded{}, noted("state")}), Words{"Submitted"});
  EXPECT_EQ(names_of({moved(JobState::Pending, JobState::Configuring),
                      moved(JobState::Configuring, JobState::Running), noted("hold")}),
            (Words{"Start", "GangReady", "hold"}));
  EXPECT_EQ(names_of({moved(JobState::Configuring, JobState::Completing)}),
            (Words{"LaunchUndone", "EndBegan"}))
      << "either trigger is possible";
  EXPECT_EQ(names_of({moved(JobState::Pending, JobState::Pending)}), Words{}) << "it only changed";
}

}  // namespace
}  // namespace cox
