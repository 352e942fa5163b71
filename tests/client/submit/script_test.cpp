#include "client/submit/script.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.h"

namespace cox {
namespace {

// Returns the options of a script that has these lines after "#!/bin/sh".
JobSpec spec_of(const std::string& lines) {
  ComponentOptions all;
  const Failure failure = apply_script_options("#!/bin/sh\n" + lines, "job.sh", all);
  EXPECT_FALSE(failure.has_value()) << failure->fact;
  return all.asked.front().spec;
}

Refusal refusal_of(const std::string& lines) {
  ComponentOptions all;
  const Failure failure = apply_script_options("#!/bin/sh\n" + lines, "job.sh", all);
  EXPECT_TRUE(failure.has_value()) << lines;
  return failure.value_or(Refusal{});
}

TEST(Script, OptionsAreReadFromDirectives) {
  const JobSpec spec = spec_of(
      "#SBATCH --job-name=train\n"
      "#SBATCH -N2 --ntasks 4\t-c3   # three each\n"
      "\n"
      "  # a comment\n"
      "#SBATCH --time      1:00:00\n"
      "#SBATCH\n");
  EXPECT_EQ(spec.name, "train");
  EXPECT_EQ(spec.nodes, 2);
  EXPECT_EQ(spec.tasks, 4);
  EXPECT_EQ(spec.cpus_per_task, 3);
  EXPECT_EQ(spec.time_limit_s, 3600);
}

TEST(Script, OptionsEndAtTheFirstCommand) {
  EXPECT_EQ(spec_of("#SBATCH -N2\necho hello\n#SBATCH -N3\n").nodes, 2);
  EXPECT_EQ(spec_of("#SBATCH -N2\n  set -e # no comment\n#SBATCH --bogus\n").nodes, 2);
}

TEST(Script, OtherCommentsAreNotDirectives) {
  EXPECT_EQ(spec_of("##SBATCH -N2\n# SBATCH -N3\n #SBATCH -N4\n#sbatch -N5\n"), JobSpec{});
}

TEST(Script, QuotesAndBackslashesMayProtectAValue) {
  EXPECT_EQ(spec_of("#SBATCH --job-name=\"a b # c\"\n").name, "a b # c");
  EXPECT_EQ(spec_of("#SBATCH -J 'it is \"it\"'\n").name, "it is \"it\"");
  EXPECT_EQ(spec_of("#SBATCH --job-name=a\\ b\\\"c\n").name, "a b\"c");
  EXPECT_EQ(spec_of("#SBATCH --job-name=a#b -N2\n").name, "a");  // an unquoted # begins a comment
}

TEST(Script, WrongOptionsAreRefusedWithFileLineAndHint) {
  const std::vector<std::tuple<std::string, std::string, std::string>> table = {
      {"#SBATCH --ndoes=2\n", "job.sh line 2: unrecognized option '--ndoes'",
       "did you mean --nodes?"},
      {"\n#SBATCH -N2\n#SBATCH -n x\n",
       "job.sh line 4: Invalid numeric value \"x\" for --ntasks: \"x\" is not a whole number",
       "NUMBER"},
      {"#SBATCH -N 2 4\n", "job.sh line 2: Invalid directive found in batch script: 4", "quotes"},
      {"#SBATCH -N2 -- -n4\n", "job.sh line 2: Invalid directive found in batch script: --", ""},
      {"#SBATCH --job-name=\"x\n", "job.sh line 2: a quote is opened and never closed", "close it"},
      {"#SBATCH --array=9-1\n",
       "job.sh line 2: Invalid job array specification: \"9-1\" is a range of tasks that runs",
       "smaller"},
      {"#SBATCH --no-kill\n", "job.sh line 2: --no-kill is not supported", "leave it out"},
      {"#SBATCH --wrap=x\n", "job.sh line 2: --wrap is allowed only on the command line", ""},
      {"#SBATCH --nodes\n#SBATCH 2\n", "job.sh line 2: option '--nodes' requires an argument",
       "--nodes=NUMBER"},
  };
  for (const auto& [lines, fact, hint] : table) {
    const Refusal refusal = refusal_of(lines);
    EXPECT_NE(refusal.fact.find(fact), std::string::npos) << refusal.fact;
    EXPECT_NE(refusal.hint.find(hint), std::string::npos) << refusal.hint;
    EXPECT_FALSE(refusal.hint.empty()) << refusal.fact;
  }
}

TEST(Script, IsRefusedIfItIsEmptyOrNotAScript) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "Batch script is empty! (job.sh)"},
      {" \n\t\n", "Batch script is empty!"},
      {"echo hello\n", "This does not look like a batch script: "},
      {"\n#!/bin/sh\n", "does not begin with #!"},
      {std::string("#!/bin/sh\n\0\n", 12), "NUL bytes"},
      {std::string("\x7f"
                   "ELF\2\1\1\0\0",
                   9),
       "NUL bytes"},
      {"#!/bin/sh\r\necho\r\n", "Batch script contains DOS line breaks"},
      {"#!/bin/sh\n" + std::string(limits::script_bytes_max, '#'), "may have 4194304"},
  };
  for (const auto& [script, fact] : table) {
    const Failure failure = check_script(script, "job.sh");
    ASSERT_TRUE(failure.has_value()) << fact;
    EXPECT_NE(failure->fact.find(fact), std::string::npos) << failure->fact;
    EXPECT_FALSE(failure->hint.empty()) << failure->fact;
  }
  EXPECT_EQ(check_script("", "job.sh")->hint,
            "give a script that begins with #!/bin/sh, or a command: cox submit -- ./program");
  EXPECT_EQ(check_script("", "job.sh", true)->hint,
            "give a script that begins with #!/bin/sh, or a command: sbatch --wrap='COMMAND'");
  EXPECT_FALSE(check_script("#!/bin/sh\n", "job.sh").has_value());
  EXPECT_FALSE(check_script("#!/usr/bin/env python3", "job.py").has_value());
}

TEST(Script, HetjobBeginsAnotherComponent) {
  ComponentOptions all;
  const Failure failure = apply_script_options(
      "#!/bin/sh\n#SBATCH -J both --nodes=2\n#SBATCH hetjob\n#SBATCH -n4 -p gpu\ntrue\n", "job.sh",
      all);
  ASSERT_FALSE(failure.has_value()) << failure->fact;
  ASSERT_EQ(all.asked.size(), 2u);
  EXPECT_EQ(all.asked[0].spec.name, "both");
  EXPECT_EQ(all.asked[0].spec.nodes, 2);
  EXPECT_EQ(all.asked[1].spec.tasks, 4);
  EXPECT_EQ(all.asked[1].spec.partition, "gpu");
  std::string many;
  for (int i = 0; i < 20; ++i) many += "#SBATCH hetjob\n";
  EXPECT_EQ(refusal_of(many).fact,
            "job.sh line 17: the script has more than 16 components, the limit");
}

// Random text after #SBATCH either gives options or is refused with the number of its line.
TEST(Script, OfRandomTextIsParsedOrRefused) {
  const std::uint32_t seed = 3;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::string> pieces = {"#SBATCH", " ",  "\n", "-N",  "2", "\"", "'",    "\\",
                                           "#",       "--", "=",  "mem", "-", "\r", "\xff", "hold"};
  for (int round = 0; round < 20000; ++round) {
    std::string script = "#!/bin/sh\n#SBATCH ";
    for (std::size_t i = random() % 16; i > 0; --i) script += pieces[random() % pieces.size()];
    ComponentOptions all;
    const Failure failure = apply_script_options(script, "job.sh", all);
    ASSERT_TRUE(!failure || failure->fact.starts_with("job.sh line ")) << failure->fact;
  }
}

}  // namespace
}  // namespace cox
