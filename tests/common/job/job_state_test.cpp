// Tests the table of a job's state transitions: each pair of state and trigger gives a new state or
// none. The expected table was written by hand a second time, so a mistake in either is found.
#include "common/job/job_state.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace cox {
namespace {

constexpr int trigger_count = static_cast<int>(Trigger::RequeuedAfterEnd) + 1;

using Ways = std::map<std::pair<std::string, std::string>, std::string>;

const Ways expected = {
    {{"PENDING", "Start"}, "CONFIGURING"},
    {{"PENDING", "EndedCancelled"}, "CANCELLED"},
    {{"PENDING", "EndedDeadline"}, "DEADLINE"},
    {{"CONFIGURING", "GangReady"}, "RUNNING"},
    {{"CONFIGURING", "LaunchUndone"}, "COMPLETING"},
    {{"CONFIGURING", "EndBegan"}, "COMPLETING"},
    {{"RUNNING", "StopAsked"}, "SIGNALING"},
    {{"RUNNING", "EndBegan"}, "COMPLETING"},
    {{"RUNNING", "SuspendAsked"}, "SUSPENDED"},
    {{"SUSPENDED", "ResumeAsked"}, "RUNNING"},
    {{"SUSPENDED", "StopAsked"}, "SIGNALING"},
    {{"SUSPENDED", "EndBegan"}, "COMPLETING"},
    {{"SIGNALING", "EndBegan"}, "COMPLETING"},
    {{"COMPLETING", "Requeued"}, "PENDING"},
    {{"COMPLETING", "EndedCompleted"}, "COMPLETED"},
    {{"COMPLETING", "EndedFailed"}, "FAILED"},
    {{"COMPLETING", "EndedCancelled"}, "CANCELLED"},
    {{"COMPLETING", "EndedTimeout"}, "TIMEOUT"},
    {{"COMPLETING", "EndedNodeFail"}, "NODE_FAIL"},
    {{"COMPLETING", "EndedPreempted"}, "PREEMPTED"},
    {{"COMPLETING", "EndedOutOfMemory"}, "OUT_OF_MEMORY"},
    {{"COMPLETING", "EndedDeadline"}, "DEADLINE"},
    {{"COMPLETED", "RequeuedAfterEnd"}, "PENDING"},
    {{"FAILED", "RequeuedAfterEnd"}, "PENDING"},
    {{"CANCELLED", "RequeuedAfterEnd"}, "PENDING"},
    {{"TIMEOUT", "RequeuedAfterEnd"}, "PENDING"},
    {{"NODE_FAIL", "RequeuedAfterEnd"}, "PENDING"},
    {{"PREEMPTED", "RequeuedAfterEnd"}, "PENDING"},
    {{"OUT_OF_MEMORY", "RequeuedAfterEnd"}, "PENDING"},
    {{"DEADLINE", "RequeuedAfterEnd"}, "PENDING"},
};

TEST(JobState, EachStateAndTriggerLeadToTheListedStateOrToNone) {
  Ways found;
  for (const JobState from : all_job_states)
    for (int t = 0; t < trigger_count; ++t)
      if (const auto to = next_state(from, static_cast<Trigger>(t)))
        found[{std::string(name(from)), std::string(name(static_cast<Trigger>(t)))}] = name(*to);
  EXPECT_EQ(found, expected);
}

TEST(JobState, NoStateAndTriggerAreTwiceInTheTable) {
  std::set<std::pair<JobState, Trigger>> seen;
  for (const auto& t : transitions) EXPECT_TRUE(seen.emplace(t.from, t.trigger).second);
}

TEST(JobState, OnlyARequeueByAUserLeavesAFinalState) {
  for (const Transition& t : transitions) {
    EXPECT_EQ(is_final(t.from), t.trigger == Trigger::RequeuedAfterEnd) << name(t.from);
    EXPECT_TRUE(!is_final(t.from) || t.to == JobState::Pending) << name(t.from);
  }
}

TEST(JobState, EveryStateCanBeEnteredAndLeft) {
  std::set<JobState> reached = {JobState::Pending};
  std::set<JobState> left;
  for (const auto& t : transitions) {
    reached.insert(t.to);
    left.insert(t.from);
  }
  for (const JobState s : all_job_states) {
    EXPECT_TRUE(reached.contains(s)) << name(s);
    EXPECT_TRUE(left.contains(s)) << name(s);
  }
}

TEST(JobState, NamesAreThoseOfSlurmAndAreParsed) {
  for (const JobState s : all_job_states) {
    EXPECT_EQ(job_state_from(name(s)), s);
    EXPECT_EQ(job_state_from(short_name(s)), s);
  }
  EXPECT_EQ(job_state_from("running"), JobState::Running);
  EXPECT_EQ(job_state_from("pd"), JobState::Pending);
  EXPECT_EQ(job_state_from("RUNING"), std::nullopt);
}

}  // namespace
}  // namespace cox
