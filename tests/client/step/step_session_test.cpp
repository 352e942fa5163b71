// Tests how srun creates its step and carries streams: messages in; bytes, notes and messages out.
#include <csignal>

#include "tests/client/step_story.h"

namespace cox {
namespace {

// ---- creation --------------------------------------------------------------------------------

TEST(StepSession, ReportsOnceThatItWaitsAndThenThatItStarts) {
  Story story({});
  ASSERT_EQ(story.asked.size(), 1U);
  EXPECT_EQ(story.asked[0].wait.count(), 0);  // the first request asks for a reply at once
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

TEST(StepSession, PrintsNothingIfTheStepStartsAtOnce) {
  Story story({});
  story.shown(JobState::Running);
  EXPECT_EQ(story.words, "");
}

TEST(StepSession, PrintsOnceWhatTheUserHasToKnowOfTheStart) {
  Story story({});
  story.warning = "job step 3 is not given the checkpoint of step 10";
  story.shown(JobState::Running);
  story.shown(JobState::Running);
  EXPECT_EQ(story.words, "srun: warning: job step 3 is not given the checkpoint of step 10\n");
}

TEST(StepSession, EndsIfTheControllerRefusesTheStep) {
  Story story({});
  story.feed(Denied{{"More processors requested than permitted", "9 tasks of 1 CPU"}, false});
  EXPECT_EQ(story.words,
            "srun: error: Unable to create step for job 12: More processors requested than "
            "permitted\nsrun: error: 9 tasks of 1 CPU\n");
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.session().exit_code(), 1);
}

TEST(StepSession, RetriesIfTheControllerCannotReplyNow) {
  Story story({});
  story.feed(Denied{{"the database is away", ""}, true});
  story.feed(ControllerSilent{{"nobody answers", ""}});
  story.feed(ControllerSilent{{"nobody answers", ""}});
  EXPECT_EQ(story.asked.size(), 1U);
  story.pass(1000);
  EXPECT_EQ(story.asked.size(), 2U);
  EXPECT_NE(story.words.find("retrying (the database is away)"), std::string::npos);
  EXPECT_EQ(story.words.find("nobody answers"), story.words.rfind("nobody answers"));
}

TEST(StepSession, WaitsForRoomAtMostTheTimeOfImmediate) {
  Story story({"--immediate=5"});
  story.shown(JobState::Pending);
  story.pass(4999);
  EXPECT_EQ(story.ends.size(), 0u);
  story.pass(1);
  EXPECT_EQ(story.ends.size(), 1u);
  // The session first waits for the controller to confirm the end.
  EXPECT_FALSE(story.session().is_over());
  story.feed(EndAccepted{});
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.session().exit_code(), 1);
}

TEST(StepSession, EndsAtTheFirstSignalWhileItWaits) {
  Story story({});
  story.shown(JobState::Pending);
  story.feed(Signalled{SIGUSR1});
  EXPECT_EQ(story.ends.size(), 0u);
  story.feed(Signalled{SIGINT});
  EXPECT_EQ(story.ends.size(), 1u);
  EXPECT_NE(story.words.find("srun: Cancelled pending step for job 12\n"), std::string::npos);
  story.pass(5000);
  EXPECT_TRUE(story.session().is_over());
}

// srun ended before the reply to its request, and the step that the controller created kept its
// CPUs.
TEST(StepSession, EndsAStepThatIsCreatedAfterTheSignal) {
  Story story({});
  story.feed(Signalled{SIGTERM});
  EXPECT_FALSE(story.session().is_over());
  story.shown(JobState::Running);
  story.join(0);
  EXPECT_EQ(story.ends.size(), 1u);
  EXPECT_TRUE(story.sent<StepBegin>(0).empty());
  story.feed(EndAccepted{});
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.session().exit_code(), 1);
  Story silent({});
  silent.feed(Signalled{SIGTERM});
  silent.pass(5000);
  EXPECT_TRUE(silent.session().is_over());
}

TEST(StepSession, StartsNodesThatJoinBeforeTheControllerReplies) {
  Story story({});
  story.join(1);
  EXPECT_TRUE(story.all_sent.empty());
  story.shown(JobState::Running);
  EXPECT_EQ(story.sent<StepBegin>(1).size(), 1U);
  story.join(0);
  ASSERT_EQ(story.sent<StepBegin>(0).size(), 1U);
  EXPECT_EQ(story.sent<StepBegin>(0)[0].commands[0].words, Words{"train"});
  EXPECT_EQ(story.sent<StepBegin>(0)[0].credit, stream_credit);
}

TEST(StepSession, NamesTheTasksOfEachNodeUnderVerbose) {
  Story story({"-v"});
  story.shown(JobState::Running);
  story.join(1);
  EXPECT_EQ(story.words, "srun: launching StepId=12.3 on host n2, 2 tasks: 2-3\n");
  Story quiet({});
  quiet.shown(JobState::Running);
  quiet.join(1);
  EXPECT_EQ(quiet.words, "");
}

TEST(StepSession, IgnoresNodesThatJoinForAnotherStepOrUnderAWrongName) {
  Story story({});
  story.shown(JobState::Running);
  story.feed(MessageReceived{"stranger", StepJoin{4, 0, "n1", {0, 1}}});  // another step
  story.feed(MessageReceived{"stranger", StepJoin{3, 2, "n3", {4}}});  // the step has no third node
  story.feed(MessageReceived{"stranger", StepJoin{3, 0, "n2", {0, 1}}});  // node 0 is n1
  story.feed(MessageReceived{"stranger", StreamBytes{0, StreamName::Output, "x"}});
  EXPECT_TRUE(story.all_sent.empty());
  EXPECT_EQ(story.out, "");
  story.join(0);
  story.feed(MessageReceived{"stranger", StepJoin{3, 0, "n1", {0, 1}}});  // n1 has joined already
  EXPECT_EQ(story.all_sent.size(), 1U);
}

// ---- output ----------------------------------------------------------------------------------

TEST(StepSession, WritesWholeLinesOfEachTask) {
  Story story({});
  story.begin();
  story.output(0, std::string("a\0b", 3));
  story.output(3, "c\n");
  story.error(0, "oh");
  EXPECT_EQ(story.out, "c\n");
  story.output(0, "\nd\nlast");
  EXPECT_EQ(story.out, std::string("c\na\0b\nd\n", 8));
  story.deliver(0, StreamEnd{0, StreamName::Output});
  story.deliver(0, StreamEnd{0, StreamName::Error});
  EXPECT_TRUE(story.out.ends_with("\nlast"));
  EXPECT_EQ(story.err, "oh");
}

TEST(StepSession, WritesAnEndlessLineInPieces) {
  Story story({});
  story.begin();
  const std::string piece(WholeLines::line_bytes_max, 'x');
  story.output(0, piece);
  EXPECT_EQ(story.out, "");
  story.output(0, "x");
  EXPECT_EQ(story.out, piece + "x");
}

TEST(StepSession, WritesOutputOfASingleTaskAtOnce) {
  for (const auto& words : {std::vector<std::string>{}, std::vector<std::string>{"-u"}}) {
    Story story(words, 1, words.empty() ? 1 : 2);  // one task, or two tasks with -u (unbuffered)
    story.begin();
    story.output(0, "Name? ");
    EXPECT_EQ(story.out, "Name? ");
  }
}

TEST(StepSession, GrantsCreditForWrittenOutput) {
  Story story({});
  story.begin();
  const std::string piece(stream_chunk_bytes_max, 'x');
  std::int64_t given = 0;
  for (int i = 0; i < 10; ++i) {
    story.output(0, piece);
    story.output(2, piece);
  }
  EXPECT_TRUE(story.all_sent.empty());  // no credit before the output is written
  const std::vector<Write> writes = story.writes;
  for (const Write& write : writes)
    if (write.node == 0) story.feed(Written{write.node, write.credit});
  for (const OutputCredit& credit : story.sent<OutputCredit>(0)) given += credit.bytes;
  EXPECT_GE(given, stream_credit / 4);
  EXPECT_TRUE(story.sent<OutputCredit>(1).empty());
}

TEST(StepSession, WithLabelWritesALineOnceItIsWholeAndAnUnfinishedOneAtTheEnd) {
  Story story({"-l"}, 2, 6);
  story.begin();
  story.output(0, "one\ntw");
  story.output(11, "eleven\n");
  story.error(0, "wrong\n");
  story.output(0, "o\nlast");
  EXPECT_EQ(story.out, " 0: one\n11: eleven\n 0: two\n");
  EXPECT_EQ(story.err, " 0: wrong\n");
  story.deliver(0, StreamEnd{0, StreamName::Output});
  EXPECT_TRUE(story.out.ends_with(" 0: last\n"));
  story.out.clear();
  story.output(7, std::string(WholeLines::line_bytes_max + 2, 'y') + "\n");
  EXPECT_EQ(story.out, " 7: " + std::string(WholeLines::line_bytes_max, 'y') + "\n 7: yy\n");
}

TEST(StepSession, WritesTheLastOutputOfALostNode) {
  Story story({"-l"});
  story.begin();
  story.output(2, "half a li");
  story.deliver(0, StepLeft{});
  story.shown(JobState::NodeFail);
  story.pass(5000);
  EXPECT_EQ(story.out, "2: half a li\n");
  EXPECT_EQ(story.words, "srun: error: Node failure on n2\n");
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.session().exit_code(), 1);
}

TEST(StepSession, WritesOnlyTheOutputOfTheChosenTask) {
  Story story({"-o", "2"});
  story.begin();
  story.output(0, "no");
  story.output(2, "yes");
  story.error(2, "!");  // without -e, errors go where the output goes
  EXPECT_EQ(story.out, "yes!");
}

TEST(StepSession, SendsSigpipeIfTheReaderHasGone) {
  Story story({});
  story.begin();
  story.feed(SinkLost{Sink::Output, ""});
  ASSERT_EQ(story.sent<SignalTasks>(0).size(), 1U);
  EXPECT_EQ(story.sent<SignalTasks>(0)[0].signal, SIGPIPE);
  EXPECT_EQ(story.words, "");
  story.feed(SinkLost{Sink::Error, "cannot write to standard error: No space left on device"});
  EXPECT_NE(story.words.find("No space left"), std::string::npos);
}

// ---- input -----------------------------------------------------------------------------------

TEST(StepSession, ReadsInputOnlyWhileEveryNodeHasCredit) {
  Story story({});
  story.shown(JobState::Running);
  story.join(0);
  EXPECT_EQ(story.session().input_room(), 0U);  // n2 has not joined
  story.join(1);
  std::size_t sent = 0;
  while (story.session().input_room() > 0) {
    const std::string data(story.session().input_room(), 'x');
    sent += data.size();
    story.feed(InputRead{data});
  }
  EXPECT_LE(sent, static_cast<std::size_t>(input_credit));
  EXPECT_EQ(story.sent<InputBytes>(0).size(), story.sent<InputBytes>(1).size());
  story.deliver(0, InputCredit{input_credit});
  EXPECT_EQ(story.session().input_room(), 0U);  // n2 has granted no new credit
  story.deliver(1, InputCredit{input_credit});
  EXPECT_GT(story.session().input_room(), 0U);
  story.feed(InputEnded{});
  EXPECT_EQ(story.sent<InputEnd>(1).size(), 1U);
  EXPECT_EQ(story.session().input_room(), 0U);
}

TEST(StepSession, SendsInputToOneTaskOrNone) {
  Story one({"-i", "2"});
  one.begin();
  one.feed(InputRead{"x"});
  EXPECT_TRUE(one.sent<InputBytes>(0).empty());
  ASSERT_EQ(one.sent<InputBytes>(1).size(), 1U);
  EXPECT_EQ(one.sent<InputBytes>(1)[0].rank, 2);
  Story none({"-i", "none"});
  none.begin();
  EXPECT_EQ(none.session().input_room(), 0U);
}

TEST(StepSession, TheEndOfInputReachesANodeThatJoinsLate) {
  Story story({});
  story.feed(InputEnded{});
  story.begin();
  EXPECT_EQ(story.session().input_room(), 0U);
  Story late({});
  late.shown(JobState::Running);
  late.feed(InputEnded{});
  late.join(1);
  EXPECT_EQ(late.sent<InputEnd>(1).size(), 1U);
}

}  // namespace
TEST(StepSession, WithDebuggerTestShowsTheProcessesOnceAllTasksRun) {
  Story story({"--debugger-test"});
  story.begin();
  story.deliver(1, TasksBegun{{71, 72}});
  EXPECT_EQ(story.words, "");
  story.deliver(0, TasksBegun{{51, 52}});
  const std::string table =
      "srun: task:0, host:n1, pid:51, executable:train\n"
      "srun: task:1, host:n1, pid:52, executable:train\n"
      "srun: task:2, host:n2, pid:71, executable:train\n"
      "srun: task:3, host:n2, pid:72, executable:train\n";
  EXPECT_EQ(story.words, table);
  story.deliver(0, TasksBegun{{51, 52}});
  EXPECT_EQ(story.words, table);
  Story plain({});
  plain.begin();
  for (const std::int32_t node : {0, 1}) plain.deliver(node, TasksBegun{{51, 52}});
  EXPECT_EQ(plain.words, "");
}

TEST(StepSession, ShowsTheProgramOfEachTaskWithMultiProg) {
  Story story({"--debugger-test", "-n2", "--multi-prog"}, 1, 2, "1 /bin/date -u\n0 hostname\n");
  story.begin();
  story.deliver(0, TasksBegun{{51, 52}});
  EXPECT_EQ(story.words,
            "srun: task:0, host:n1, pid:51, executable:hostname\n"
            "srun: task:1, host:n1, pid:52, executable:/bin/date\n");
}

}  // namespace cox
