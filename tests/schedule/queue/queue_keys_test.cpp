#include "schedule/queue/queue_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <vector>

namespace cox::schedule {
namespace {

QueueKey key(int priority, int id) {
  return {static_cast<double>(priority), Wall{}, JobId{id}};
}

bool is_same(const QueueKey& a, const QueueKey& b) {
  return a.id == b.id && a.priority == b.priority;
}

TEST(QueueKeys, HoldsTheSameAsASetOfTheLibrary) {
  std::mt19937 random(1);
  for (const int most : {100, 3'000}) {  // fewer and more keys than one block has
    QueueKeys keys;
    std::set<QueueKey> expected;
    for (int i = 0; i < 4 * most; ++i) {
      const int number = static_cast<int>(random()) % most;
      const QueueKey one = key(number % 7, number);
      if (expected.erase(one) == 1) {
        keys.erase(one);
      } else {
        keys.insert(one);
        expected.insert(one);
      }
      ASSERT_EQ(keys.empty(), expected.empty());
      for (const bool behind : {false, true}) {
        const auto at = behind ? keys.upper_bound(one) : keys.lower_bound(one);
        const auto as = behind ? expected.upper_bound(one) : expected.lower_bound(one);
        ASSERT_EQ(at == keys.end(), as == expected.end());
        ASSERT_TRUE(at == keys.end() || is_same(*at, *as));
      }
      ASSERT_TRUE(i % 50 != 0 || std::ranges::equal(keys, expected, is_same));
    }
    while (!expected.empty()) {
      keys.erase(*expected.begin());
      expected.erase(expected.begin());
      ASSERT_TRUE(expected.size() % 50 != 0 || std::ranges::equal(keys, expected, is_same));
    }
    EXPECT_TRUE(keys.empty());
  }
}

TEST(QueueKeys, KeepsWhatIsNoPartOfTheOrder) {
  QueueKeys keys;
  QueueKey one = key(1, 5);
  one.copies = 9;
  keys.insert(one);
  EXPECT_EQ(keys.at(key(1, 5)).copies, 9);
}

TEST(QueueKeys, StaysInOrderWhileJobsMoveToTheFrontOneAfterAnother) {
  constexpr int jobs = 1'000;
  QueueKeys keys;
  for (int id = 1; id <= jobs; ++id) keys.insert(key(0, id));
  for (int id = 1; id <= jobs; ++id) {
    keys.erase(key(0, id));
    keys.insert(key(1, id));
    ASSERT_EQ(keys.begin()->id, JobId{1});
    ASSERT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    ASSERT_EQ(std::distance(keys.begin(), keys.end()), jobs);
  }
}

}  // namespace
}  // namespace cox::schedule
