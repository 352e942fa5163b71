#include "common/base/time_zone.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "common/base/moment_text.h"
#include "common/io/local_zone.h"

namespace cox {
namespace {

constexpr std::int64_t hour = 3600;

std::int64_t seconds_of(const std::string& moment) {
  return to_ms(*parse_moment(moment)) / 1000;
}

Wall moment_at(const std::string& moment) {
  return *parse_moment(moment);
}

const TimeZone berlin{
    hour,
    {{seconds_of("2026-03-29T01:00:00Z"), 2 * hour}, {seconds_of("2026-10-25T01:00:00Z"), hour}}};

TEST(TimeZone, shows_local_time) {
  EXPECT_EQ(local_seconds({}, moment_at("2026-11-26T10:00:00Z")),
            seconds_of("2026-11-26T10:00:00Z"));
  EXPECT_EQ(local_seconds(berlin, moment_at("2026-03-29T00:59:59Z")),
            seconds_of("2026-03-29T01:59:59Z"));
  EXPECT_EQ(local_seconds(berlin, moment_at("2026-03-29T01:00:00Z")),
            seconds_of("2026-03-29T03:00:00Z"));
  EXPECT_EQ(local_seconds(berlin, moment_at("2026-10-25T01:00:00Z")),
            seconds_of("2026-10-25T02:00:00Z"));
  EXPECT_EQ(local_seconds({}, wall_from_ms(-1)), -1);
}

TEST(TimeZone, finds_the_first_moment_of_a_local_time) {
  const auto moment = [](const std::string& local) {
    return moment_text(moment_of_local(berlin, seconds_of(local)));
  };
  EXPECT_EQ(moment("2026-01-01T00:00:00Z"), "2025-12-31T23:00:00Z");
  EXPECT_EQ(moment("2026-07-01T00:00:00Z"), "2026-06-30T22:00:00Z");
  EXPECT_EQ(moment("2026-03-29T02:30:00Z"), "2026-03-29T01:00:00Z") << "the clock skips this time";
  EXPECT_EQ(moment("2026-03-29T03:00:00Z"), "2026-03-29T01:00:00Z");
  EXPECT_EQ(moment("2026-10-25T02:30:00Z"), "2026-10-25T00:30:00Z") << "this time occurs twice";
  EXPECT_EQ(moment("2026-10-25T03:00:00Z"), "2026-10-25T02:00:00Z");
  EXPECT_EQ(moment("2030-01-01T00:00:00Z"), "2029-12-31T23:00:00Z");
}

// Sets the environment variable TZ, and restores it in the destructor.
class InZone {
 public:
  explicit InZone(const char* zone) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    ::setenv("TZ", zone, 1);
  }
  ~InZone() {
    if (before_.empty())
      ::unsetenv("TZ");
    else
      ::setenv("TZ", before_.c_str(), 1);
    read_local_zone(moment_at("2026-01-01T00:00:00Z"));  // makes libc read TZ again
  }

 private:
  std::string before_;
};

TEST(TimeZone, reads_the_zone_of_this_machine) {
  const InZone there("CET-1CEST,M3.5.0,M10.5.0/3");
  const TimeZone read = read_local_zone(moment_at("2026-11-26T10:00:00Z"));
  ASSERT_GE(read.changes.size(), 2U * ZoneYears{}.ahead);
  for (const std::string moment : {"2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z",
                                   "2026-10-25T00:59:59Z", "2026-10-25T01:00:00Z"})
    EXPECT_EQ(local_seconds(read, moment_at(moment)), local_seconds(berlin, moment_at(moment)))
        << moment;
  for (std::size_t i = 1; i < read.changes.size(); ++i)
    EXPECT_LT(read.changes[i - 1].at_s, read.changes[i].at_s);
}

TEST(TimeZone, reads_a_zone_without_changes) {
  const InZone there("EST5");
  EXPECT_EQ(read_local_zone(moment_at("2026-11-26T10:00:00Z")), (TimeZone{-5 * hour, {}}));
}

}  // namespace
}  // namespace cox
