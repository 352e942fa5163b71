// The deterministic simulator: each seed is the life of one cluster, first with faults and then in
// peace. ./dev sim sets the environment variables.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "tests/sim/play.h"

namespace cox::sim {
namespace {

constexpr std::uint64_t seeds_tested = 800;  // ./dev test --long plays seeds_of_long_tests
constexpr std::uint64_t seeds_of_long_tests = 2'000;
constexpr int processes = 2;

std::string text_from(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? "" : text;
}

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const std::string text = text_from(variable);
  return text.empty() ? otherwise : std::strtoull(text.c_str(), nullptr, 10);
}

std::vector<std::string> words_from(const char* variable) {
  std::istringstream text(text_from(variable));
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

std::set<Fault> faults_from(const char* variable) {
  std::set<Fault> faults;
  for (const std::string& word : words_from(variable)) {
    const auto fault = fault_from(word);
    EXPECT_TRUE(fault) << "there is no fault " << word << "; ./dev sim --faults lists them";
    if (fault) faults.insert(*fault);
  }
  return faults;
}

Setting setting_asked_for() {
  Setting setting;
  setting.seed = number_from("COX_SIM_SEED", 1);
  setting.is_long = !text_from("COX_SIM_LONG").empty();
  setting.faults = {faults_from("COX_SIM_ONLY_FAULTS"), faults_from("COX_SIM_WITHOUT_FAULTS")};
  for (const std::string& word : words_from("COX_SIM_WITHOUT_JOBS"))
    setting.without_jobs.insert(std::stoll(word));
  if (const auto bug = planted_from(text_from("COX_SIM_PLANTED"))) setting.planted = *bug;
  return setting;
}

void print_coverage(const Coverage& coverage, bool by_name) {
  std::printf("covered: %zu of %zu ways out of a state, each with each fault\n", coverage.seen(),
              Coverage::possible());
  if (!by_name) return;
  for (const auto& point : coverage.missing())
    std::printf("missing: %s\n", Coverage::text_of(point).c_str());
}

TEST(Simulator, FindsEachFaultByTheNameThatItLists) {
  for (const FaultRow& row : fault_table) {
    std::printf("%-24s %s\n", std::string(row.name).c_str(), std::string(row.what).c_str());
    EXPECT_EQ(fault_from(row.name), row.fault);
  }
}

// Returns how many of all points (a transition, and a fault before it) this many seeds must see.
// The others are rare states beside rare faults.
std::size_t points_expected(const Setting& setting, std::uint64_t seeds) {
  const bool has_all_faults = setting.faults.only.empty() && setting.faults.without.empty();
  if (!has_all_faults || !setting.without_jobs.empty()) return 0;
  if (seeds >= seeds_of_long_tests) return Coverage::possible() * 3 / 4;
  return seeds >= seeds_tested ? Coverage::possible() * 2 / 3 : 0;
}

TEST(Simulator, HoldsTheInvariantsInEverySeed) {
  const bool one = !text_from("COX_SIM_SEED").empty();
  Setting setting = setting_asked_for();
  const std::uint64_t seeds = number_from("COX_SIM_SEEDS", one ? 1 : seeds_tested);
  if (seeds == 1) {
    setting.prints_all = true;
    ASSERT_EQ(simulate(setting).story, "");
    return;
  }
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(setting.seed),
              static_cast<unsigned long long>(setting.seed + seeds - 1));
  const Played played = play(setting, seeds, processes);
  ASSERT_EQ(played.story, "");
  print_coverage(played.coverage, setting.is_long || !text_from("COX_SIM_MISSING").empty());
  for (const auto& point : played.coverage.falsely_excused())
    ADD_FAILURE() << "this transition was thought impossible: " << Coverage::text_of(point);
  EXPECT_GE(played.coverage.seen(), points_expected(setting, seeds));
}

TEST(Simulator, PlaysTheSameStoryForASeedEachTime) {
  Setting setting;
  setting.seed = 7;
  const std::uint64_t digest_of_7 = simulate(setting).digest;
  EXPECT_EQ(simulate(setting).digest, digest_of_7);
  setting.seed = 8;
  EXPECT_NE(simulate(setting).digest, digest_of_7);
}

TEST(Simulator, MinimisesAFailingSeed) {
  Setting setting;
  setting.planted = PlantedBug::GoesUnasked;
  Outcome failed = simulate(setting);
  while (failed.violation.empty() && setting.seed < 300) {
    setting.seed += 1;
    failed = simulate(setting);
  }
  ASSERT_FALSE(failed.violation.empty());
  const Setting least = minimised(setting, failed);
  EXPECT_GT(least.faults.without.size() + least.without_jobs.size(), 3U);
  const Outcome again = simulate(least);
  EXPECT_NE(again.violation.find("starts before node"), std::string::npos) << again.story;
  EXPECT_NE(again.story.find("again: ./dev sim --seed"), std::string::npos);
}

// ---- planted bugs ------------------------------------------------------------------------------

class PlantedBugs : public ::testing::TestWithParam<PlantedRow> {};

bool expects(const PlantedRow& row, const std::string& violation) {
  for (const std::string_view complaint : row.complaints)
    if (!complaint.empty() && violation.find(complaint) != std::string::npos) return true;
  return false;
}

TEST_P(PlantedBugs, EachIsFoundByAnExpectedViolation) {
  const PlantedRow& row = GetParam();
  Setting setting;
  setting.planted = row.bug;
  setting.faults.only = {row.only.begin(), row.only.end()};
  for (setting.seed = row.first_seed; setting.seed < row.first_seed + row.seeds_most;
       ++setting.seed) {
    const Outcome outcome = simulate(setting);
    if (outcome.violation.empty()) continue;
    std::printf("found by seed %llu\n", static_cast<unsigned long long>(setting.seed));
    EXPECT_TRUE(expects(row, outcome.violation)) << "another violation: " << outcome.story;
    return;
  }
  ADD_FAILURE() << row.what << ": not found in " << row.seeds_most << " seeds";
}

std::string camel_case(const ::testing::TestParamInfo<PlantedRow>& info) {
  std::string text;
  bool begins = true;
  for (const char c : info.param.name) {
    if (c != '-') text += begins ? static_cast<char>(c - 'a' + 'A') : c;
    begins = c == '-';
  }
  return text;
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedBugs, ::testing::ValuesIn(planted_table()), camel_case);

}  // namespace
}  // namespace cox::sim
