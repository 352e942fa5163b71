#include "worker/supervisor/task_prolog_lines.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

using Variables = std::vector<std::string>;

TEST(TaskPrologLines, ExportsUnsetsAndPrintsAsSlurmDoes) {
  Variables environment = {"A=1", "AB=2", "C=3", "EMPTY="};
  const std::string printed = apply_prolog_lines(
      "export A=one word = more\n"
      "export   D  =4\n"
      "unset  C  \n"
      "unset EMPTY\n"
      "unset NEVER\n"
      "print hello  there\n"
      "print   no blanks before\n"
      "just a line\n"
      "  export NOT=at-the-beginning\n"
      "export NO_VALUE\n"
      "export =5\n"
      "export LAST=x",
      environment);
  EXPECT_EQ(printed, "hello  there\nno blanks before\n");
  EXPECT_EQ(environment, (Variables{"AB=2", "A=one word = more", "D=4", "LAST=x"}));
}

TEST(TaskPrologLines, TakesTheNewestOfSeveralValues) {
  Variables environment;
  EXPECT_EQ(apply_prolog_lines("export A=1\nexport A=2\nunset A\nexport A=3\n", environment), "");
  EXPECT_EQ(environment, Variables{"A=3"});
}

TEST(TaskPrologLines, SkipsLinesThatNoVariableCanHold) {
  Variables environment = {"A=1"};
  const std::string nul = std::string("export A=2\0B=3\nexport C=4\n", 26);
  EXPECT_EQ(apply_prolog_lines(nul, environment), "");
  EXPECT_EQ(environment, (Variables{"A=1", "C=4"}));
  EXPECT_EQ(apply_prolog_lines("", environment), "");
  EXPECT_EQ(apply_prolog_lines("print \n", environment), "\n");
}

}  // namespace
}  // namespace cox
