#include "client/submit.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "common/limits.h"

namespace cox {
namespace {

using Words = std::vector<std::string>;

const SubmitSurroundings here = {{"PATH=/bin"}, "/home/ann", "login1"};

SubmitCommand parse(const Words& words, bool as_sbatch = false) {
  const Result<SubmitCommand> command = parse_submit(words, as_sbatch);
  EXPECT_TRUE(command.ok()) << (command.ok() ? "" : command.refusal().fact);
  return command.ok() ? *command : SubmitCommand{};
}

SubmitPlan build(const SubmitCommand& command, const std::optional<std::string>& script,
                 const SubmitSurroundings& surroundings = here) {
  const Result<SubmitPlan> plan = build_submit(command, script, surroundings);
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.refusal().fact);
  return plan.ok() ? *plan : SubmitPlan{};
}

TEST(Submit, RunsACommandAsEveryRank) {
  const SubmitCommand command = parse({"-N2", "-n4", "--", "/usr/bin/python3", "train.py", "-N9"});
  EXPECT_EQ(command.source, SubmitSource::Command);
  const SubmitJob request = build(command, std::nullopt).request;
  EXPECT_EQ(request.spec.form, JobForm::Gang);
  EXPECT_EQ(request.spec.command, (Words{"/usr/bin/python3", "train.py", "-N9"}));
  EXPECT_EQ(request.spec.name, "python3");
  EXPECT_EQ(request.spec.nodes, 2);
  EXPECT_EQ(request.spec.tasks, 4);
  EXPECT_EQ(request.spec.work_dir, "/home/ann");
  EXPECT_EQ(request.spec.submit_host, "login1");
  EXPECT_EQ(request.environment, std::string("PATH=/bin\0", 10));
  EXPECT_EQ(request.script, "");
  EXPECT_EQ(request.request_id, "");
}

TEST(Submit, RunsAScriptOnTheFirstNode) {
  const SubmitCommand command = parse({"-N2", "jobs/train.sh", "--fast", "--", "x"});
  EXPECT_EQ(command.source, SubmitSource::ScriptFile);
  EXPECT_EQ(command.script_path, "jobs/train.sh");
  const std::string script = "#!/bin/sh\n#SBATCH -n4\necho\n";
  const SubmitJob request = build(command, script).request;
  EXPECT_EQ(request.spec.form, JobForm::Batch);
  EXPECT_EQ(request.spec.command, (Words{"--fast", "--", "x"}));
  EXPECT_EQ(request.spec.name, "train.sh");
  EXPECT_EQ(request.spec.tasks, 4);
  EXPECT_EQ(request.script, script);
}

TEST(Submit, TakesAScriptFromStandardInput) {
  EXPECT_EQ(parse({"-N2"}).source, SubmitSource::ScriptStdin);
  EXPECT_EQ(build(parse({}, true), "#!/bin/sh\n").request.spec.name, "sbatch");
}

TEST(Submit, AsSbatchTakesTheWordAfterTwoDashesForAScript) {
  const SubmitCommand command = parse({"-N2", "--", "job.sh", "x"}, true);
  EXPECT_EQ(command.source, SubmitSource::ScriptFile);
  EXPECT_EQ(command.script_path, "job.sh");
}

TEST(Submit, WrapsACommandInAScript) {
  const SubmitCommand command = parse({"--wrap", "echo $HOME", "--parsable"}, true);
  EXPECT_EQ(command.source, SubmitSource::Wrapped);
  const SubmitPlan plan = build(command, std::nullopt);
  EXPECT_EQ(plan.request.script,
            "#!/bin/sh\n# This script was created by sbatch --wrap.\n\necho $HOME\n");
  EXPECT_EQ(plan.request.spec.form, JobForm::Batch);
  EXPECT_EQ(plan.request.spec.name, "wrap");
  EXPECT_TRUE(plan.parsable);
}

TEST(Submit, LetsTheCommandLineBeatVariablesAndTheseTheScript) {
  SubmitSurroundings surroundings = here;
  surroundings.environment = {"SBATCH_PARTITION=variable", "SBATCH_QOS=variable"};
  const SubmitPlan plan =
      build(parse({"-p", "line", "job.sh"}),
            "#!/bin/sh\n#SBATCH -p script -q script -C script --quiet\n", surroundings);
  EXPECT_EQ(plan.request.spec.partition, "line");
  EXPECT_EQ(plan.request.spec.qos, "variable");
  EXPECT_EQ(plan.request.spec.constraint, "script");
  EXPECT_EQ(plan.request.environment, "");  // SBATCH_* stay here
  EXPECT_TRUE(plan.quiet);
  EXPECT_FALSE(plan.parsable);
}

TEST(Submit, RunsInTheFolderAskedFor) {
  EXPECT_EQ(build(parse({"-D", "/data", "--", "x"}), std::nullopt).request.spec.work_dir, "/data");
  EXPECT_EQ(build(parse({"-D", "run", "--", "x"}), std::nullopt).request.spec.work_dir,
            "/home/ann/run");
}

TEST(Submit, ShowsHelpAndVersionWhateverElseStandsThere) {
  EXPECT_TRUE(parse({"--help"}).options.help);
  EXPECT_TRUE(parse({"-V", "--"}).options.version);
}

TEST(Submit, RefusesACommandLineWithFactAndHint) {
  const std::vector<std::tuple<Words, std::string>> table = {
      {{"-n4", "--"}, "no command after --"},
      {{"--", ""}, "no command after --"},
      {{"--wrap=x", "job.sh"}, "there are more words: \"job.sh\""},
      {{"--wrap=x", "--"}, "there are more words: --"},
      {{"--wrap="}, "--wrap: the command is empty"},
      {{""}, "the script's path has 0 bytes"},
      {{std::string(4097, 'p')}, "the script's path has 4097 bytes"},
      {{"--", "x", "\xff"}, "is not valid UTF-8"},
      {{"--", "x", std::string(limits::command_bytes_max, 'a')}, "bytes, and one may have 1048576"},
      {{"--tiem=5", "--", "x"}, "unknown option --tiem"},
  };
  for (const auto& [words, fact] : table) {
    const Result<SubmitCommand> command = parse_submit(words, false);
    ASSERT_FALSE(command.ok()) << fact;
    EXPECT_NE(command.refusal().fact.find(fact), std::string::npos) << command.refusal().fact;
    EXPECT_FALSE(command.refusal().hint.empty()) << fact;
  }
  Words many(limits::command_words_max + 2, "x");
  many[0] = "--";
  EXPECT_NE(parse_submit(many, false).refusal().fact.find("4097 words, and one may have 4096"),
            std::string::npos);
}

TEST(Submit, RefusesARequestWithFactAndHint) {
  const auto refuse = [](const Words& words, const std::optional<std::string>& script,
                         const SubmitSurroundings& surroundings) {
    const Result<SubmitPlan> plan = build_submit(parse(words), script, surroundings);
    EXPECT_FALSE(plan.ok());
    return plan.ok() ? std::string() : plan.refusal().fact + " / " + plan.refusal().hint;
  };
  EXPECT_EQ(refuse({"job.sh"}, "#!/bin/sh\n#SBATCH --tiem=5\n", here),
            "job.sh line 2: unknown option --tiem / did you mean --time?");
  EXPECT_NE(refuse({"job.sh"}, "echo\n", here).find("does not begin with #!"), std::string::npos);
  EXPECT_NE(refuse({}, "", here).find("the script on standard input is empty"), std::string::npos);
  EXPECT_NE(refuse({"a\nb"}, "#!/bin/sh\n", here).find("--job-name"), std::string::npos);
  EXPECT_NE(refuse({"--", "x"}, std::nullopt, {{}, "/a\nb", ""}).find("--chdir"),
            std::string::npos);
  EXPECT_NE(refuse({"--wrap", std::string(limits::script_bytes_max, 'x')}, std::nullopt, here)
                .find("the script of --wrap has"),
            std::string::npos);
  EXPECT_NE(refuse({"--export=A,,B", "--", "x"}, std::nullopt, here).find("--export"),
            std::string::npos);
}

}  // namespace
}  // namespace cox
