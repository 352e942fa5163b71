#include "common/base/mostly_empty.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace cox {
namespace {

TEST(MostlyEmpty, IsAsSmallAsAPointer) {
  static_assert(sizeof(MostlyEmpty<std::string>) == sizeof(void*));
  const MostlyEmpty<std::string> none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(*none, "");
}

TEST(MostlyEmpty, CopiesHaveValuesOfTheirOwn) {
  MostlyEmpty<std::vector<int>> one(std::vector{1, 2});
  MostlyEmpty<std::vector<int>> copy = one;
  copy.change().push_back(3);
  EXPECT_EQ(*one, (std::vector{1, 2}));
  EXPECT_EQ(copy.size(), 3U);
  one = copy;
  EXPECT_EQ(one, copy);
  const auto moved = std::move(one);
  EXPECT_EQ(moved.back(), 3);
  copy.clear();
  EXPECT_TRUE(copy.empty());
}

TEST(MostlyEmpty, EqualsNoneIfItsValueWasMadeEmpty) {
  MostlyEmpty<std::string> text;
  text.change();
  EXPECT_EQ(text, MostlyEmpty<std::string>());
  text = "a";
  EXPECT_EQ(text, "a");
  text = "";
  EXPECT_TRUE(text.empty());
}

}  // namespace
}  // namespace cox
