// Tests how COX_CRASH_AT is parsed, such as "store.after_commit@Start:3": the place where a process
// crashes for a test, optionally an event of the turn in which it crashes, and at which passing of
// that place.
#include "common/io/crash_point.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(CrashPoint, NamesAPlaceAndOptionallyAnEventAndTheNumberOfThePass) {
  const CrashWish plain = read_crash_wish("store.after_commit");
  EXPECT_EQ(plain.name, "store.after_commit");
  EXPECT_EQ(plain.nth, 1);
  EXPECT_TRUE(is_at(plain, "store.after_commit", {}));
  EXPECT_TRUE(is_at(plain, "store.after_commit", {"Start"}));
  EXPECT_FALSE(is_at(plain, "store.before_commit", {}));

  const CrashWish wish = read_crash_wish("store.after_commit@Start:3");
  EXPECT_EQ(wish.nth, 3);
  EXPECT_TRUE(is_at(wish, "store.after_commit", {"GangReady", "Start"}));
  EXPECT_FALSE(is_at(wish, "store.after_commit", {"GangReady"}));
  EXPECT_FALSE(is_at(wish, "store.after_commit", {}));
}

TEST(CrashPoint, AnEmptyVariableCrashesNowhere) {
  EXPECT_FALSE(is_at(read_crash_wish(""), "", {}));
  EXPECT_FALSE(is_at(read_crash_wish(""), "store.after_commit", {}));
}

}  // namespace
}  // namespace cox
