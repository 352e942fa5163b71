// Steps by Slurm's names: what scancel asks for.
#include <gtest/gtest.h>

#include <csignal>

#include "client/command_options.h"
#include "client/slurm/answers.h"
#include "client/slurm/names.h"

namespace cox {
namespace {

Options options_of(const char* name, const std::vector<std::string>& words) {
  for (const Command& command : slurm_commands()) {
    if (command.name != name) continue;
    Parsed parsed = parse_options(command, words);
    if (const auto* options = std::get_if<Options>(&parsed)) return *options;
    if (const auto* why = std::get_if<Refusal>(&parsed)) ADD_FAILURE() << why->fact;
  }
  return {};
}

std::vector<Question> asked(const std::vector<std::string>& words) {
  const Options options = options_of("scancel", words);
  return cancel_questions(options, {options.ids, options.tasks, options.job_steps});
}

TEST(ScancelSteps, EndsJobsAndStepsInOneGo) {
  const auto questions = asked({"12", "13.1", "14_3.1", "15"});
  ASSERT_EQ(questions.size(), 2U);
  EXPECT_EQ(std::get<ActOnJobs>(questions[0]).ids, (std::vector{JobId{12}, JobId{15}}));
  const auto& step = std::get<SignalJobs>(questions[1]);
  EXPECT_EQ(step.ids, (std::vector{JobId{13}, JobId{14}}));
  EXPECT_EQ(step.tasks, (std::vector<std::string>{"", "3"}));
  EXPECT_EQ(step.step, 1);
  EXPECT_EQ(step.signal, 0);
}

TEST(ScancelSteps, SendsSignalsToStepsOrScripts) {
  const auto only = [](const std::vector<std::string>& words) {
    const auto questions = asked(words);
    const auto* signal = std::get_if<SignalJobs>(&questions.at(0));
    EXPECT_NE(signal, nullptr);
    return signal != nullptr ? *signal : SignalJobs{};
  };
  const SignalJobs steps = only({"--signal=USR1", "12"});
  EXPECT_EQ(steps.signal, SIGUSR1);
  EXPECT_EQ(steps.step, -1);
  EXPECT_TRUE(steps.to_steps && !steps.to_batch);
  const SignalJobs script = only({"-b", "-s", "TERM", "12"});
  EXPECT_TRUE(!script.to_steps && script.to_batch && !script.to_children);
  const SignalJobs full = only({"--full", "--signal", "SIGINT", "12"});
  EXPECT_TRUE(full.to_steps && full.to_batch && full.to_children);
  EXPECT_EQ(only({"-b", "12"}).signal, SIGKILL);
  EXPECT_EQ(only({"-sUSR2", "12.0"}).step, 0);
  // As in Slurm, SIGKILL to a whole job is its end.
  EXPECT_TRUE(std::holds_alternative<ActOnJobs>(asked({"-s", "KILL", "12"}).at(0)));
  EXPECT_EQ(only({"-s", "9", "12.0"}).signal, 0);
}

}  // namespace
}  // namespace cox
