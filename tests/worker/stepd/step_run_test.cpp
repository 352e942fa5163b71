// Tests StepRun, the logic of the step daemon for one step on one node, without its processes.
#include "worker/stepd/step_run.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "common/base/limits.h"

namespace cox {
namespace {

using namespace stepd;

StepLaunch launch_of(std::vector<std::int32_t> ranks) {
  StepLaunch launch;
  launch.number = 3;
  launch.ranks = std::move(ranks);
  launch.kill_wait_ms = 1'000;
  return launch;
}

class StepStory {
 public:
  explicit StepStory(const StepLaunch& launch) : run(launch) {}
  ~StepStory() { EXPECT_TRUE(actions.empty()) << actions.size() << " unexpected actions"; }
  StepStory& on(const Event& event) {
    const Now now{boot_from_ms(ms), wall_from_ms(ms)};
    for (Action& action : run.on(event, now)) actions.push_back(std::move(action));
    return *this;
  }
  StepStory& wait_until(std::int64_t at_ms) {
    ms = at_ms;
    return on(Tick{});
  }
  template <class T>
  T take() {
    if (actions.empty() || !std::holds_alternative<T>(actions.front())) {
      ADD_FAILURE() << "unexpected next action; actions left: " << actions.size();
      return T{};
    }
    T taken = std::get<T>(std::move(actions.front()));
    actions.erase(actions.begin());
    return taken;
  }
  template <class M>
  M said() {
    const auto say = take<SendToClient>();
    const auto* message = std::get_if<M>(&say.message);
    EXPECT_NE(message, nullptr);
    return message == nullptr ? M{} : *message;
  }
  StepStory& runs() {
    on(Ordered{}).on(BeginReceived{}).on(TasksStarted{{100, 101}});
    actions.clear();
    return *this;
  }

  std::int64_t ms = 1'000;
  StepRun run;
  std::vector<Action> actions;
};

TEST(StepRun, TasksRunAndEndAndTheStepReportsTheirHighestCodeAndTheirUsage) {
  StepStory story(launch_of({4, 7}));
  story.on(Ordered{});
  story.take<Report>();
  story.take<ConnectToClient>();
  story.on(BeginReceived{}).on(BeginReceived{});
  story.take<StartTasks>();
  story.on(TasksStarted{{100, 101}});
  EXPECT_EQ(story.said<TasksBegun>().pids, (std::vector<std::int64_t>{100, 101}));
  story.on(TaskExited{1, 2, 0});
  EXPECT_EQ(story.said<TaskEnded>().rank, 7);
  story.on(TaskExited{0, 0, 0, false, false, {10, 20, 30}, "", 500, 600});
  EXPECT_EQ(story.said<TaskEnded>().rank, 4);
  story.take<KillLeftovers>();
  story.on(StreamsEnded{});
  EXPECT_FALSE(story.said<StepLeft>().timed_out);
  story.take<Report>();
  story.on(Released{});
  story.take<Forget>();
  EXPECT_EQ(story.run.status().phase, StepPhase::Gone);
  EXPECT_EQ(story.run.status().exit_code, 2) << "the highest exit code";
  EXPECT_EQ(story.run.status().usage.max_rss_kb, 30);
  EXPECT_EQ(story.run.status().figures,
            (TaskFigures{2, 30, 500, 600, {30, 4}, {500, 4}, {600, 4}, {0, 7}}));
  story.on(StopOrdered{});  // no effect: the step has ended
}

TEST(StepRun, TheStepsTimeLimitEndsItWithTimeToReact) {
  StepLaunch launch = launch_of({0, 1});
  launch.time_limit_ms = 10'000;
  StepStory story(launch);
  story.runs();
  story.wait_until(10'999);
  story.wait_until(11'000);
  EXPECT_EQ(story.take<SignalAll>().signal, SIGCONT);
  EXPECT_EQ(story.take<SignalAll>().signal, SIGTERM);
  story.wait_until(11'999);
  story.wait_until(12'000);
  story.take<KillLeftovers>();
  story.on(TaskExited{0, 0, SIGKILL}).on(TaskExited{1, 0, SIGKILL}).on(StreamsEnded{});
  story.actions.clear();
  EXPECT_TRUE(story.run.status().timed_out);
  EXPECT_EQ(story.run.status().exit_signal, SIGKILL);
}

TEST(StepRun, SuspendedTimeDoesNotCountForTheTimeLimit) {
  StepLaunch launch = launch_of({0, 1});
  launch.time_limit_ms = 10'000;
  StepStory story(launch);
  story.on(Ordered{});
  story.take<Report>();
  story.take<ConnectToClient>();
  story.ms = 1'200'000;
  story.on(SuspendedFor{Milliseconds{1'190'000}});
  EXPECT_EQ(*story.run.wakeup(), boot_from_ms(1'201'000)) << "it ran for 9 s";
  story.on(BeginReceived{});
  story.take<StartTasks>();
  story.wait_until(1'201'000);
  EXPECT_EQ(story.take<SignalAll>().signal, SIGCONT);
  EXPECT_EQ(story.take<SignalAll>().signal, SIGTERM);
  story.ms = 1'301'500;
  story.on(SuspendedFor{Milliseconds{100'000}});
  story.wait_until(1'301'999);
  story.wait_until(1'302'000);
  story.take<KillLeftovers>();
}

TEST(StepRun, TheNoteOfItsEndIsValidTextOfLimitedLength) {
  StepStory story(launch_of({0, 1}));
  story.runs();
  TaskExited failed;
  failed.exit_code = 1;
  failed.note = "cannot open \xff\n" + std::string(limits::reason_bytes_max - 15, 'x') + "\u00e9";
  story.on(failed);
  const std::string note = "cannot open ??" + std::string(limits::reason_bytes_max - 15, 'x');
  EXPECT_EQ(story.said<TaskEnded>().note, note) << "no character is cut in half";
  EXPECT_EQ(story.run.status().note, note);
}

TEST(StepRun, TheStepEndsWhenItsSrunIsGone) {
  StepStory story(launch_of({0, 1}));
  story.runs();
  story.on(ClientLost{});
  story.take<SignalAll>();
  story.take<SignalAll>();
  story.on(ClientLost{});  // repeated
  story.on(TaskExited{0, 0, SIGTERM});
  story.said<TaskEnded>();
  story.on(TaskExited{1, 0, SIGTERM}).on(ClientLost{});
  story.actions.clear();
  EXPECT_EQ(story.run.status().phase, StepPhase::Gone) << "the step does not wait for the streams";
  EXPECT_EQ(story.run.status().note, "its srun is gone");
}

TEST(StepRun, AStepThatSrunNeverStartsEnds) {
  StepStory story(launch_of({0}));
  story.on(Ordered{});
  story.actions.clear();
  EXPECT_EQ(*story.run.wakeup(), boot_from_ms(1'000) + StepRun::begin_wait);
  story.wait_until(61'000);
  story.said<StepLeft>();
  story.take<Report>();
  story.on(Released{});
  story.take<Forget>();
  EXPECT_EQ(story.run.status().exit_signal, SIGKILL);
}

TEST(StepRun, AStepEndsThoughItsStreamsStayOpen) {
  StepStory story(launch_of({0, 1}));
  story.runs();
  story.on(TaskExited{0, 0, 0}).on(TaskExited{1, 0, 0});
  story.actions.clear();
  story.wait_until(5'999);
  story.wait_until(6'000);
  story.take<ReadRest>();  // stops waiting for the open streams, and reads what is left
  story.said<StepLeft>();
  story.take<Report>();
  story.on(Released{});
  story.take<Forget>();
}

TEST(StepRun, AnEndedStepWaitsAsLongAsSrunHasPausedItsOutput) {
  StepStory story(launch_of({0, 1}));
  story.runs();
  story.on(StreamsPaused{true}).on(TaskExited{0, 0, 0}).on(TaskExited{1, 0, 0});
  story.actions.clear();
  EXPECT_FALSE(story.run.wakeup()) << "srun decides when to read on";
  story.wait_until(100'000);
  story.on(StreamsPaused{false});
  EXPECT_EQ(*story.run.wakeup(), boot_from_ms(100'000) + StepRun::streams_wait);
  story.wait_until(104'999);
  story.on(StreamsEnded{});
  story.said<StepLeft>();
  story.take<Report>();
  story.on(Released{});
  story.take<Forget>();
}

TEST(StepRun, KeepsTheConnectionUntilSrunHasAllOutputOrATimeout) {
  StepStory story(launch_of({0, 1}));
  story.runs();
  story.on(TaskExited{0, 0, 0}).on(TaskExited{1, 0, 0}).on(StreamsEnded{});
  EXPECT_EQ(story.run.status().phase, StepPhase::Gone) << "its room is free";
  story.actions.clear();
  const Boot until = *story.run.wakeup();
  EXPECT_EQ(until, boot_from_ms(1'000) + StepRun::release_wait);
  // Ignored, since the step has ended.
  story.on(StopOrdered{}).on(StreamsPaused{false}).on(Aborted{"late"});
  story.wait_until(60'999);
  story.wait_until(61'000);
  story.take<Forget>();
}

TEST(StepRun, AStoppedStepDoesNotWaitForSrunToReadItsOutput) {
  StepStory story(launch_of({0, 1}));
  story.runs();
  story.on(StreamsPaused{true}).on(TaskExited{0, 0, 0}).on(TaskExited{1, 0, 0}).on(StopOrdered{});
  story.actions.clear();
  story.wait_until(5'999);
  story.wait_until(6'000);
  story.take<ReadRest>();
  story.said<StepLeft>();
  story.take<Report>();
  story.on(Released{});
  story.take<Forget>();
}

TEST(StepRun, AStepWhoseTaskAbortsEndsAndReportsIt) {
  StepStory story(launch_of({0, 1}));
  story.runs();
  story.on(Aborted{"rank 1 has aborted"});
  EXPECT_EQ(story.take<SignalAll>().signal, SIGCONT);
  EXPECT_EQ(story.take<SignalAll>().signal, SIGTERM);
  story.wait_until(2'000);
  story.take<KillLeftovers>();
  story.on(TaskExited{0, 0, SIGKILL}).on(TaskExited{1, 9, 0}).on(StreamsEnded{});
  EXPECT_EQ(story.said<TaskEnded>().rank, 0);
  EXPECT_EQ(story.said<TaskEnded>().rank, 1);
  story.take<KillLeftovers>();
  const auto left = story.said<StepLeft>();
  EXPECT_TRUE(left.aborted);
  EXPECT_EQ(left.note, "rank 1 has aborted");
  story.take<Report>();
  story.on(Released{});
  story.take<Forget>();
}

TEST(StepRun, AStepThatIsStoppedBeforeItsStartNeverRuns) {
  StepStory story(launch_of({0, 1}));
  story.on(Ordered{});
  story.actions.clear();
  story.on(StopOrdered{});
  EXPECT_TRUE(story.said<StepLeft>().stopped);
  story.take<Report>();
  story.on(Released{});
  story.take<Forget>();
  story.on(BeginReceived{});
}

}  // namespace
}  // namespace cox
