// Tests messages of workers that arrive late, twice, in another order or from another connection.
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/answer/answer.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class LateWords : public testing::Test, public Bench {
 protected:
  // Delivers a message of this node's worker from the connection `peer`.
  void receive_from(const PeerName& peer, const std::string& node, Message message) {
    controller->receive({peer, {Caller::Kind::Worker, node, "ada", 1000, 1000}, std::move(message)},
                        now);
    settle();
  }
  // Returns the status of an attempt whose only rank exited with this code at this time.
  AttemptStatus exited(JobId id, NodePhase phase, int code, Wall at) {
    AttemptStatus s = status_of(id, phase);
    s.ranks = {{0, RankPhase::Exited, code, 0, {}, at, at}};
    return s;
  }
  std::vector<std::string> whys_of(JobId id, const std::string& what) const {
    std::vector<std::string> whys;
    for (const JobEvent& event : store.tables().events)
      if (event.job == id && event.what == what) whys.push_back(event.why);
    return whys;
  }
  // Starts a job on n1. The lease of n1 passes without a message from it, so the job starts again
  // on n2. Returns the job.
  JobId abandoned_on_n1() {
    node("n1", 2);
    node("n2", 2);
    const JobId id = submit({.tasks = 2});
    ready(id);
    EXPECT_EQ(nodes(id), "n1");
    first = status_of(id, NodePhase::Running);
    const auto lost = config.lease + config.lease_grace + config.kill_wait + config.lease_margin;
    pass_with_beats(lost + Milliseconds{2000}, {"n2"});
    EXPECT_EQ(nodes(id), "n2");
    ready(id);
    EXPECT_EQ(state(id), "RUNNING");
    return id;
  }
  AttemptStatus first;
};

TEST_F(LateWords, OrdersGoToTheLatestConnectionOfTheNode) {
  node("n1", 2);
  const Heartbeat beat{"n1", session["n1"], ++numbers["n1"], {}};
  receive_from("worker-n1-anew", "n1", beat);
  const JobId first = submit({});
  EXPECT_EQ(take<Prepare>().back().first, "worker-n1-anew");
  AttemptStatus s = status_of(first, NodePhase::Running);
  s.revision = ++revisions["n1"];
  receive_from("worker-n1-again", "n1", StatusReport{"n1", s, session["n1"], ++numbers["n1"]});
  ask(ActOnJobs{JobVerb::Cancel, {first}});
  EXPECT_EQ(take<Stop>().back().first, "worker-n1-again");
}

// A worker notes that a disk is full, and later clears the note.
TEST_F(LateWords, ANodesNoteIsRemovedWhenTheNodeClearsIt) {
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  AttemptStatus s = status_of(id, NodePhase::Running);
  s.note = "no room for output";
  status("n1", s);
  status("n1", s);
  const auto shown = [&] { return view_of(controller->cluster(), job(id), now).system_comment; };
  EXPECT_EQ(shown(), "n1: no room for output");
  s.note = "";
  status("n1", s);
  EXPECT_EQ(shown(), "");
  EXPECT_EQ(whys_of(id, "node"),
            (std::vector<std::string>{"no room for output", "no longer: no room for output"}));
}

TEST_F(LateWords, AStaleHeartbeatFromAnOldConnectionDoesNotRedirectOrders) {
  node("n1", 2);
  const Heartbeat old{"n1", session["n1"], ++numbers["n1"], {}};
  beat("n1");
  receive_from("an-old-connection", "n1", old);
  submit({});
  EXPECT_EQ(take<Prepare>().back().first, "worker-n1");
}

TEST_F(LateWords, TheEndOfAJobIsTheEndOfItsLastRankHoweverLateTheReport) {
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  const Wall end = now.wall + Milliseconds{3'000};
  pass(Milliseconds{600'000});
  status("n1", exited(id, NodePhase::Gone, 3, end));
  EXPECT_EQ(state(id), "FAILED");
  EXPECT_EQ(job(id).job.exit_code, 3);
  EXPECT_EQ(job(id).job.ended, end);
  EXPECT_EQ(attempt(id).ended, end);
}

TEST_F(LateWords, F20RecordedTimesNeverDecreaseThoughTheClockIsSetBack) {
  node("n1", 2);
  const Milliseconds hour{3'600'000};
  const JobId id = submit({});
  const auto set_back = [&] { now.wall -= hour; };
  set_back();
  ready(id);
  set_back();
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  finish(id, 0);
  set_back();
  pass(Milliseconds{10'000});
  ready(id);
  set_back();
  finish(id, 0);
  EXPECT_EQ(state(id), "COMPLETED");
  const JobEntry& e = job(id);
  ASSERT_EQ(e.attempts.size(), 2U);
  std::vector<Wall> written{e.job.submitted};
  for (const Attempt& a : e.attempts) written.insert(written.end(), {a.began, a.went, a.ended});
  EXPECT_TRUE(std::ranges::is_sorted(written));
  std::vector<Wall> times;
  for (const JobEvent& event : store.tables().events)
    if (event.job == id) times.push_back(event.at);
  EXPECT_GT(times.size(), 6U);
  EXPECT_TRUE(std::ranges::is_sorted(times));
}

TEST_F(LateWords, F20AClockJumpNeitherEndsNorProlongsAJob) {
  node("n1", 2);
  const JobId id = submit({.time_limit_s = 600});
  ready(id);
  now.wall += Milliseconds{3'600'000};
  pass_with_beats(Milliseconds{300'000}, {"n1"});
  EXPECT_EQ(state(id), "RUNNING");
  now.wall -= Milliseconds{7'200'000};
  pass_with_beats(Milliseconds{301'000}, {"n1"});
  EXPECT_NE(state(id), "RUNNING");
  EXPECT_EQ(attempt(id).stop.why, StopWhy::TimeLimit);
}

TEST_F(LateWords, AJobWhoseStartAndEndAreReportedLateHasTheTimesOfItsNode) {
  node("n1", 2);
  const JobId id = submit({});
  ASSERT_EQ(state(id), "CONFIGURING");
  const Wall began = now.wall + Milliseconds{1'000};
  const Wall end = began + Milliseconds{5'000};
  for (int minute = 0; minute < 10; ++minute) now.wall += Milliseconds{60'000};
  AttemptStatus s = exited(id, NodePhase::Gone, 0, end);
  s.ranks[0].started = began;
  status("n1", s);
  EXPECT_EQ(state(id), "COMPLETED");
  EXPECT_EQ(job(id).job.started, began);
  EXPECT_EQ(job(id).job.ended, end);
}

TEST_F(LateWords, AWrongNodeClockLetsNoJobEndBeforeItsStartOrInTheFuture) {
  node("n1", 2);
  for (const Milliseconds off : {Milliseconds{-3'600'000}, Milliseconds{3'600'000}}) {
    const JobId id = submit({});
    ready(id);
    pass(Milliseconds{1'000});
    status("n1", exited(id, NodePhase::Gone, 0, now.wall + off));
    ASSERT_EQ(state(id), "COMPLETED");
    EXPECT_EQ(job(id).job.ended, off < Milliseconds{0} ? job(id).job.started : now.wall);
  }
}

TEST_F(LateWords, TheEndOfAnAbandonedAttemptIsRecordedOnceAndChangesNothing) {
  const JobId id = abandoned_on_n1();
  take<Stop>();
  status("n1", first);
  EXPECT_EQ(take<Stop>().back().second.key.attempt.value, 1);
  EXPECT_TRUE(whys_of(id, "stale_completion").empty()) << "it has not ended";
  for (int time = 0; time < 3; ++time) {  // a worker repeats the report until it is acknowledged
    AttemptStatus gone = first;
    gone.phase = NodePhase::Gone;
    gone.ranks = {{0, RankPhase::Exited, 9, 0, {}, now.wall, now.wall}};
    status("n1", gone);
    const StatusAck ack = take<StatusAck>().back().second;
    EXPECT_EQ(ack.key.attempt.value, 1);
    EXPECT_EQ(ack.term, controller->cluster().term());
  }
  const auto stale = whys_of(id, "stale_completion");
  ASSERT_EQ(stale.size(), 1u);
  EXPECT_NE(stale[0].find("attempt 1 "), std::string::npos) << stale[0];
  EXPECT_EQ(state(id), "RUNNING");
  EXPECT_EQ(job(id).job.attempt.value, 2);
  finish(id, 0);
  EXPECT_EQ(state(id), "COMPLETED");
  EXPECT_EQ(job(id).job.exit_code, 0);
}

TEST_F(LateWords, ARepeatedReportOfAnEndIsNotRecordedAsStale) {
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  AttemptStatus gone = exited(id, NodePhase::Gone, 0, now.wall);
  gone.revision = ++revisions["n1"];
  for (int time = 0; time < 2; ++time)
    deliver("n1", StatusReport{"n1", gone, session["n1"], ++numbers["n1"]});
  EXPECT_EQ(state(id), "COMPLETED");
  EXPECT_TRUE(whys_of(id, "stale_completion").empty());
}

TEST_F(LateWords, AReportOfAnEndThatOvertakesTheReportOfTheStartIsKept) {
  node("n1", 2);
  node("n2", 2);
  const JobId id = submit({.nodes = 2, .tasks = 2});
  ready(id);
  AttemptStatus running = status_of(id, NodePhase::Running);
  running.revision = ++revisions["n1"];
  const std::int64_t earlier = ++numbers["n1"];
  AttemptStatus gone = exited(id, NodePhase::Gone, 0, now.wall);
  status("n1", gone);
  deliver("n1", StatusReport{"n1", running, session["n1"], earlier});
  EXPECT_EQ(attempt(id).nodes.at(0).phase, NodePhase::Gone);
  EXPECT_EQ(state(id), "RUNNING") << "the other rank is at work";
  gone.ranks[0].rank = 1;
  for (int time = 0; time < 3; ++time) {
    gone.revision = revisions["n2"] + 1;
    deliver("n2", StatusReport{"n2", gone, session["n2"], ++numbers["n2"]});
  }
  EXPECT_EQ(state(id), "COMPLETED");
  const auto ends = whys_of(id, "state");
  EXPECT_EQ(std::ranges::count(ends, "all ranks exited with 0"), 1);
}

}  // namespace
}  // namespace cox
