// Tests the options that --verbose prints first. Slurm 22.05 printed the expected values for the
// same command lines.
#include "client/options/options_in_effect.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "client/step/allocation.h"
#include "client/step/step_plan.h"
#include "client/submit/submit.h"

namespace cox {
namespace {

using Words = std::vector<std::string>;

// 2023-11-14 23:13:20 in a zone one hour ahead of UTC.
SubmitSurroundings around(Words environment = {}) {
  return {
      std::move(environment), "/home/ann", "login1", {wall_from_ms(1'700'000'000'000), {3600, {}}}};
}

std::string shown_by_sbatch(Words words, const std::string& script = "#!/bin/sh\n",
                            Words environment = {}) {
  words.push_back("job.sh");
  const auto command = parse_submit(words, true);
  EXPECT_TRUE(command.ok()) << (command.ok() ? "" : command.refusal().fact);
  const auto plan = build_submit(*command, script, around(std::move(environment)));
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.refusal().fact);
  return plan->options_in_effect;
}

// Returns the line of one option: "sbatch: NAME : VALUE".
std::string line(const std::string& program, std::string name, const std::string& value) {
  name.resize(20, ' ');
  return program + ": " + name + ": " + value + "\n";
}

TEST(OptionsInEffect, AreShownSortedOnePerLine) {
  EXPECT_EQ(shown_by_sbatch({"-vvvv", "-A", "X", "-t3", "-N2", "-n4", "--mem=4G"}),
            "sbatch: defined options\n"
            "sbatch: -------------------- --------------------\n"
            "sbatch: account             : X\n"
            "sbatch: mem                 : 4G\n"
            "sbatch: nodes               : 2\n"
            "sbatch: ntasks              : 4\n"
            "sbatch: time                : 00:03:00\n"
            "sbatch: verbose             : 4\n"
            "sbatch: -------------------- --------------------\n"
            "sbatch: end of defined options\n");
  EXPECT_EQ(shown_by_sbatch({"-A", "X"}), "");
}

TEST(OptionsInEffect, AreWrittenAsSlurmWritesThem) {
  struct Row {
    Words words;
    std::string name, value;
  };
  for (const auto& [words, name, value] : std::vector<Row>{
           {{"-b", "now+1hour"}, "begin", "2023-11-15T00:13:20"},
           {{"--deadline=2027-01-01"}, "deadline", "2027-01-01T00:00:00"},
           {{"-t", "90:30"}, "time", "01:31:00"},
           {{"-t", "1-2:3"}, "time", "1-02:03:00"},
           {{"-t", "UNLIMITED"}, "time", "UNLIMITED"},
           {{"--mem=4000"}, "mem", "4000"},
           {{"--mem=1024"}, "mem", "1G"},
           {{"--mem=2T"}, "mem", "2T"},
           {{"--mem-per-cpu=2G"}, "mem-per-cpu", "2G"},
           {{"--mem-bind=local"}, "mem-bind", "local"},
           {{"--gres=gpu:1,fpga:2"}, "gres", "gres:gpu:1,gres:fpga:2"},
           {{"--gres=none"}, "gres", "none"},
           {{"-N-3"}, "nodes", "1-3"},
           {{"-N1k"}, "nodes", "1024"},
           {{"-o", "out"}, "output", "/home/ann/out"},
           {{"-e", "/tmp/err"}, "error", "/tmp/err"},
           {{"--open-mode=append"}, "open-mode", "a"},
           {{"--exclusive"}, "exclusive", "exclusive"},
           {{"--exclusive=user"}, "exclusive", "user"},
           {{"--contiguous"}, "contiguous", "set"},
           {{"--mincpus=2"}, "mincpus", "2"},
           {{"--prefer=x"}, "prefer", "x"},
           {{"--nice"}, "nice", "100"},
           {{"--nice=-7"}, "nice", "-7"},
           {{"-H"}, "hold", "set"},
           {{"--tasks=4"}, "ntasks", "4"},
           {{"--requeue"}, "requeue", "requeue"},
           {{"-a", "1-3%2"}, "array", "1-3%2"},
       }) {
    Words verbose = words;
    verbose.push_back("-v");
    const std::string shown = shown_by_sbatch(verbose);
    EXPECT_NE(shown.find(line("sbatch", name, value)), std::string::npos) << shown;
  }
}

TEST(OptionsInEffect, ComeFromTheScriptTheEnvironmentAndTheCommandLine) {
  const std::string shown = shown_by_sbatch({"-v", "-n2", "--requeue"},
                                            "#!/bin/sh\n#SBATCH -N2 -n1 --no-requeue\n#SBATCH -v\n",
                                            {"SBATCH_PARTITION=p", "SBATCH_TIMELIMIT=4"});
  for (const std::string& expected :
       {line("sbatch", "nodes", "2"), line("sbatch", "ntasks", "2"),
        line("sbatch", "partition", "p"), line("sbatch", "time", "00:04:00"),
        line("sbatch", "requeue", "requeue"), line("sbatch", "verbose", "2")})
    EXPECT_NE(shown.find(expected), std::string::npos) << shown;
  EXPECT_EQ(shown.find("no-requeue"), std::string::npos) << shown;
}

TEST(OptionsInEffect, AreShownBySallocAndSrunToo) {
  const auto command = parse_allocation({"-v", "-I5", "-t", "0:30", "--no-shell"});
  ASSERT_TRUE(command.ok());
  const auto plan = plan_allocation(*command, around({"SALLOC_BELL=1"}));
  ASSERT_TRUE(plan.ok());
  for (const std::string& expected :
       {line("salloc", "bell", "bell-always"), line("salloc", "immediate", "5"),
        line("salloc", "no-shell", "set"), line("salloc", "time", "00:00:30")})
    EXPECT_NE(plan->options_in_effect.find(expected), std::string::npos) << plan->options_in_effect;
  const auto step = parse_step({"-v", "-n4", "-K", "-o", "out", "hostname"});
  ASSERT_TRUE(step.ok());
  const std::string shown = step_options_in_effect(*step, around({"SLURM_LABELIO=1"}));
  for (const std::string& expected :
       {line("srun", "kill-on-bad-exit", "1"), line("srun", "label", "set"),
        line("srun", "ntasks", "4"), line("srun", "output", "out"), line("srun", "verbose", "1")})
    EXPECT_NE(shown.find(expected), std::string::npos) << shown;
}

TEST(OptionsInEffect, VerboseAndQuietExcludeEachOther) {
  const auto command = parse_submit({"-v", "-Q", "job.sh"}, true);
  ASSERT_TRUE(command.ok());
  const auto plan = build_submit(*command, "#!/bin/sh\n", around());
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.refusal().fact, "don't specify both --verbose (-v) and --quiet (-Q)");
}

TEST(OptionsInEffect, OfAStepShowTheNodesOfItsJob) {
  const auto about = [](const Words& words, Words environment) {
    environment.push_back("SLURM_JOB_NUM_NODES=3");
    const auto command = parse_step(words);
    EXPECT_TRUE(command.ok());
    const auto plan = plan_step(*command, around(std::move(environment)),
                                [](const std::string&) { return std::nullopt; });
    EXPECT_TRUE(plan.ok());
    return plan->about_job;
  };
  const Words job = {"SLURM_JOB_ID=12", "SLURM_JOB_NODELIST=n[1-3]",
                     "SLURM_JOB_CPUS_PER_NODE=4(x2),1"};
  EXPECT_EQ(about({"-v", "hostname"}, job), "jobid 12: nodes(3):`n[1-3]', cpu counts: 4(x2),1(x1)");
  EXPECT_EQ(about({"hostname"}, job), "");
  EXPECT_EQ(about({"-v", "--jobid=13", "hostname"}, job), "");
}

}  // namespace
}  // namespace cox
