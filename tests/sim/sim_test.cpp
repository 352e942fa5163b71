// The deterministic simulator: each seed is one cluster's life with faults, and then peace.
//   COX_SIM_SEEDS=5000   so many seeds        COX_SIM_SEED=17   this one (and on), telling all
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/sim/simulation.h"

namespace cox::sim {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(Simulator, HoldsTheInvariantsInEverySeed) {
  const bool one = std::getenv("COX_SIM_SEED") != nullptr;
  const std::uint64_t first = number_from("COX_SIM_SEED", 1);
  const std::uint64_t count = number_from("COX_SIM_SEEDS", one ? 1 : 1000);
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string violation = simulate(seed, PlantedBug::None, one && count == 1);
    ASSERT_EQ(violation, "");
  }
}

// A simulator that never complains proves nothing: each of these bugs must be found, as what it is.
// `first`: of a bug that few seeds show, one shortly before such a seed.
bool bites(PlantedBug bug, const std::vector<std::string>& complaints, std::uint64_t first = 1) {
  for (std::uint64_t seed = first; seed < first + 3'000; ++seed) {
    const std::string story = simulate(seed, bug);
    const std::string headline = story.substr(0, story.find('\n', 1));
    for (const auto& complaint : complaints)
      if (headline.find(complaint) != std::string::npos) return true;
    if (!story.empty()) ADD_FAILURE() << "another complaint than expected: " << story;
  }
  return false;
}

TEST(Simulator, FindsRanksThatStartWithoutTheGo) {
  EXPECT_TRUE(bites(PlantedBug::GoesUnasked, {"starts before node"}));
}

// A Prepare that was long on its way, of an attempt that has been given up.
TEST(Simulator, FindsNodesThatGoByThemselvesHoweverLate) {
  EXPECT_TRUE(bites(PlantedBug::GoesHoweverLate,
                    {"still runs", "its ranks run on", "over-commit", "is started twice"}, 820));
}

// Their jobs have gone on without them: elsewhere, or to the end.
TEST(Simulator, FindsSupervisorsThatOutliveTheirLease) {
  EXPECT_TRUE(bites(PlantedBug::LeaseNeverEnds, {"still runs", "its ranks run on", "over-commit"}));
}

TEST(Simulator, FindsRanksThatRunOnThoughSuspended) {
  EXPECT_TRUE(bites(PlantedBug::FreezesInWordsOnly, {"though it stands still"}));
}

TEST(Simulator, FindsAStoreThatForgetsWhatItCommitted) {
  EXPECT_TRUE(bites(PlantedBug::ForgetsLastCommit, {"is forgotten"}));
}

TEST(Simulator, FindsUsageThatIsCountedTwice) {
  EXPECT_TRUE(bites(PlantedBug::CountsUsageTwice, {"is recorded to have used"}));
}

TEST(Simulator, FindsJobsThatStartBeyondALimit) {
  EXPECT_TRUE(bites(PlantedBug::ForgetsLimits, {"starts beyond a limit", "that wait or run"}));
}

TEST(Simulator, FindsJobsThatStartOutsideTheHoursOfTheirPartition) {
  EXPECT_TRUE(bites(PlantedBug::NeverCloses, {"outside its hours"}));
}

TEST(Simulator, FindsJobsThatStartBeforeWhatTheyDependOn) {
  EXPECT_TRUE(bites(PlantedBug::ForgetsWaits,
                    {"starts while it is written that it waits", "what it waited for has not come",
                     "starts before what it depends on", "what it depends on is decided"}));
}

TEST(Simulator, FindsJobsThatAreNeverReleasedFromWhatTheyDependOn) {
  EXPECT_TRUE(bites(PlantedBug::WaitsForNobody, {"what it depends on is decided"}));
}

TEST(Simulator, FindsJobsThatAreReleasedTwiceFromWhatTheyDependOn) {
  EXPECT_TRUE(bites(PlantedBug::ReleasesTwice, {"is released twice"}));
}

}  // namespace
}  // namespace cox::sim
