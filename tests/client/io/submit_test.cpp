#include "client/submit/submit.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "common/base/limits.h"

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

TEST(Submit, ACommandAfterADoubleDashBecomesAGang) {
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

TEST(Submit, ResumeFromMayNameATaskOfAnArrayAndItsCheckpointStep) {
  const SubmitPlan plan = build(parse({"--resume-from=28_1:40", "--", "true"}), std::nullopt);
  EXPECT_EQ(plan.request.spec.resume_from.job, JobId{28});
  EXPECT_EQ(plan.request.spec.resume_from.step, 40);
  EXPECT_EQ(plan.resume_task, 1);
  const SubmitCommand command = parse({"--resume-from=17", "job.sh"}, true);
  const SubmitPlan other = build(command, "#!/bin/sh\n#SBATCH --resume-from=28_1:40\n");
  EXPECT_EQ(other.request.spec.resume_from.job, JobId{17});
  EXPECT_EQ(other.request.spec.resume_from.step, -1);
  EXPECT_EQ(other.resume_task, -1) << "the command line names a job";
  for (const char* wrong : {"28_[1-3]", "28_x", "0", "17:", "17:-1", "28_1:x"})
    EXPECT_FALSE(parse_submit({"--resume-from", wrong, "--", "true"}, false).ok()) << wrong;
}

TEST(Submit, AScriptBecomesABatchJobWithTheOptionsInTheScript) {
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

TEST(Submit, AsSbatchTakesTheWordAfterADoubleDashAsTheScript) {
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

TEST(Submit, TheCommandLineOverridesVariablesAndVariablesOverrideTheScript) {
  SubmitSurroundings surroundings = here;
  surroundings.environment = {"SBATCH_PARTITION=variable", "SBATCH_QOS=variable"};
  const SubmitPlan plan =
      build(parse({"-p", "line", "job.sh"}),
            "#!/bin/sh\n#SBATCH -p script -q script -C script --quiet\n", surroundings);
  EXPECT_EQ(plan.request.spec.partition, "line");
  EXPECT_EQ(plan.request.spec.qos, "variable");
  EXPECT_EQ(plan.request.spec.constraint, "script");
  // SBATCH_* variables are options of sbatch: the job does not get them
  EXPECT_EQ(plan.request.environment, "");
  EXPECT_TRUE(plan.quiet);
  EXPECT_FALSE(plan.parsable);
}

TEST(Submit, TakesTheGpuTypeFromTheLastOptionThatNamesOne) {
  const std::string script = "#!/bin/sh\n#SBATCH --gres=gpu:a100:2\n";
  const auto type = [&](const Words& words) {
    return build(parse(words), script).request.spec.gpu_type;
  };
  EXPECT_EQ(type({"job.sh"}), "a100");
  EXPECT_EQ(type({"--gres=gpu:h100:1", "job.sh"}), "h100");
  EXPECT_EQ(type({"--gres=gpu:1", "--gpu-type=h200|h100", "job.sh"}), "h200|h100");
  EXPECT_EQ(type({"--gres=gpu:1", "job.sh"}), "");
}

TEST(Submit, WarnsOfConflictingNodesAndTasksAndResolvesThemAsSlurmDoes) {
  const auto settled = [](const Words& words) {
    const SubmitPlan plan = build(parse(words), "#!/bin/sh\n");
    std::string text = std::to_string(plan.request.spec.nodes) + " on";
    for (const std::string& name : plan.request.spec.nodelist) text += " " + name;
    if (!plan.request.spec.node_sizes.empty()) text += " of " + plan.request.spec.node_sizes;
    for (const std::string& warning : plan.warnings) text += "; " + warning;
    return text;
  };
  EXPECT_EQ(settled({"-n3", "-N4", "a"}),
            "3 on; can't run 3 processes on 4 nodes, setting nnodes to 3");
  EXPECT_EQ(settled({"-N1", "-w", "n[1-2]", "a"}),
            "2 on n1 n2; can't run on 1 node when 2 are named, setting nnodes to 2");
  EXPECT_EQ(settled({"-n1", "-N1", "-w", "n[1-2]", "a"}),
            "1 on n1; can't run 1 processes on 2 nodes, setting nnodes to 1");
  EXPECT_EQ(settled({"-n1", "-w", "n[1-2]", "a"}),
            "1 on n1; can't run 1 processes on 2 nodes, setting nnodes to 1");
  EXPECT_EQ(settled({"-N1-2", "-w", "n[1-3]", "a"}),
            "3 on n1 n2 n3; can't run on 2 nodes when 3 are named, setting nnodes to 3");
  EXPECT_EQ(settled({"-N1-2", "-n2", "-w", "n[1-3]", "a"}),
            "2 on n1 n2; can't run 2 processes on 3 nodes, setting nnodes to 2");
  EXPECT_EQ(settled({"-N1-4", "-n1", "-w", "n[1-2]", "a"}),
            "1 on n1; can't run 1 processes on 2 nodes, setting nnodes to 1");
  EXPECT_EQ(settled({"-N1-4", "-w", "n[1-3]", "a"}), "1 on n1 n2 n3 of 1-4");
  EXPECT_EQ(settled({"-N4", "-n4", "-w", "n1", "a"}), "4 on n1");
  EXPECT_EQ(settled({"-w", "n[1-2]", "a"}), "0 on n1 n2");
  EXPECT_EQ(settled({"-N2", "a"}), "2 on");
  EXPECT_EQ(settled({"-n1", "-N1-4", "a"}), "1 on of 1-4");
}

TEST(Submit, AsSbatchRoundsTimesToMinutesAndAcceptsClusters) {
  const Words words = {"-t", "0:30", "-M", "lake-of-many,sea-of-others", "a"};
  const SubmitPlan plan = build(parse(words, true), "#!/bin/sh\n");
  EXPECT_EQ(plan.request.spec.time_limit_s, 60);
  EXPECT_EQ(plan.clusters, (Words{"lake-of-many", "sea-of-others"}));
  EXPECT_EQ(build(parse(words), "#!/bin/sh\n").request.spec.time_limit_s, 30);
}

TEST(Submit, ChdirSetsTheWorkingFolderOfTheJob) {
  EXPECT_EQ(build(parse({"-D", "/data", "--", "x"}), std::nullopt).request.spec.work_dir, "/data");
  EXPECT_EQ(build(parse({"-D", "run", "--", "x"}), std::nullopt).request.spec.work_dir,
            "/home/ann/run");
}

TEST(Submit, ShowsHelpAndVersionWhateverTheOtherWords) {
  EXPECT_TRUE(parse({"--help"}).options.help);
  EXPECT_TRUE(parse({"-V", "--"}).options.version);
}

TEST(Submit, RefusesAWrongCommandLineWithTheReasonAndAHint) {
  const std::vector<std::tuple<Words, std::string>> table = {
      {{"-n4", "--"}, "no command after --"},
      {{"--", ""}, "no command after --"},
      {{"--wrap=x", "job.sh"}, "Script arguments not permitted with --wrap option: \"job.sh\""},
      {{"--wrap=x", "--"}, "Script arguments not permitted with --wrap option: --"},
      {{"--wrap="}, "Invalid --wrap specification: the command is empty"},
      {{""}, "the script's path has 0 bytes"},
      {{std::string(4097, 'p')}, "the script's path has 4097 bytes"},
      {{"--", "x", "\xff"}, "is not valid UTF-8"},
      {{"--", "x", std::string(limits::command_bytes_max, 'a')}, "bytes, and one may have 1048576"},
      {{"--tiem=5", "--", "x"}, "unrecognized option '--tiem'"},
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

TEST(Submit, RefusesAWrongScriptOrOptionWithTheReasonAndAHint) {
  const auto refuse = [](const Words& words, const std::optional<std::string>& script,
                         const SubmitSurroundings& surroundings) {
    const Result<SubmitPlan> plan = build_submit(parse(words), script, surroundings);
    EXPECT_FALSE(plan.ok());
    return plan.ok() ? std::string() : plan.refusal().fact + " / " + plan.refusal().hint;
  };
  EXPECT_EQ(refuse({"job.sh"}, "#!/bin/sh\n#SBATCH --tiem=5\n", here),
            "job.sh line 2: unrecognized option '--tiem' / did you mean --time?");
  EXPECT_EQ(refuse({"job.sh"}, "#!/bin/sh\n#SBATCH --qqqqqq\n", here),
            "job.sh line 2: unrecognized option '--qqqqqq' / 'sbatch --help' lists them");
  EXPECT_NE(refuse({"--gpu-type=h100", "job.sh"}, "#!/bin/sh\n#SBATCH --gres=gpu:a100:1\n", here)
                .find("the requested GPUs are of type \"a100\""),
            std::string::npos);
  EXPECT_NE(refuse({"job.sh"}, "echo\n", here).find("does not begin with #!"), std::string::npos);
  EXPECT_NE(refuse({}, "", here).find("Batch script is empty! (the script on standard input)"),
            std::string::npos);
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
