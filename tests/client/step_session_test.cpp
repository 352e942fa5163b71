// What srun does about its step: messages and signals in, bytes, words and messages out.
#include "client/step_session.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

namespace cox {
namespace {

using namespace srun;
using Words = std::vector<std::string>;

// A session with what came of it so far, and a clock that stands still.
class Story {
 public:
  explicit Story(const Words& options, std::int64_t nodes = 2, std::int64_t tasks_each = 2)
      : nodes_(nodes), tasks_each_(tasks_each), session_(settings_of(options)) {
    now_.wall = wall_from_ms(1'800'000'000'000);
    feed(Started{});
  }

  void feed(const Event& event) {
    for (const Action& action : session_.on(event, now_)) keep(action);
  }
  void pass(std::int64_t ms) {
    now_.boot += Milliseconds{ms};
    now_.wall += Milliseconds{ms};
    feed(Tick{});
  }

  void shown(JobState state) {
    StepShown shown{view(state), state == JobState::Pending ? "Requested nodes are busy" : ""};
    feed(Answered{shown});
  }
  void join(std::int32_t node) {
    feed(Heard{peer(node), StepJoin{3, node, "n" + std::to_string(node + 1), ranks(node)}});
  }
  // The controller has started it, and all nodes have called.
  void begin() {
    shown(JobState::Running);
    for (std::int32_t node = 0; node < nodes_; ++node) join(node);
    said.clear();
    words.clear();
  }
  void say(std::int32_t node, Message message) { feed(Heard{peer(node), std::move(message)}); }
  void output(std::int32_t rank, const std::string& data) {
    say(node_of(rank), StreamData{rank, StreamName::Output, data});
  }
  void error(std::int32_t rank, const std::string& data) {
    say(node_of(rank), StreamData{rank, StreamName::Error, data});
  }
  void end(std::int32_t rank, std::int32_t code, std::int32_t by = 0, bool core = false) {
    say(node_of(rank), TaskEnded{rank, code, by, core, false, ""});
  }
  void leave(JobState state, std::int32_t code = 0) {
    for (std::int32_t node = 0; node < nodes_; ++node) say(node, StepLeft{});
    exit_code = code;
    shown(state);
  }

  template <class M>
  std::vector<M> told(std::int32_t node) const {
    std::vector<M> found;
    for (const Tell& one : said)
      if (one.peer == peer(node))
        if (const auto* message = std::get_if<M>(&one.message)) found.push_back(*message);
    return found;
  }

  StepSession& session() { return session_; }

  std::string out, err, words;
  std::vector<Tell> said;
  std::vector<Ask> asked;
  std::vector<Write> writes;
  int ends_asked = 0;
  std::int32_t exit_code = 0;  // as the controller has it

 private:
  static StepSession::Settings settings_of(const Words& options) {
    Words line = options;
    line.push_back("train");
    const auto plan = plan_step(*parse_step(line), {{"SLURM_JOB_ID=12"}, "/home/ann", "login1"},
                                [](const std::string&) { return std::nullopt; });
    EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.refusal().fact);
    StepSession::Settings settings;
    settings.plan = *plan;
    return settings;
  }
  StepView view(JobState state) const {
    StepView view;
    view.step.key = {{JobId{12}, AttemptNumber{1}}, 3};
    view.step.state = state;
    view.step.exit_code = exit_code;
    if (state == JobState::Pending) return view;
    view.step.tasks = nodes_ * tasks_each_;
    for (std::int64_t i = 0; i < nodes_; ++i)
      view.step.nodes.push_back({"n" + std::to_string(i + 1), 2, 2, 0, {}, StepPhase::Running});
    return view;
  }
  std::vector<std::int32_t> ranks(std::int32_t node) const {
    std::vector<std::int32_t> ranks;
    for (std::int64_t i = 0; i < tasks_each_; ++i)
      ranks.push_back(static_cast<std::int32_t>(node * tasks_each_ + i));
    return ranks;
  }
  std::int32_t node_of(std::int32_t rank) const {
    return rank / static_cast<std::int32_t>(tasks_each_);
  }
  static std::string peer(std::int32_t node) { return "peer" + std::to_string(node); }

  void keep(const Action& action) {
    if (const auto* tell = std::get_if<Tell>(&action)) said.push_back(*tell);
    if (const auto* ask = std::get_if<Ask>(&action)) asked.push_back(*ask);
    if (std::holds_alternative<EndStep>(action)) ++ends_asked;
    const auto* write = std::get_if<Write>(&action);
    if (write == nullptr) return;
    (write->sink == Sink::Output ? out : write->sink == Sink::Error ? err : words) += write->text;
    writes.push_back(*write);
  }

  std::int64_t nodes_;
  std::int64_t tasks_each_;
  Now now_{};
  StepSession session_;
};

// ---- creation --------------------------------------------------------------------------------

TEST(StepSession, TellsThatItWaitsOnceAndThenThatItGoesOn) {
  Story story({});
  ASSERT_EQ(story.asked.size(), 1U);
  EXPECT_EQ(story.asked[0].wait.count(), 0);  // whether there is room is said at once
  story.shown(JobState::Pending);
  story.shown(JobState::Pending);
  EXPECT_EQ(story.words,
            "srun: Job 12 step creation temporarily disabled, retrying (Requested nodes are "
            "busy)\n");
  story.words.clear();
  story.shown(JobState::Running);
  EXPECT_EQ(story.words, "srun: Step created for StepId=12.3\n");
  EXPECT_EQ(story.asked.back().known, JobState::Running);
}

TEST(StepSession, SaysNothingWhenThereIsRoom) {
  Story story({});
  story.shown(JobState::Running);
  EXPECT_EQ(story.words, "");
}

TEST(StepSession, EndsWhenItIsRefused) {
  Story story({});
  story.feed(Denied{{"More processors requested than permitted", "9 tasks of 1 CPU"}, false});
  EXPECT_EQ(story.words,
            "srun: error: Unable to create step for job 12: More processors requested than "
            "permitted\nsrun: error: 9 tasks of 1 CPU\n");
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.session().exit_code(), 1);
}

TEST(StepSession, AsksAgainWhenTheControllerCannotAnswerNow) {
  Story story({});
  story.feed(Denied{{"the database is away", ""}, true});
  story.feed(Silence{{"nobody answers", ""}});
  story.feed(Silence{{"nobody answers", ""}});
  EXPECT_EQ(story.asked.size(), 1U);
  story.pass(1000);
  EXPECT_EQ(story.asked.size(), 2U);
  EXPECT_NE(story.words.find("retrying (the database is away)"), std::string::npos);
  EXPECT_EQ(story.words.find("nobody answers"), story.words.rfind("nobody answers"));
}

TEST(StepSession, WaitsForRoomNoLongerThanImmediateSays) {
  Story story({"--immediate=5"});
  story.shown(JobState::Pending);
  story.pass(4999);
  EXPECT_EQ(story.ends_asked, 0);
  story.pass(1);
  EXPECT_EQ(story.ends_asked, 1);
  EXPECT_FALSE(story.session().is_over());  // the controller is to know
  story.feed(EndTaken{});
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.session().exit_code(), 1);
}

TEST(StepSession, ThatWaitsEndsAtTheFirstSignal) {
  Story story({});
  story.shown(JobState::Pending);
  story.feed(Signalled{SIGUSR1});
  EXPECT_EQ(story.ends_asked, 0);
  story.feed(Signalled{SIGINT});
  EXPECT_EQ(story.ends_asked, 1);
  EXPECT_NE(story.words.find("srun: Cancelled pending job step with signal 2\n"),
            std::string::npos);
  story.pass(5000);
  EXPECT_TRUE(story.session().is_over());
}

TEST(StepSession, TellsNodesThatCallBeforeTheControllerAnswers) {
  Story story({});
  story.join(1);
  EXPECT_TRUE(story.said.empty());
  story.shown(JobState::Running);
  EXPECT_EQ(story.told<StepBegin>(1).size(), 1U);
  story.join(0);
  ASSERT_EQ(story.told<StepBegin>(0).size(), 1U);
  EXPECT_EQ(story.told<StepBegin>(0)[0].commands[0].words, Words{"train"});
  EXPECT_EQ(story.told<StepBegin>(0)[0].credit, stream_credit);
}

TEST(StepSession, LetsNobodyElseIn) {
  Story story({});
  story.shown(JobState::Running);
  story.feed(Heard{"stranger", StepJoin{4, 0, "n1", {0, 1}}});  // another step
  story.feed(Heard{"stranger", StepJoin{3, 2, "n3", {4}}});     // no node of it
  story.feed(Heard{"stranger", StepJoin{3, 0, "n2", {0, 1}}});  // not that node
  story.feed(Heard{"stranger", StreamData{0, StreamName::Output, "x"}});
  EXPECT_TRUE(story.said.empty());
  EXPECT_EQ(story.out, "");
  story.join(0);
  story.feed(Heard{"stranger", StepJoin{3, 0, "n1", {0, 1}}});  // it is there already
  EXPECT_EQ(story.said.size(), 1U);
}

// ---- output ----------------------------------------------------------------------------------

TEST(StepSession, WritesOutputAsItComes) {
  Story story({});
  story.begin();
  story.output(0, std::string("a\0b", 3));
  story.error(2, "oh");
  story.output(3, "c\n");
  EXPECT_EQ(story.out, std::string("a\0bc\n", 5));
  EXPECT_EQ(story.err, "oh");
}

TEST(StepSession, GivesCreditForWhatIsWritten) {
  Story story({});
  story.begin();
  const std::string piece(stream_chunk_bytes_max, 'x');
  std::int64_t given = 0;
  for (int i = 0; i < 7; ++i) {
    story.output(0, piece);
    story.output(2, piece);
  }
  EXPECT_TRUE(story.said.empty());  // nothing is written yet
  const std::vector<Write> writes = story.writes;
  for (const Write& write : writes)
    if (write.node == 0) story.feed(Written{write.node, write.credit});
  for (const OutputCredit& credit : story.told<OutputCredit>(0)) given += credit.bytes;
  EXPECT_GE(given, stream_credit / 4 - static_cast<std::int64_t>(piece.size()));
  EXPECT_TRUE(story.told<OutputCredit>(1).empty());
}

TEST(StepSession, LabelsWholeLines) {
  Story story({"-l"}, 2, 6);
  story.begin();
  story.output(0, "one\ntw");
  story.output(11, "eleven\n");
  story.error(0, "wrong\n");
  story.output(0, "o\nlast");
  EXPECT_EQ(story.out, " 0: one\n11: eleven\n 0: two\n");
  EXPECT_EQ(story.err, " 0: wrong\n");
  story.say(0, StreamEnd{0, StreamName::Output});
  EXPECT_TRUE(story.out.ends_with(" 0: last\n"));
  story.out.clear();
  story.output(7, std::string(LabelledLines::line_bytes_max + 2, 'y') + "\n");
  EXPECT_EQ(story.out, " 7: " + std::string(LabelledLines::line_bytes_max, 'y') + "\n 7: yy\n");
}

TEST(StepSession, WritesTheLastWordsOfANodeThatIsLost) {
  Story story({"-l"});
  story.begin();
  story.output(2, "half a li");
  story.say(0, StepLeft{});
  story.shown(JobState::NodeFail);
  story.pass(5000);
  EXPECT_EQ(story.out, "2: half a li\n");
  EXPECT_EQ(story.words, "srun: error: Node failure on n2\n");
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.session().exit_code(), 1);
}

TEST(StepSession, WritesOneTasksOutputAlone) {
  Story story({"-o", "2"});
  story.begin();
  story.output(0, "no");
  story.output(2, "yes");
  story.error(2, "!");  // it goes the same way
  EXPECT_EQ(story.out, "yes!");
}

TEST(StepSession, TellsTasksThatTheirReaderHasGone) {
  Story story({});
  story.begin();
  story.feed(SinkLost{Sink::Output, ""});
  ASSERT_EQ(story.told<SignalTasks>(0).size(), 1U);
  EXPECT_EQ(story.told<SignalTasks>(0)[0].signal, SIGPIPE);
  EXPECT_EQ(story.words, "");
  story.feed(SinkLost{Sink::Error, "cannot write to standard error: No space left on device"});
  EXPECT_NE(story.words.find("No space left"), std::string::npos);
}

// ---- input -----------------------------------------------------------------------------------

TEST(StepSession, ReadsInputAsFarAsEveryNodeHasCredit) {
  Story story({});
  story.shown(JobState::Running);
  story.join(0);
  EXPECT_EQ(story.session().input_room(), 0U);  // n2 has not called
  story.join(1);
  std::size_t sent = 0;
  while (story.session().input_room() > 0) {
    const std::string data(story.session().input_room(), 'x');
    sent += data.size();
    story.feed(InputRead{data});
  }
  EXPECT_LE(sent, static_cast<std::size_t>(input_credit));
  EXPECT_EQ(story.told<InputData>(0).size(), story.told<InputData>(1).size());
  story.say(0, InputCredit{input_credit});
  EXPECT_EQ(story.session().input_room(), 0U);  // the slower one decides
  story.say(1, InputCredit{input_credit});
  EXPECT_GT(story.session().input_room(), 0U);
  story.feed(InputEnded{});
  EXPECT_EQ(story.told<InputEnd>(1).size(), 1U);
  EXPECT_EQ(story.session().input_room(), 0U);
}

TEST(StepSession, GivesInputToOneTaskOrNone) {
  Story one({"-i", "2"});
  one.begin();
  one.feed(InputRead{"x"});
  EXPECT_TRUE(one.told<InputData>(0).empty());
  ASSERT_EQ(one.told<InputData>(1).size(), 1U);
  EXPECT_EQ(one.told<InputData>(1)[0].rank, 2);
  Story none({"-i", "none"});
  none.begin();
  EXPECT_EQ(none.session().input_room(), 0U);
}

TEST(StepSession, TellsANodeThatCallsLateThatInputHasEnded) {
  Story story({});
  story.feed(InputEnded{});
  story.begin();
  EXPECT_EQ(story.session().input_room(), 0U);
  Story late({});
  late.shown(JobState::Running);
  late.feed(InputEnded{});
  late.join(1);
  EXPECT_EQ(late.told<InputEnd>(1).size(), 1U);
}

// ---- ends ------------------------------------------------------------------------------------

TEST(StepSession, ExitsWithTheHighestExitCode) {
  Story story({});
  story.begin();
  story.end(0, 0);
  story.end(1, 3);
  story.end(2, 2);
  story.end(3, 2);
  story.leave(JobState::Failed, 3);
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.session().exit_code(), 3);
  EXPECT_EQ(story.words,
            "srun: error: n1: task 1: Exited with exit code 3\n"
            "srun: error: n2: tasks 2-3: Exited with exit code 2\n");
}

TEST(StepSession, TellsSignalsAsSlurmDoes) {
  Story story({}, 1, 6);
  story.begin();
  for (const std::int32_t rank : {0, 2, 1, 4}) story.end(rank, 0, SIGKILL);
  story.end(3, 0, SIGSEGV, true);
  story.say(0, TaskEnded{5, 0, SIGKILL, false, true, ""});
  story.leave(JobState::Failed);
  EXPECT_EQ(story.words,
            "srun: error: n1: tasks 0-2,4: Killed\n"
            "srun: error: n1: task 5: Out Of Memory\n"
            "srun: error: n1: task 3: Segmentation fault (core dumped)\n");
  EXPECT_EQ(story.session().exit_code(), 128 + SIGSEGV);
}

TEST(StepSession, TellsWithinASecondThatATaskHasFailed) {
  Story story({});
  story.begin();
  story.end(1, 1);
  story.pass(500);
  story.end(0, 1);
  EXPECT_EQ(story.words, "");
  story.pass(500);
  EXPECT_EQ(story.words, "srun: error: n1: tasks 0-1: Exited with exit code 1\n");
}

TEST(StepSession, TellsWhyATaskNeverRan) {
  Story story({});
  story.begin();
  story.say(0, TaskEnded{0, 127, 0, false, false, "cannot run x: No such file or directory"});
  story.say(0, StepLeft{false, false, "cannot run x: No such file or directory"});
  EXPECT_EQ(story.words,
            "srun: error: n1: task 0: cannot run x: No such file or directory\n"
            "srun: error: n1: task 0: Exited with exit code 127\n");
}

TEST(StepSession, WaitsForTheControllersLastWordButNotForEver) {
  Story story({});
  story.begin();
  for (std::int32_t rank = 0; rank < 4; ++rank) story.end(rank, 0);
  story.say(0, StepLeft{});
  story.say(1, StepLeft{});
  EXPECT_FALSE(story.session().is_over());  // the next step would find this one's CPUs taken
  story.pass(5000);
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.session().exit_code(), 0);
}

TEST(StepSession, EndsAllWithTheFirstThatFails) {
  Story story({"-K"});
  story.begin();
  story.end(0, 0);
  EXPECT_EQ(story.ends_asked, 0);
  story.end(1, 4);
  EXPECT_EQ(story.ends_asked, 1);
  EXPECT_EQ(story.words,
            "srun: error: n1: task 1: Exited with exit code 4\nsrun: Terminating StepId=12.3\n");
  story.end(2, 0, SIGTERM);
  story.end(3, 0, SIGTERM);
  EXPECT_EQ(story.ends_asked, 1);
  story.leave(JobState::Cancelled, 4);
  EXPECT_EQ(story.session().exit_code(), 128 + SIGTERM);
}

TEST(StepSession, EndsTheOthersSoLongAfterTheFirst) {
  Story story({"-W", "30"});
  story.begin();
  story.end(2, 0);
  story.pass(29'999);
  EXPECT_EQ(story.ends_asked, 0);
  story.pass(1);
  EXPECT_EQ(story.ends_asked, 1);
  EXPECT_EQ(story.words,
            "srun: First task exited 30s ago\nsrun: StepId=12.3 tasks 0-1,3: running\n"
            "srun: StepId=12.3 task 2: exited\nsrun: Terminating StepId=12.3\n");
}

TEST(StepSession, TellsItsTimeLimitInSlurmsWords) {
  Story story({});
  story.begin();
  story.end(0, 0, SIGTERM);
  story.say(0, StepLeft{true, false, ""});
  EXPECT_EQ(story.words,
            "slurmstepd: error: *** STEP 12.3 ON n1 CANCELLED AT 2027-01-15T08:00:00 DUE TO TIME "
            "LIMIT ***\nsrun: error: n1: task 0: Terminated\n");
}

TEST(StepSession, ThatIsCancelledDoesNotEndWell) {
  Story story({});
  story.begin();
  for (std::int32_t rank = 0; rank < 4; ++rank) story.end(rank, 0);
  story.leave(JobState::Cancelled);
  EXPECT_EQ(story.session().exit_code(), 1);
}

// ---- signals ---------------------------------------------------------------------------------

TEST(StepSession, TakesThreeInterruptsInTurn) {
  Story story({});
  story.begin();
  story.feed(Signalled{SIGINT});
  EXPECT_EQ(story.words,
            "srun: interrupt (one more within 1 sec to abort)\n"
            "srun: StepId=12.3 tasks 0-3: running\n");
  story.words.clear();
  story.pass(900);
  story.feed(Signalled{SIGINT});
  EXPECT_EQ(story.words, "srun: sending Ctrl-C to StepId=12.3\n");
  ASSERT_EQ(story.told<SignalTasks>(1).size(), 1U);
  EXPECT_EQ(story.told<SignalTasks>(1)[0].signal, SIGINT);
  EXPECT_EQ(story.ends_asked, 0);
  story.words.clear();
  story.feed(Signalled{SIGINT});
  EXPECT_EQ(story.words, "srun: forcing termination\n");
  EXPECT_EQ(story.ends_asked, 1);
  EXPECT_EQ(story.told<SignalTasks>(1).back().signal, SIGKILL);
}

TEST(StepSession, ForgetsAnInterruptAfterASecond) {
  Story story({});
  story.begin();
  for (int i = 0; i < 3; ++i) {
    story.feed(Signalled{SIGINT});
    story.pass(1001);
  }
  EXPECT_TRUE(story.said.empty());
  EXPECT_EQ(story.ends_asked, 0);
}

TEST(StepSession, ThatQuitsOnInterruptEndsAtTheFirst) {
  Story story({"-q"});
  story.begin();
  story.feed(Signalled{SIGINT});
  EXPECT_EQ(story.ends_asked, 1);
  Story hands_on({"-X"});
  hands_on.begin();
  hands_on.feed(Signalled{SIGINT});
  EXPECT_EQ(hands_on.told<SignalTasks>(0).size(), 1U);
}

TEST(StepSession, HandsOtherSignalsOn) {
  Story story({});
  story.begin();
  for (const int number : {SIGTERM, SIGUSR1, SIGQUIT, SIGHUP}) story.feed(Signalled{number});
  EXPECT_EQ(story.told<SignalTasks>(0).size(), 4U);
  EXPECT_FALSE(story.session().is_over());
}

// ---- terminals -------------------------------------------------------------------------------

TEST(StepSession, LendsItsTerminalToTaskZero) {
  Story story({"--pty", "-l"});
  story.feed(Resized{24, 80});
  story.shown(JobState::Running);
  story.join(0);
  story.join(1);
  const StepBegin begin = story.told<StepBegin>(0)[0];
  EXPECT_EQ(begin.pty_rank, 0);
  EXPECT_EQ(begin.rows, 24);
  EXPECT_EQ(begin.output.mode, StreamMode::Null);  // of the others
  story.feed(InputRead{"\x03"});
  EXPECT_EQ(story.told<InputData>(0).size(), 1U);
  EXPECT_TRUE(story.told<InputData>(1).empty());
  story.output(0, "$ ");
  EXPECT_EQ(story.out, "$ ");  // no labels there
  story.feed(Resized{50, 132});
  EXPECT_EQ(story.told<WindowSize>(0)[0].columns, 132);
}

}  // namespace
}  // namespace cox
