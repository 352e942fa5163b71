// What a turn is called by, where a test lets the controller crash in it.
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

TEST(TurnWords, AreTheTriggersThatMovedJobsAndWhatWasNoted) {
  using Words = std::set<std::string>;
  EXPECT_EQ(words_of({}), Words{});
  EXPECT_EQ(words_of({JobAdded{}, noted("state")}), Words{"Submitted"});
  EXPECT_EQ(words_of({moved(JobState::Pending, JobState::Configuring),
                      moved(JobState::Configuring, JobState::Running), noted("hold")}),
            (Words{"Start", "GangReady", "hold"}));
  EXPECT_EQ(words_of({moved(JobState::Configuring, JobState::Completing)}),
            (Words{"LaunchUndone", "EndBegan"}))
      << "either may have been it";
  EXPECT_EQ(words_of({moved(JobState::Pending, JobState::Pending)}), Words{}) << "it only changed";
}

}  // namespace
}  // namespace cox
