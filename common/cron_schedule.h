// When a line of a crontab is due: its five fields, or a word such as @daily, as scrontab of Slurm
// 24.11 reads them. Pure; clients check what people write, the controller computes the times.
//
//   minute hour day-of-month month day-of-week      "1-5,30 8-17/2 * * wed"
//
// Where both days are given (neither is *), a day matches that fits either of them. A step /N means
// each N-th value that the field can have, counted from the field's first value, as in Slurm: the
// hours of 9-17/2 are 10, 12, 14, 16.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/result.h"
#include "common/time.h"
#include "common/time_zone.h"

namespace cox {

struct CronField {
  std::uint64_t values = 0;  // bit N: the value N
  bool any = false;          // written as *
  bool has(std::int64_t value) const { return (values >> value & 1) != 0; }
  bool operator==(const CronField&) const = default;
};

struct CronSchedule {
  CronField minute;   // 0-59
  CronField hour;     // 0-23
  CronField day;      // of the month, 1-31
  CronField month;    // 1-12
  CronField weekday;  // 0-6, from Sunday
  bool operator==(const CronSchedule&) const = default;
};

// A line of a crontab that is no comment: when, and the command behind it.
struct CronCommand {
  CronSchedule schedule;
  std::string request;  // when, as written
  std::string command;  // without the blanks before it; not empty
};
Result<CronCommand> parse_cron_line(std::string_view line);

// The five fields alone.
Result<CronSchedule> parse_cron_schedule(std::string_view text);
// In that form: "0,20,40 * * * *".
std::string format_cron_schedule(const CronSchedule& schedule);

// Returns the first minute later than `after` that matches by the local time of the zone. A local
// time that comes twice, because clocks are set back, counts once. Where clocks are set forward
// over a local time that matches, the minute after the gap is returned. Nothing: no day ever
// matches.
std::optional<Wall> next_cron_time(const CronSchedule& schedule, const TimeZone& zone, Wall after);

}  // namespace cox
