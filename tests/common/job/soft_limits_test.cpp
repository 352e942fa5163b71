// Tests soft resource limits (ulimit): which of them a submission passes to the job, in which
// variables, and how a node reads these.
#include "common/job/soft_limits.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

const std::vector<SoftLimit> own = {{"CORE", 1024, false},
                                    {"NOFILE", 1016, false},
                                    {"MEMLOCK", 65536, false},
                                    {"STACK", unlimited, false}};

std::vector<std::string> names_of(const std::vector<SoftLimit>& limits) {
  std::vector<std::string> names;
  for (const SoftLimit& limit : limits) names.push_back(limit.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(SoftLimits, AllArePassedOnExceptThoseThatLoginHostsRestrict) {
  const auto usual = propagated_limits("", own);
  ASSERT_TRUE(usual.ok());
  EXPECT_EQ(names_of(*usual), (Names{"CORE", "NOFILE", "STACK"}));
  EXPECT_FALSE(usual->front().is_explicit);
}

TEST(SoftLimits, ArePassedOnAsTheUserRequests) {
  EXPECT_EQ(names_of(*propagated_limits("ALL", own)),
            (Names{"CORE", "NOFILE", "MEMLOCK", "STACK"}));
  EXPECT_TRUE(propagated_limits("ALL", own)->front().is_explicit);
  EXPECT_TRUE(propagated_limits("NONE", own)->empty());
  EXPECT_EQ(names_of(*propagated_limits("MEMLOCK,RLIMIT_CORE", own)), (Names{"CORE", "MEMLOCK"}));
}

TEST(SoftLimits, AnUnknownNameIsRefused) {
  for (const char* wrong : {"FOO", "core", "CORE,FOO", "CORE,", ",", "RLIMIT_"})
    EXPECT_FALSE(propagated_limits(wrong, own).ok()) << wrong;
  const Refusal why = propagated_limits("CORE,FOO", own).refusal();
  EXPECT_EQ(why.fact, "Bad rlimit name: FOO");
  EXPECT_TRUE(why.hint.starts_with("--propagate=CORE,FOO is not valid.")) << why.hint;
}

TEST(SoftLimits, AreSentAsVariablesThatTheNodeRemoves) {
  const std::string block = soft_limit_variables(*propagated_limits("CORE,STACK", own));
  EXPECT_EQ(block, std::string("SLURM_RLIMIT_CORE=U1024\0", 24) +
                       std::string("SLURM_RLIMIT_STACK=U18446744073709551615\0", 41));
  Names environment = {"A=1", "SLURM_RLIMIT_CORE=U1024", "SLURM_RLIMIT_NOFILE=1016",
                       "SLURM_RLIMIT_STACK=18446744073709551615", "SLURM_JOB_ID=7"};
  const auto limits = take_soft_limits(environment);
  EXPECT_EQ(environment, (Names{"A=1", "SLURM_JOB_ID=7"}));
  EXPECT_EQ(limits,
            (std::vector<SoftLimit>{
                {"CORE", 1024, true}, {"NOFILE", 1016, false}, {"STACK", unlimited, false}}));
}

TEST(SoftLimits, InvalidNumbersAreDropped) {
  Names environment = {"SLURM_RLIMIT_CORE=",
                       "SLURM_RLIMIT_CPU=-1",
                       "SLURM_RLIMIT_AS=1x",
                       "SLURM_RLIMIT_RSS=UU1",
                       "SLURM_RLIMIT_DATA=18446744073709551616",
                       "SLURM_RLIMIT_FSIZE= 1",
                       "SLURM_RLIMIT_FOO=1",
                       "SLURM_RLIMIT_NPROC"};
  EXPECT_TRUE(take_soft_limits(environment).empty());
  EXPECT_EQ(environment, (Names{"SLURM_RLIMIT_FOO=1", "SLURM_RLIMIT_NPROC"}));
}

}  // namespace
}  // namespace cox
