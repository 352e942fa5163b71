// A user's crontab, as in scrontab of Slurm: its text, and the current job of each line that asks
// for jobs. These are rows of cox.crontab and cox.crontab_line, which the controller also keeps in
// memory. Pure.
//
//   pending job of a line ──its time comes──▶ it runs ──it ends──▶ the next job of the line,
//                                                                 pending until the next time
//
// A line always has exactly one job that has not ended. A line is deleted when the crontab is
// replaced or removed, or when the line's job is cancelled (scancel --cron).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/ids.h"
#include "common/base/time.h"

namespace cox {

struct Crontab {
  std::uint32_t uid = 0;
  std::string user_name;
  std::string text;
  Wall changed{};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.uid, self.user_name, self.text, self.changed);
  }
  bool operator==(const Crontab&) const = default;
};

// The uid of the user, and the line's first line in the text.
using CronLineKey = std::pair<std::uint32_t, std::int32_t>;

struct CronLine {
  std::uint32_t uid = 0;
  // Line numbers in the text, from 1. They include the #SCRON lines.
  std::int32_t first_line = 0;
  std::int32_t last_line = 0;
  std::string schedule;  // five fields (cron_schedule.h)
  JobId job;             // waits for the line's next time, or runs
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.uid, self.first_line, self.last_line, self.schedule, self.job);
  }
  bool operator==(const CronLine&) const = default;
};

inline CronLineKey key_of(const CronLine& line) {
  return {line.uid, line.first_line};
}

// These mark a line that scancel --cron has disabled, and a line that was refused.
inline constexpr std::string_view disabled_mark = "#DISABLED: ";
inline constexpr std::string_view bad_mark = "#BAD: ";

// Returns the text with the mark before the lines `first` to `last`, which count from 1.
std::string with_marked_lines(std::string_view text, std::int32_t first, std::int32_t last,
                              std::string_view mark);

// Returns the number of lines. The last line may lack a newline.
std::int32_t line_count(std::string_view text);

}  // namespace cox
