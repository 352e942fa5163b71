// Tests sbcast, which copies a file to the nodes by a step with one task per node: the step that
// each command line becomes.
#include "client/slurm/sbcast.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "client/step/step_plan.h"

namespace cox {
namespace {

BroadcastOptions options(const std::vector<std::string>& words) {
  const auto asked = parse_broadcast(words);
  EXPECT_TRUE(asked.ok()) << (asked.ok() ? "" : asked.refusal().fact);
  return asked.ok() ? std::get<BroadcastOptions>(*asked) : BroadcastOptions{};
}

TEST(Sbcast, IsAStepWithOneTaskPerNode) {
  const BroadcastOptions asked = options({"-fp", "-Clz4", "-j7.0", "data", "/tmp/data"});
  const auto words = broadcast_words(asked, {0100'4755, 1'700'000'000, 42, "/dev/fd/5"}, 3);
  const auto step = parse_step(words);
  ASSERT_TRUE(step.ok()) << step.refusal().fact;
  EXPECT_EQ(step->options.step.spec.tasks, 3);
  EXPECT_EQ(step->options.step.spec.tasks_per_node, 1);
  EXPECT_TRUE(step->options.step.spec.overlap);
  EXPECT_EQ(step->options.step.job, "7");
  EXPECT_EQ(step->options.step.input, "/dev/fd/5") << "the name may look like a pattern of --input";
  const std::vector<std::string> tail(step->words.end() - 5, step->words.end());
  EXPECT_EQ(tail, (std::vector<std::string>{"/tmp/data", "4755", "1700000000", "42", "force"}));
}

TEST(Sbcast, PassesNoFileTimesUnlessPreserveIsRequested) {
  const auto words = broadcast_words(options({"a", "b"}), {0644, 5, 0, "/dev/fd/5"}, 1);
  EXPECT_EQ(std::vector<std::string>(words.end() - 4, words.end()),
            (std::vector<std::string>{"0644", "", "0", ""}));
}

TEST(Sbcast, DoesNotAskToEndTheWholeStepIfOneNodeFails) {
  const auto step = parse_step(broadcast_words(options({"a", "b"}), {0644, 5, 0, "/dev/fd/5"}, 2));
  ASSERT_TRUE(step.ok()) << step.refusal().fact;
  EXPECT_TRUE(step->options.quiet);
  EXPECT_FALSE(step->options.step.kill_on_bad_exit);
  const auto script = std::ranges::find(step->words, "-c") + 1;
  EXPECT_NE(script->find("REQUEST_FILE_BCAST($SLURMD_NODENAME): $1"), std::string::npos);
}

TEST(Sbcast, NeedsTwoFileNames) {
  EXPECT_EQ(parse_broadcast({"a"}).refusal().fact, "Need two file names, have 1");
  EXPECT_EQ(parse_broadcast({"a", "b", "c"}).refusal().fact, "Need two file names, have 3");
  EXPECT_EQ(parse_broadcast({"", "b"}).refusal().fact, "a file name is empty");
}

TEST(Sbcast, ParsesOptionsLikeSlurmsOtherPrograms) {
  const BroadcastOptions asked = options({"-C", "a", "--pres", "b", "--size", "8m"});
  EXPECT_EQ(asked.source, "a") << "a value of -C must be in the same word";
  EXPECT_EQ(asked.destination, "b");
  EXPECT_TRUE(asked.preserve && !asked.force);
  const auto printed = [](const std::vector<std::string>& words) {
    return std::get<Shown>(*parse_broadcast(words));
  };
  EXPECT_EQ(printed({"--frobnicate", "a", "b"}).err,
            "sbcast: unrecognized option '--frobnicate'\n"
            "Try \"sbcast --help\" for more information\n");
  EXPECT_EQ(printed({"a", "b", "-j"}).exit_code, exit_refused);
  const Shown help = printed({"a", "b", "--help"});
  EXPECT_EQ(help.exit_code, exit_ok);
  EXPECT_TRUE(help.out.starts_with("Usage: sbcast [OPTIONS] SOURCE DEST\n")) << help.out;
  EXPECT_NE(help.out.find("-C, --compress[=LIBRARY]"), std::string::npos) << help.out;
  EXPECT_TRUE(printed({"--version"}).out.starts_with("slurm ")) << printed({"--version"}).out;
}

}  // namespace
}  // namespace cox
