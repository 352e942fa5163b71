#include "client/submit/job_environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/limits.h"

namespace cox {
namespace {

using Words = std::vector<std::string>;

// Returns the environment block that the job gets, with '|' in place of each NUL.
std::string block(const Words& environment, std::string_view export_list) {
  const Result<std::string> result = job_environment(environment, export_list);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.refusal().fact);
  std::string shown = result.ok() ? *result : "";
  std::replace(shown.begin(), shown.end(), '\0', '|');
  return shown;
}

TEST(JobEnvironment, ContainsAllVariablesSortedByName) {
  EXPECT_EQ(block({"B=2", "A=1", "C=x=y", "D="}, "ALL"), "A=1|B=2|C=x=y|D=|");
  EXPECT_EQ(block({}, "ALL"), "");
  EXPECT_EQ(block({"BASH_FUNC_f%%=() { :\n}"}, "all"), "BASH_FUNC_f%%=() { :\n}|");
}

TEST(JobEnvironment, OmitsMalformedVariablesAndThoseOfAnotherJob) {
  EXPECT_EQ(block({"A=1", "no equals", "=x", "A=2", "b\n=1", "SLURM_JOB_ID=7", "SBATCH_QOS=x",
                   "COX_RANK=0", "COXSWAIN=1"},
                  "ALL"),
            "A=1|COXSWAIN=1|");
  EXPECT_EQ(block({}, "SLURM_JOB_ID=7,COX_RANK=1,A=1"), "A=1|");
}

TEST(JobEnvironment, AlwaysContainsCoxConfig) {
  EXPECT_EQ(block({"A=1", "COX_CONFIG=/c.toml"}, "ALL"), "A=1|COX_CONFIG=/c.toml|");
  EXPECT_EQ(block({"A=1", "COX_CONFIG=/c.toml"}, "NONE"), "COX_CONFIG=/c.toml|");
}

TEST(JobEnvironment, ContainsTheLoginVariablesUnlessAllAreExported) {
  const Words here = {"A=1", "HOME=/home/ada", "PATH=/bin", "SHELL=/bin/sh", "USER=ada", "TERM=x"};
  EXPECT_EQ(block(here, "NONE"), "HOME=/home/ada|PATH=/bin|SHELL=/bin/sh|USER=ada|");
  EXPECT_EQ(block(here, "A,PATH=/opt"), "A=1|HOME=/home/ada|PATH=/opt|SHELL=/bin/sh|USER=ada|");
}

TEST(JobEnvironment, TakesMissingLoginVariablesFromTheUserDatabase) {
  const Words login = {"HOME=/home/ada", "LOGNAME=ada", "SHELL=/bin/sh", "USER=ada"};
  const auto shown = [&](std::string_view export_list) {
    std::string text = *job_environment({"A=1", "HOME=/data"}, export_list, login);
    std::replace(text.begin(), text.end(), '\0', '|');
    return text;
  };
  EXPECT_EQ(shown("NONE"), "HOME=/data|LOGNAME=ada|SHELL=/bin/sh|USER=ada|");
  EXPECT_EQ(shown("A,USER=bob"), "A=1|HOME=/data|LOGNAME=ada|SHELL=/bin/sh|USER=bob|");
  EXPECT_EQ(shown("ALL"), "A=1|HOME=/data|");
}

TEST(JobEnvironment, PassesExportAndOpenModeToSrunInTheScript) {
  EXPECT_EQ(variables_for_steps("ALL", false), "");
  EXPECT_EQ(variables_for_steps("NONE", false), std::string("SLURM_EXPORT_ENV=NONE\0", 22));
  EXPECT_EQ(variables_for_steps("ALL,A=1", true),
            std::string("SLURM_EXPORT_ENV=ALL,A=1\0SLURM_OPEN_MODE=a\0", 43));
}

TEST(JobEnvironment, ContainsWhatExportSelects) {
  const Words here = {"A=1", "B=2", "C=3"};
  EXPECT_EQ(block(here, "NONE"), "");
  EXPECT_EQ(block(here, "NIL"), "");
  EXPECT_EQ(block(here, "A,C,MISSING"), "A=1|C=3|");
  EXPECT_EQ(block(here, "A=9,D=4"), "A=9|D=4|");
  EXPECT_EQ(block(here, "ALL,A=9,D="), "A=9|B=2|C=3|D=|");
  EXPECT_EQ(block(here, "A=\"1,2\",D='x,\"y'"), "A=1,2|D=x,\"y|");
}

TEST(JobEnvironment, OfAWrongExportListIsRefused) {
  for (const char* list : {"", "A,,B", "=1", ",", "A=\"1"}) {
    const Result<std::string> result = job_environment({"A=1"}, list);
    ASSERT_FALSE(result.ok()) << list;
    EXPECT_TRUE(result.refusal().fact.starts_with("--export: ")) << result.refusal().fact;
    EXPECT_FALSE(result.refusal().hint.empty());
  }
}

TEST(JobEnvironment, HasSizeLimits) {
  // A, = and the NUL take 3 of the bytes.
  const std::string fits(limits::variable_bytes_max - 3, 'x');
  EXPECT_TRUE(job_environment({"A=" + fits}, "ALL").ok());
  const Result<std::string> large = job_environment({"A=" + fits + "x"}, "ALL");
  ASSERT_FALSE(large.ok());
  EXPECT_NE(large.refusal().fact.find("131073 bytes, and one may have 131072"), std::string::npos);

  Words many;
  for (int i = 0; i < 16; ++i)
    many.push_back(std::string(1, static_cast<char>('A' + i)) + "=" + fits);
  EXPECT_TRUE(job_environment(many, "ALL").ok());
  many.push_back("Z=");
  const Result<std::string> total = job_environment(many, "ALL");
  ASSERT_FALSE(total.ok());
  EXPECT_NE(total.refusal().fact.find("may have 2097152"), std::string::npos);
}

}  // namespace
}  // namespace cox
