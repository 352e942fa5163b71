#include "common/base/id_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <ranges>
#include <string>
#include <vector>

namespace cox {
namespace {

TEST(IdMap, HoldsTheSameAsAMapOfTheLibrary) {
  IdMap<std::string> map;
  std::map<JobId, std::string> expected;
  std::mt19937 random(1);
  for (int i = 0; i < 5'000; ++i) {
    const JobId id{static_cast<std::int64_t>(random() % 300)};
    ASSERT_EQ(map.contains(id), expected.contains(id));
    if (expected.erase(id) == 1) {
      map.erase(id);
    } else {
      map.add(id, std::to_string(i));
      expected[id] = std::to_string(i);
    }
    ASSERT_EQ(map.size(), expected.size());
    ASSERT_TRUE(std::ranges::equal(map, expected, [](const auto& a, const auto& b) {
      return a.first == b.first && a.second == b.second;
    }));
    const auto above = map.upper_bound(id);
    const auto expected_above = expected.upper_bound(id);
    ASSERT_EQ(above == map.end(), expected_above == expected.end());
    if (above != map.end()) {
      ASSERT_EQ((*above).first, expected_above->first);
    }
  }
}

TEST(IdMap, FindsNothingForIdsThatNoJobHas) {
  IdMap<int> map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.begin(), map.end());
  map.add(JobId{1}, 7);
  EXPECT_EQ(map.at(JobId{1}), 7);
  for (const std::int64_t id : {-1, 0, 2, 17}) EXPECT_EQ(map.find(JobId{id}), nullptr);
  EXPECT_EQ(map.upper_bound(JobId{1}), map.end());
}

TEST(IdMap, ValuesStayWhereTheyAreAndGoWithTheirId) {
  IdMap<std::shared_ptr<int>> map;
  const auto value = std::make_shared<int>(5);
  const std::shared_ptr<int>* place = &map.add(JobId{20}, value);
  for (int id = 21; id < 300; ++id) map.add(JobId{id}, nullptr);
  EXPECT_EQ(map.find(JobId{20}), place);
  map.erase(JobId{20});
  EXPECT_EQ(value.use_count(), 1);
}

TEST(IdMap, GivesItsIdsAsKeys) {
  IdMap<char, 64> map;
  for (const std::int64_t id : {200, 3, 64, 63}) map.add(JobId{id}, {});
  std::vector<std::int64_t> ids;
  for (const JobId id : std::views::keys(map)) ids.push_back(id.value);
  EXPECT_EQ(ids, (std::vector<std::int64_t>{3, 63, 64, 200}));
}

}  // namespace
}  // namespace cox
