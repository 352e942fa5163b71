// The schedule of a crontab line: five fields, or a word such as @daily, as in scrontab of Slurm
// 24.11. Clients parse lines; the controller computes the times of jobs. Pure.
//
//   minute hour day-of-month month day-of-week      "1-5,30 8-17/2 * * wed"
//
// If both day fields are given (neither is *), a day matches if either field matches it. As in
// Slurm, /N means every N-th value of the field, counted from the field's lowest possible value:
// the hours of 9-17/2 are 10, 12, 14, 16.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/base/time_zone.h"

namespace cox {

struct CronField {
  std::uint64_t values = 0;  // bit N is set if the value N matches
  bool any = false;          // whether the field was written as *
  bool has(std::int64_t value) const { return (values >> value & 1) != 0; }
  bool operator==(const CronField&) const = default;
};

struct CronSchedule {
  CronField minute;   // 0-59
  CronField hour;     // 0-23
  CronField day;      // day of the month, 1-31
  CronField month;    // 1-12
  CronField weekday;  // 0-6; 0 is Sunday
  bool operator==(const CronSchedule&) const = default;
};

// A crontab line with a schedule and a command.
struct CronCommand {
  CronSchedule schedule;
  std::string request;  // the text of the schedule, as written
  std::string command;  // the rest of the line, without blanks in front; not empty
};
Result<CronCommand> parse_cron_line(std::string_view line);

// Parses five fields; a command after them is refused.
Result<CronSchedule> parse_cron_schedule(std::string_view text);
// Writes the five fields: "0,20,40 * * * *".
std::string format_cron_schedule(const CronSchedule& schedule);

// Returns the first minute after `after` whose local time in the zone matches the schedule. If
// clocks are set back, a local time that occurs twice counts once. If clocks are set forward over a
// matching local time, it returns the first minute after the gap. It returns nothing if no day ever
// matches.
std::optional<Wall> next_cron_time(const CronSchedule& schedule, const TimeZone& zone, Wall after);

}  // namespace cox
