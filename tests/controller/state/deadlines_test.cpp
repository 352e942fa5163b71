// Tests the time limits of running jobs across a restart of the controller.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class TimeLimits : public testing::Test, public Bench {
 protected:
  StopWhy stop_of(JobId id) const { return attempt(id).stop.why; }
  Milliseconds left(JobId id) const {
    return *controller->cluster().deadlines().of(id).limit - now.boot;
  }
  // The worker of n1 connects to the new leader, and reports how long the job has run.
  void reports(JobId id, Milliseconds ran) {
    WorkerHello hello;
    hello.node = *controller->cluster().node("n1");
    hello.session = session["n1"];
    hello.number = ++numbers["n1"];
    hello.term_seen = controller->cluster().term();
    hello.attempts = {status_of(id, NodePhase::Running)};
    hello.attempts.front().ran_ms = ran.count();
    hello.attempts.front().revision = ++revisions["n1"];
    deliver("n1", hello);
  }
};

TEST_F(TimeLimits, AJumpOfTheTimeOfDayBeforeARestartIsNotRunTime) {
  node("n1", 4);
  const JobId id = submit({.time_limit_s = 600});
  ready(id);
  pass_with_beats(Milliseconds{60'000}, {"n1"});
  now.wall += std::chrono::minutes{40};  // the new leader runs on a host whose clock is ahead
  restart();
  pass(Milliseconds{2'000});
  EXPECT_EQ(stop_of(id), StopWhy::None) << "no node has reported yet how long it has run";
  reports(id, Milliseconds{62'000});
  EXPECT_EQ(left(id), Milliseconds{538'000});
  pass_with_beats(Milliseconds{530'000}, {"n1"});
  EXPECT_EQ(stop_of(id), StopWhy::None);
  pass_with_beats(Milliseconds{10'000}, {"n1"});
  EXPECT_EQ(stop_of(id), StopWhy::TimeLimit);
}

TEST_F(TimeLimits, ANewTimeLimitCountsFromTheBeginningOfTheRunByTheBootClock) {
  node("n1", 4);
  const JobId id = submit({.time_limit_s = 600});
  ready(id);
  pass_with_beats(Milliseconds{60'000}, {"n1"});
  now.wall += std::chrono::minutes{40};
  ask(UpdateJobs{{id}, {""}, {"TimeLimit"}, {"5"}});
  EXPECT_EQ(left(id), Milliseconds{240'000});
}

}  // namespace
}  // namespace cox
