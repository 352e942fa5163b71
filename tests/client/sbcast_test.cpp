// sbcast is a step: what its command line becomes.
#include "client/slurm/sbcast.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "client/step_plan.h"

namespace cox {
namespace {

TEST(Sbcast, IsAStepOfOneTaskANode) {
  const auto asked = parse_broadcast({"-fp", "-C", "lz4", "-j7.0", "data", "/tmp/data"});
  ASSERT_TRUE(asked.ok()) << asked.refusal().fact;
  const auto words = broadcast_words(*asked, {0100'4755, 1'700'000'000, 42}, 3);
  const auto step = parse_step(words);
  ASSERT_TRUE(step.ok()) << step.refusal().fact;
  EXPECT_EQ(step->options.step.spec.tasks, 3);
  EXPECT_EQ(step->options.step.spec.tasks_per_node, 1);
  EXPECT_TRUE(step->options.step.spec.overlap);
  EXPECT_EQ(step->options.step.job, "7");
  EXPECT_EQ(step->options.step.input, "data");
  const std::vector<std::string> tail(step->words.end() - 5, step->words.end());
  EXPECT_EQ(tail, (std::vector<std::string>{"/tmp/data", "4755", "1700000000", "42", "force"}));
}

TEST(Sbcast, KeepsTheTimeOnlyWhenAsked) {
  const auto words = broadcast_words(*parse_broadcast({"a", "b"}), {0644, 5, 0}, 1);
  EXPECT_EQ(std::vector<std::string>(words.end() - 4, words.end()),
            (std::vector<std::string>{"0644", "", "0", ""}));
}

TEST(Sbcast, WantsTwoFiles) {
  EXPECT_EQ(parse_broadcast({"a"}).refusal().fact, "Need two file names, have 1");
  EXPECT_FALSE(parse_broadcast({"--frobnicate", "a", "b"}).ok());
  EXPECT_TRUE(parse_broadcast({"--help"})->help);
}

}  // namespace
}  // namespace cox
