#include "controller/state/time_of_day.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

Now at(std::int64_t boot_ms, std::int64_t wall_ms) {
  return {boot_from_ms(boot_ms), wall_from_ms(wall_ms)};
}

constexpr std::int64_t hour_ms = 3'600'000;

TEST(TimeOfDay, AStepOfMoreThanAnHourIsInDoubtUntilItIsUndone) {
  TimeOfDay time;
  time.note(at(0, 100 * hour_ms));
  time.note(at(48 * hour_ms, 148 * hour_ms));
  EXPECT_EQ(time.doubt(), "") << "the time has passed";
  time.note(at(48 * hour_ms + 1, 149 * hour_ms));
  EXPECT_EQ(time.doubt(), "") << "within the hour";
  time.note(at(48 * hour_ms + 2, 150 * hour_ms));
  EXPECT_EQ(time.doubt(), "has stepped forward by 1 h since this controller was started");
  time.note(at(49 * hour_ms, 8'909 * hour_ms));
  EXPECT_EQ(time.doubt(), "has stepped forward by 8760 h since this controller was started");
  time.note(at(49 * hour_ms, 9 * hour_ms));
  EXPECT_EQ(time.doubt(), "has stepped back by 140 h since this controller was started");
  time.note(at(50 * hour_ms, 150 * hour_ms));
  EXPECT_EQ(time.doubt(), "");
}

TEST(TimeOfDay, AClockThatDiffersFromTheDatabasesIsInDoubt) {
  TimeOfDay time;
  time.note_database(wall_from_ms(100 * hour_ms), at(0, 101 * hour_ms));
  EXPECT_EQ(time.doubt(), "");
  time.note_database(wall_from_ms(100 * hour_ms), at(0, 103 * hour_ms));
  EXPECT_EQ(time.doubt(), "is 3 h ahead of the clock of the database's server");
  time.note_database(wall_from_ms(103 * hour_ms), at(0, 100 * hour_ms));
  EXPECT_EQ(time.doubt(), "is 3 h behind the clock of the database's server");
}

}  // namespace
}  // namespace cox
