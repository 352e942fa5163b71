// Tests that times and sizes that users write in changes of jobs and reservations are converted
// before the controller receives them.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "client/submit/job_changes.h"
#include "client/submit/reservation_settings.h"
#include "common/base/moment_text.h"

namespace cox {
namespace {

// 2026-11-22 12:00 in a zone one hour ahead of UTC.
LocalTime noon_of_changes() {
  return {*parse_moment("2026-11-22T11:00:00Z"), {3600, {}}};
}

// Returns the change as the command sends it to the controller, "NAME=VALUE", or the refusal.
std::string settled_change(std::string name, std::string value) {
  std::vector<std::string> names{"Comment", std::move(name)};
  std::vector<std::string> values{"first", std::move(value)};
  if (const Failure wrong = resolve_job_changes(names, values, noon_of_changes()))
    return wrong->fact + "; " + wrong->hint;
  EXPECT_EQ(names[0] + "=" + values[0], "Comment=first");
  return names[1] + "=" + values[1];
}

TEST(JobChanges, convert_times_to_utc_and_sizes_to_megabytes) {
  for (const auto& [name, value, settled] :
       {std::tuple{"StartTime", "2026-12-01T08:00", "StartTime=2026-12-01T07:00:00Z"},
        {"EligibleTime", "13:00", "EligibleTime=2026-11-22T12:00:00Z"},
        {"EndTime", "now+1hour", "EndTime=2026-11-22T12:00:00Z"},
        {"deadline", "tomorrow", "deadline=2026-11-22T23:00:00Z"},
        {"StartTime", "2026-12-01T08:00:00Z", "StartTime=2026-12-01T08:00:00Z"},
        {"MinMemoryNode", "2G", "MinMemoryNode=2048"},
        {"TimeLimit", "tomorrow", "TimeLimit=tomorrow"},
        {"MinMemoryCPU", "2G", "MinMemoryCPU=2G"}})
    EXPECT_EQ(settled_change(name, value), settled) << name;
  EXPECT_TRUE(settled_change("StartTime", "sunday").starts_with("Invalid StartTime value: "));
  EXPECT_TRUE(settled_change("MinMemoryNode", "2X")
                  .starts_with("Invalid MinMemoryNode value: \"2X\" is not a memory size; write a "
                               "whole number of MB"));
}

TEST(JobChanges, move_a_sign_after_the_name_before_the_value) {
  EXPECT_EQ(settled_change("TimeLimit+", "30"), "TimeLimit=+30");
  EXPECT_EQ(settled_change("TimeLimit-", "30"), "TimeLimit=-30");
  EXPECT_EQ(settled_change("+", "30"), "+=30");
  EXPECT_EQ(settled_change("-", "30"), "-=30");
  EXPECT_EQ(settled_change("T+", "30"), "T=+30");
  EXPECT_EQ(settled_change("", "30"), "=30");
}

TEST(ReservationSettings, convert_times_to_utc) {
  std::vector<std::string> settings{"StartTime=13:00", "EndTime=2026-11-22T13:00:00Z",
                                    "Nodes=n[1-2]",    "Comment=13:00",
                                    "StartTime",       "endtime=tomorrow"};
  EXPECT_FALSE(resolve_reservation_moments(settings, noon_of_changes()).has_value());
  EXPECT_EQ(settings,
            (std::vector<std::string>{
                "StartTime=2026-11-22T12:00:00Z", "EndTime=2026-11-22T13:00:00Z", "Nodes=n[1-2]",
                "Comment=13:00", "StartTime", "endtime=2026-11-22T23:00:00Z"}));
  std::vector<std::string> wrong{"StartTime=someday"};
  EXPECT_TRUE(resolve_reservation_moments(wrong, noon_of_changes()).has_value());
}

TEST(ReservationSettings, may_have_the_name_anywhere) {
  const auto named = [](std::string name, std::vector<std::string> settings) {
    resolve_reservation_name(name, settings);
    std::string text = name + ":";
    for (const std::string& setting : settings) text += " " + setting;
    return text;
  };
  EXPECT_EQ(named("class", {"Nodes=n1", "Users=ada"}), "class: Nodes=n1 Users=ada");
  EXPECT_EQ(named("ReservationName=class", {"Nodes=n1"}), "class: Nodes=n1");
  EXPECT_EQ(named("Nodes=n1", {"Users=ada", "reservationname=class"}), "class: Users=ada Nodes=n1");
  EXPECT_EQ(named("ReservationNames=x", {}), "ReservationNames=x:");
}

}  // namespace
}  // namespace cox
