// Tests when fence_program runs for a silent node, how often, and what the node's history records.
#include <gtest/gtest.h>

#include "controller/state/node_health.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class FenceStory : public testing::Test, public Bench {
 protected:
  FenceStory() {
    config.fence_program = "/usr/local/sbin/power-off";
    restart();
    for (const char* name : {"n1", "n2", "n3"}) node(name, 4);
  }
  JobId gang() {
    const JobId id = submit({.nodes = 3, .tasks = 12});
    ready(id);
    EXPECT_EQ(state(id), "RUNNING");
    return id;
  }
  // Passes the seconds while n3 is silent. Returns at which of them a run of fence_program is
  // requested. If `answer`, each run fails at once.
  std::vector<int> requested_within(int seconds, bool answer) {
    std::vector<int> moments;
    for (int second = 1; second <= seconds; ++second) {
      pass_with_beats(Milliseconds{1'000}, {"n1", "n2"});
      for (const FenceOrder& order : controller->take<FenceOrder>()) {
        EXPECT_EQ(order.node, "n3");
        moments.push_back(second);
        last = order;
        if (answer) ended(false);
      }
    }
    return moments;
  }
  void ended(bool succeeded) {
    controller->fence_ended({last, succeeded, succeeded ? "exit code 0" : "exit code 1"});
    settle();
  }
  // Returns the events of n3 since it last became silent, one a line.
  std::string history() const {
    std::string text;
    for (const NodeEvent& event : database->tables.node_events) {
      if (event.node != "n3") continue;
      if (event.what == "not responding") text.clear();
      text += event.what + ": " + event.why + " (" + event.actor + ")\n";
    }
    return text;
  }
  FenceOrder last;
};

TEST_F(FenceStory, FenceProgramRunsAfterAMinuteOfSilenceAndHalfAMinuteAfterEachFailure) {
  gang();
  EXPECT_EQ(requested_within(130, true), (std::vector<int>{60, 90, 120}));
  EXPECT_EQ(history(),
            "not responding: no contact for 16 s (controller)\n"
            "fence: run 1 of fence_program (controller)\n"
            "fence: fence_program failed: exit code 1 (controller)\n"
            "fence: run 2 of fence_program (controller)\n"
            "fence: fence_program failed: exit code 1 (controller)\n"
            "fence: run 3 of fence_program (controller)\n"
            "fence: fence_program failed: exit code 1 (controller)\n");
}

TEST_F(FenceStory, WithoutAResultFenceProgramRunsAgainWhenItMustHaveEnded) {
  gang();
  EXPECT_EQ(requested_within(250, false), (std::vector<int>{60, 150, 240}));
}

TEST_F(FenceStory, TheHistoryOfANodeRecordsTheRunAndTheSuccessOfFenceProgram) {
  const JobId id = gang();
  ASSERT_EQ(requested_within(60, false), std::vector<int>{60});
  ended(true);
  EXPECT_EQ(history(),
            "not responding: no contact for 16 s (controller)\n"
            "fence: run 1 of fence_program (controller)\n"
            "fenced: nothing runs there any more (fence_program)\n"
            "failure: it was lost while 1 job ran there (controller)\n");
  std::vector<std::string> of_job;
  for (const JobEvent& event : database->tables.events)
    if (event.job == id && event.what == "node") of_job.push_back(event.why);
  ASSERT_FALSE(of_job.empty());
  EXPECT_EQ(of_job.front(), "node n3 does not respond; its lease still holds");
}

TEST_F(FenceStory, ASuccessOfFenceProgramCountsOnlyIfTheNodeStayedSilentDuringTheRun) {
  const JobId id = gang();
  ASSERT_EQ(requested_within(60, false), std::vector<int>{60});
  beat("n3", {{attempt(id).key, 1, NodePhase::Running, 0}});
  ended(true);
  EXPECT_TRUE(
      history().ends_with("fence: the node sent a message while fence_program ran, so it does not "
                          "count as fenced (controller)\n"))
      << history();
  EXPECT_EQ(state(id), "RUNNING");
}

TEST_F(FenceStory, TheRunsOfFenceProgramAreCountedAnewAfterTheNodeHasReturned) {
  gang();
  ASSERT_EQ(requested_within(70, true), std::vector<int>{60});
  for (int i = 0; i < 20; ++i) beat_as_is("n3");
  ASSERT_TRUE(controller->cluster().node("n3")->responding);
  EXPECT_EQ(requested_within(70, true), std::vector<int>{60});
  EXPECT_EQ(history(),
            "not responding: no contact for 16 s (controller)\n"
            "fence: run 1 of fence_program (controller)\n"
            "fence: fence_program failed: exit code 1 (controller)\n");
}

TEST_F(FenceStory, GoodHeartbeatsBeforeASecondSilenceDoNotCountForTheReturn) {
  config.return_beats = 3;
  restart();
  for (const char* name : {"n1", "n2", "n3"}) node(name, 4);
  const auto is_back = [&] { return controller->cluster().node("n3")->responding; };
  requested_within(20, false);
  ASSERT_FALSE(is_back());
  for (int i = 0; i < 2; ++i) beat("n3");
  requested_within(20, false);
  for (int i = 0; i < 2; ++i) beat("n3");
  EXPECT_FALSE(is_back()) << "two in a row";
  beat("n3");
  EXPECT_TRUE(is_back());
}

}  // namespace
}  // namespace cox
