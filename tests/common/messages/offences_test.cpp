// Tests how a listener mutes a peer that breaks the rules of the protocol: for a time that doubles
// with each offence. Other peers are not affected.
#include "common/messages/offences.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"

namespace cox {
namespace {

Boot at_s(std::int64_t seconds) {
  return boot_from_ms(seconds * 1000);
}

TEST(Offences, MuteTheConnectionForATimeThatDoubles) {
  Offences offences;
  EXPECT_EQ(offences.note("c1", "ann", at_s(100)), at_s(110));
  EXPECT_EQ(offences.muted_until("c1", "ann", at_s(109)), at_s(110));
  EXPECT_FALSE(offences.muted_until("c1", "ann", at_s(110))) << "the time is over";
  EXPECT_FALSE(offences.muted_until("c2", "ann", at_s(101))) << "her other connection is not muted";
  EXPECT_EQ(offences.note("c1", "ann", at_s(120)), at_s(140));
  Boot until{};
  for (int i = 0; i < 20; ++i) until = offences.note("c1", "ann", at_s(200));
  EXPECT_EQ(until, at_s(200 + limits::mute_most_s));
  EXPECT_EQ(offences.count(), 22);
  EXPECT_EQ(offences.dropped(), 1);
}

TEST(Offences, MuteAUserWhoOffendsWithManyConnections) {
  Offences offences;
  for (int i = 0; i < limits::offences_tolerated_max; ++i) {
    offences.note("c" + std::to_string(i), "ann", at_s(0));
    EXPECT_FALSE(offences.muted_until("next", "ann", at_s(0)));
  }
  offences.note("c", "ann", at_s(1));
  EXPECT_EQ(offences.muted_until("next", "ann", at_s(2)), at_s(1 + limits::mute_first_s));
  EXPECT_FALSE(offences.muted_until("other", "bob", at_s(2)));
}

TEST(Offences, AreForgottenAfterATimeWithoutOffences) {
  Offences offences;
  for (int i = 0; i < 5; ++i) offences.note("c", "ann", at_s(0));
  const std::int64_t later = 160 + limits::mute_forgotten_s;
  EXPECT_EQ(offences.note("c", "ann", at_s(later)), at_s(later + limits::mute_first_s));
}

TEST(Offences, AreKeptForALimitedNumberOfConnections) {
  Offences offences;
  offences.note("first", "ann", at_s(0));
  for (std::size_t i = 0; i + 2 < limits::offenders_kept_max; ++i)
    offences.note("c" + std::to_string(i), "ann", at_s(0));
  EXPECT_TRUE(offences.muted_until("first", "bob", at_s(1)));
  offences.note("one more", "ann", at_s(0));
  EXPECT_FALSE(offences.muted_until("first", "bob", at_s(1)));
}

TEST(Offences, AreLoggedOnceASecond) {
  Offences offences;
  EXPECT_EQ(offences.log_due(boot_from_ms(0)), 0);
  for (int i = 1; i < 1000; ++i) EXPECT_FALSE(offences.log_due(boot_from_ms(i)));
  EXPECT_EQ(offences.log_due(boot_from_ms(1000)), 999);
}

}  // namespace
}  // namespace cox
