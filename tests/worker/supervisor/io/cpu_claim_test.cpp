#include "worker/supervisor/io/cpu_claim.h"

#include <gtest/gtest.h>

#include "tests/worker/temporary_folder.h"

namespace cox {
namespace {

using Cpus = std::vector<std::int32_t>;

class CpuClaimTest : public ::testing::Test {
 protected:
  Result<CpuClaim> claim(std::size_t count) {
    return claim_cpus(folder / "cpus", count, {{0, 0, 0, 0}, {0, 0, 1, 1}});
  }
  // Whether as many can be claimed by somebody else, who lets them go at once.
  bool are_free(std::size_t count) { return bool(claim(count)); }

  TemporaryFolder folder;
};

TEST_F(CpuClaimTest, WhatOneHasNobodyElseGets) {
  const auto first = claim(1);
  ASSERT_TRUE(first);
  const auto second = claim(1);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->cpus, Cpus{0});
  EXPECT_EQ(second->cpus, Cpus{1});
  const auto third = claim(1);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.refusal().fact,
            "the job was granted 1 CPUs of the node, and 0 of the machine's 2 are free for it");
}

TEST_F(CpuClaimTest, WhatIsLentOthersGetAndItIsTakenBackAsTheyEnd) {
  auto stands = claim(2);
  ASSERT_TRUE(stands);
  lend(*stands);
  {
    const auto guest = claim(1);
    ASSERT_TRUE(guest);
    EXPECT_EQ(guest->cpus, Cpus{0});
    take_back(*stands);  // one is shared, as long as the guest has it
    EXPECT_EQ(stands->lent, Cpus{0});
    EXPECT_FALSE(are_free(1));
  }
  EXPECT_TRUE(are_free(1));
  take_back(*stands);
  EXPECT_EQ(stands->lent, Cpus{});
  EXPECT_EQ(stands->cpus, (Cpus{0, 1}));
  EXPECT_FALSE(are_free(1));
}

TEST_F(CpuClaimTest, WhatIsLentIsTakenLast) {
  auto stands = claim(1);
  ASSERT_TRUE(stands);
  lend(*stands);
  const auto guest = claim(1);
  ASSERT_TRUE(guest);
  EXPECT_EQ(guest->cpus, Cpus{1}) << "so that nothing is shared when the other goes on";
  take_back(*stands);
  EXPECT_EQ(stands->lent, Cpus{});
  EXPECT_FALSE(are_free(1));
}

TEST_F(CpuClaimTest, TwoMayHaveLentTheSame) {
  auto first = claim(2);
  ASSERT_TRUE(first);
  lend(*first);
  auto second = claim(2);
  ASSERT_TRUE(second);
  lend(*second);
  EXPECT_TRUE(are_free(2));
  take_back(*first);
  take_back(*second);
  EXPECT_EQ(first->lent, Cpus{});
  EXPECT_EQ(second->lent, (Cpus{0, 1}));
}

TEST_F(CpuClaimTest, NothingIsTakenBackThatWasNotLent) {
  auto whole = claim(2);
  ASSERT_TRUE(whole);
  take_back(*whole);
  EXPECT_EQ(whole->lent, Cpus{});
  EXPECT_FALSE(are_free(1));
}

}  // namespace
}  // namespace cox
