// Tests the warnings about lines and words that look like options of sbatch and are none.
#include "client/submit/script_warnings.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

using Warnings = std::vector<std::string>;

Warnings of(const std::string& lines) {
  return script_warnings("#!/bin/sh\n" + lines, "job.sh");
}

TEST(ScriptWarnings, ADirectiveAfterTheFirstCommandIsNotRead) {
  EXPECT_EQ(of("#SBATCH -N2\n\n# a comment\nmodule load cuda\n#SBATCH --time=10\n"),
            Warnings{"job.sh line 6 (\"#SBATCH --time=10\") is not read: it comes after the first "
                     "command"});
}

TEST(ScriptWarnings, ACommentThatLooksLikeADirectiveIsNamed) {
  for (const std::string line : {"# SBATCH --time=10", "#sbatch --time=10", "#Sbatch -t 10",
                                 "  #SBATCH -N2", "#\tSBATCH -N2"})
    EXPECT_EQ(of(line + "\ntrue\n").size(), 1u) << line;
  EXPECT_EQ(of("#sbatch -N2\n"),
            Warnings{"job.sh line 2 (\"#sbatch -N2\") is a comment: an option is read after "
                     "#SBATCH alone"});
}

TEST(ScriptWarnings, OrdinaryCommentsAndLinesThatWereSwitchedOffAreNot) {
  for (const std::string line :
       {"##SBATCH --time=10", "# sbatch it with --time=10", "#SBATCHES -N2",
        "# SBATCH lines follow", "# sbatch --nodes=2 job.sh", "#SBATCH -N2", "echo '#SBATCH -N2'"})
    EXPECT_EQ(of(line + "\n"), Warnings{}) << line;
}

TEST(ScriptWarnings, AScriptThatAScriptWritesIsNotRead) {
  EXPECT_EQ(of("cat > next.sh <<'EOF'\n#!/bin/sh\n#SBATCH -N2\nEOF\nsbatch next.sh\n"), Warnings{});
  EXPECT_EQ(of("cat <<-EOF\n\t#SBATCH -N2\n\tEOF\n#SBATCH -N3\n").size(), 1u);
  EXPECT_EQ(of("cat <<'END-1'\n#SBATCH -N2\nEND-1\n#SBATCH -N3\n").size(), 1u);
  EXPECT_EQ(of("n=$((1<<3))\n#SBATCH -N3\n").size(), 1u) << "that is a shift";
}

TEST(ScriptWarnings, ThreeLinesAreNamedAndTheOthersCounted) {
  const Warnings all =
      of("true\n#SBATCH -N1\n#SBATCH -N2\n#SBATCH -N3\n#SBATCH -N4\n#SBATCH -N5\n");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all.back().ends_with("first command, and 2 more such lines")) << all.back();
}

TEST(ScriptWarnings, AnOptionAfterTheScriptIsAnArgumentOfTheScript) {
  EXPECT_EQ(argument_warnings({"data", "--time=10", "--nodes=2"}, "job.sh"),
            Warnings{"\"--time=10\" is an argument of job.sh: options of the job come before the "
                     "script"});
  EXPECT_EQ(argument_warnings({"--epochs=3", "-n", "--", "time"}, "job.sh"), Warnings{});
}

TEST(ScriptWarnings, ALetterOfAnOptionAfterTheScriptIsAnArgumentOfTheScript) {
  EXPECT_EQ(argument_warnings({"data", "-t", "5", "-n4"}, "job.sh"),
            Warnings{"\"-t\" is an argument of job.sh: options of the job come before the script"});
  for (const Warnings& words : {Warnings{"-n4", "-N2"}, {"-J", "foo"}, {"-p", "gpu"}, {"-H"}})
    EXPECT_EQ(argument_warnings(words, "job.sh").size(), 1u) << words.front();
}

TEST(ScriptWarnings, LettersThatOnlyAScriptCanMeanAreNotNamed) {
  for (const Warnings& words : {Warnings{"-v"},
                                {"-h"},
                                {"-Q"},
                                {"-V"},
                                {"-y", "5"},
                                {"-5"},
                                {"-"},
                                {"-n"},
                                {"-c", "a.yaml"},
                                {"-n", "train"},
                                {"-nx4"},
                                {"-input", "a"},
                                {"-O2"},
                                {"-J", "--foo"},
                                {"-t=5"}})
    EXPECT_EQ(argument_warnings(words, "job.sh"), Warnings{}) << words.front();
}

}  // namespace
}  // namespace cox
