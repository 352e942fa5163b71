// Tests sattach, a session of srun that only attaches to another step.
#include "client/slurm/sattach.h"

#include <gtest/gtest.h>

#include <csignal>

#include "common/messages/attachment.h"

namespace cox {
namespace {

using namespace srun;

StepView step_view(JobState state) {
  StepView view;
  view.step.key = {{JobId{12}, AttemptNumber{1}}, 3};
  view.step.state = state;
  view.step.spec.distribution = Distribution::Cyclic;
  view.step.tasks = 5;
  view.step.nodes = {{"n1", 3, 3, 0, {}}, {"n2", 2, 2, 0, {}}};
  return view;
}

AttachOptions options(const std::vector<std::string>& words) {
  const auto asked = parse_attach(words);
  EXPECT_TRUE(asked.ok()) << (asked.ok() ? "" : asked.refusal().fact);
  return asked.ok() ? std::get<AttachOptions>(*asked) : AttachOptions{};
}

// A session of sattach, attached to step 12.3. The session has a step of its own, number 4, which
// both nodes have joined.
class Attached {
 public:
  explicit Attached(const std::vector<std::string>& words)
      : session(*attach_settings(options(words), step_view(JobState::Running))) {
    StepView own = step_view(JobState::Running);
    own.step.key.number = 4;
    own.step.tasks = 2;
    feed(Started{});
    feed(Answered{{own, "", 0, ""}});
    feed(MessageReceived{"one", StepJoin{4, 0, "n1", {0}}});
    feed(MessageReceived{"two", StepJoin{4, 1, "n2", {1}}});
  }
  void feed(const Event& event) {
    for (const Action& action : session.on(event, Now{}))
      if (const auto* write = std::get_if<Write>(&action))
        (write->sink == Sink::Output  ? out
         : write->sink == Sink::Error ? err
                                      : words) += write->text;
      else if (const auto* send = std::get_if<SendMessage>(&action))
        sent.push_back(send->message);
      else if (const auto* ask = std::get_if<RequestStep>(&action))
        asked = ask->known;
  }
  StepSession session;
  std::string out, err, words;
  std::vector<Message> sent;
  JobState asked{};
};

TEST(Sattach, ParsesItsCommandLine) {
  const AttachOptions asked = options({"-l", "--output-filter=2", "--input-filter", "0", "12.3"});
  EXPECT_EQ(asked.job.id, JobId{12});
  EXPECT_EQ(asked.step, 3);
  EXPECT_TRUE(asked.label);
  EXPECT_EQ(asked.input, 0);
  EXPECT_EQ(asked.output, 2);
  EXPECT_EQ(asked.error, 2);  // like the output
  EXPECT_EQ(options({"--error-filter=-", "--output-filter=1", "12.3"}).error, 1);
  EXPECT_EQ(options({"17_4.0"}).job.tasks, "4");
  const struct {
    std::vector<std::string> words;
    const char* fact;
  } wrong[] = {
      {{"12"}, "Did not find a period in the step ID string"},
      {{}, "Did not find a period in the step ID string"},
      {{"12.x"}, "\"x\" does not look like a stepid"},
      {{"12.batch"}, "a batch script writes to its output file; sattach cannot attach to it"},
      {{"--output-filter=x", "12.0"}, "Invalid numeric value \"x\" for output-filter."},
      {{"--pty", "--output-filter=1", "12.0"}, "don't specify both --pty and I/O filtering"},
      {{"-Q", "-v", "12.0"}, "don't specify both --verbose (-v) and --quiet (-Q)"},
      {{"12.0", "13.0"}, "too many parameters"},
  };
  for (const auto& row : wrong) EXPECT_EQ(parse_attach(row.words).refusal().fact, row.fact);
}

TEST(Sattach, ParsesOptionsLikeSlurmsOtherPrograms) {
  EXPECT_TRUE(options({"12.0", "--lab"}).label) << "an abbreviated option may follow the step";
  EXPECT_EQ(options({"-lvv", "12.0"}).verbose, 2);
  EXPECT_EQ(options({"--", "12.0"}).job.id, JobId{12});
  const auto printed = [](const std::vector<std::string>& words) {
    return std::get<Shown>(*parse_attach(words));
  };
  EXPECT_EQ(printed({"--frobnicate", "12.0"}).err,
            "sattach: unrecognized option '--frobnicate'\n"
            "Try \"sattach --help\" for more information\n");
  EXPECT_EQ(printed({"12.0", "--input-filter"}).exit_code, exit_refused);
  const Shown help = printed({"12.0", "--help"});
  EXPECT_EQ(help.exit_code, exit_ok);
  EXPECT_TRUE(help.out.starts_with("Usage: sattach [OPTIONS] JOB.STEP\n")) << help.out;
  for (const OptionForm& option : attach_options())
    EXPECT_NE(help.out.find("--" + std::string(option.name)), std::string::npos) << option.name;
  EXPECT_EQ(printed({"-u"}).out, "Usage: sattach [OPTIONS] JOB.STEP\n");
  EXPECT_TRUE(printed({"-V"}).out.starts_with("slurm ")) << printed({"-V"}).out;
}

TEST(Sattach, ShowsTheLayoutAsSlurmDoes) {
  EXPECT_EQ(layout_text(step_view(JobState::Running)),
            "Job step layout:\n\t5 tasks, 2 nodes (n[1-2])\n\n"
            "\tNode 0 (n1), 3 task(s): 0 2 4 \n\tNode 1 (n2), 2 task(s): 1 3 \n");
}

TEST(Sattach, IsRefusedForAStepThatDoesNotRun) {
  const auto refused = [](const AttachOptions& asked, JobState state) {
    return attach_settings(asked, step_view(state)).refusal().fact;
  };
  EXPECT_EQ(refused(options({"12.3"}), JobState::Completed),
            "Job/step already completing or completed");
  EXPECT_EQ(refused(options({"12.3"}), JobState::Pending),
            "step 12.3 has not started: it waits for room in its allocation");
  EXPECT_EQ(refused(options({"--input-filter=5", "12.3"}), JobState::Running),
            "step 12.3 has no task 5; they are 0 to 4");
}

TEST(Sattach, IsAStepThatUsesNoResourcesOfTheStepItAttachesTo) {
  const auto settings = attach_settings(options({"12.3"}), step_view(JobState::Running));
  const StepSpec& spec = settings->plan.create.spec;
  EXPECT_EQ(settings->plan.create.job, JobId{12});
  EXPECT_EQ(spec.nodelist, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_TRUE(spec.overlap && spec.immediate && spec.overcommit);
  EXPECT_EQ(spec.gpus_per_node, 0);
  const Attached attached({"12.3"});
  const auto* begin = std::get_if<StepBegin>(&attached.sent.at(0));
  ASSERT_NE(begin, nullptr);
  EXPECT_EQ(attached_step(*begin), 3);
}

TEST(Sattach, ShowsTheOutputOfTheTasksOfTheStepItAttachesTo) {
  Attached attached({"-l", "--error-filter=3", "12.3"});
  attached.feed(MessageReceived{"one", StreamBytes{4, StreamName::Output, "four\n"}});
  attached.feed(MessageReceived{"two", StreamBytes{3, StreamName::Error, "oh\n"}});
  attached.feed(MessageReceived{"one", StreamBytes{0, StreamName::Error, "not this\n"}});
  EXPECT_EQ(attached.out, "4: four\n");
  EXPECT_EQ(attached.err, "3: oh\n");
  attached.feed(MessageReceived{"two", TaskEnded{3, 7, 0, false, false, ""}});
  attached.feed(MessageReceived{"one", StepLeft{}});
  attached.feed(MessageReceived{"two", StepLeft{}});
  StepView own = step_view(JobState::Completed);
  own.step.key.number = 4;
  attached.feed(Answered{{own, "", 0, ""}});
  EXPECT_TRUE(attached.session.is_over());
  EXPECT_EQ(attached.session.exit_code(), 7);
  EXPECT_EQ(attached.words, "sattach: error: n2: task 3: Exited with exit code 7\n");
}

TEST(Sattach, DoesNotSignalTheTasks) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Attached attached({"12.3"});
    attached.sent.clear();
    attached.feed(Signalled{SIGUSR1});
    EXPECT_FALSE(attached.session.is_over());
    attached.feed(Signalled{signal});
    EXPECT_TRUE(attached.session.is_over());
    EXPECT_EQ(attached.session.exit_code(), 128 + signal);
    EXPECT_TRUE(attached.sent.empty());
  }
  Attached attached({"12.3"});
  attached.sent.clear();
  attached.feed(SinkLost{Sink::Output, ""});  // the reader of sattach's output has gone
  EXPECT_TRUE(attached.session.is_over());
  EXPECT_TRUE(attached.sent.empty());
}

TEST(Sattach, SendsInputToOneTask) {
  Attached attached({"--input-filter=3", "12.3"});
  attached.sent.clear();
  EXPECT_GT(attached.session.input_room(), 0U);
  attached.feed(InputRead{"hello"});
  ASSERT_EQ(attached.sent.size(), 1U);  // only the node of task 3 receives it
  const auto* input = std::get_if<InputBytes>(&attached.sent[0]);
  ASSERT_NE(input, nullptr);
  EXPECT_EQ(input->rank, 3);
}

}  // namespace
}  // namespace cox
