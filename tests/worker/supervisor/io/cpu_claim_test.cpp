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
  // Returns whether another attempt could claim this many CPUs. It releases them at once.
  bool are_free(std::size_t count) { return bool(claim(count)); }

  TemporaryFolder folder;
};

TEST_F(CpuClaimTest, ClaimedCpusAreNotClaimedAgain) {
  const auto first = claim(1);
  ASSERT_TRUE(first);
  const auto second = claim(1);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->cpus, Cpus{0});
  EXPECT_EQ(second->cpus, Cpus{1});
  const auto third = claim(1);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.refusal().fact,
            "the job was granted 1 CPUs, but only 0 of the machine's 2 are free");
}

TEST_F(CpuClaimTest, CpusLentByASuspendedJobAreTakenBackWhenTheBorrowerEnds) {
  auto suspended = claim(2);
  ASSERT_TRUE(suspended);
  lend(*suspended);
  {
    const auto guest = claim(1);
    ASSERT_TRUE(guest);
    EXPECT_EQ(guest->cpus, Cpus{0});
    take_back(*suspended);  // CPU 0 stays lent as long as the guest claims it
    EXPECT_EQ(suspended->lent, Cpus{0});
    EXPECT_FALSE(are_free(1));
  }
  EXPECT_TRUE(are_free(1));
  take_back(*suspended);
  EXPECT_EQ(suspended->lent, Cpus{});
  EXPECT_EQ(suspended->cpus, (Cpus{0, 1}));
  EXPECT_FALSE(are_free(1));
}

TEST_F(CpuClaimTest, LentCpusAreClaimedLast) {
  auto suspended = claim(1);
  ASSERT_TRUE(suspended);
  lend(*suspended);
  const auto guest = claim(1);
  ASSERT_TRUE(guest);
  EXPECT_EQ(guest->cpus, Cpus{1}) << "so no CPU is shared when the lender is resumed";
  take_back(*suspended);
  EXPECT_EQ(suspended->lent, Cpus{});
  EXPECT_FALSE(are_free(1));
}

TEST_F(CpuClaimTest, TwoClaimsMayLendTheSameCpu) {
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

TEST_F(CpuClaimTest, OnlyLentCpusAreTakenBack) {
  auto whole = claim(2);
  ASSERT_TRUE(whole);
  take_back(*whole);
  EXPECT_EQ(whole->lent, Cpus{});
  EXPECT_FALSE(are_free(1));
}

}  // namespace
}  // namespace cox
