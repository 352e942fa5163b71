// A user's crontab, as scrontab of Slurm has it: a text, and of each of its lines that asks for
// jobs the job that stands for it now. Rows of cox.crontab and cox.crontab_line, and the
// controller's memory of them. Pure.
//
//   pending job of a line ──its time comes──▶ it runs ──it ends──▶ the next job of the line,
//                                                                 pending until the next time
//
// While a line is there it has exactly one job that has not ended. A line goes when the crontab is
// replaced or removed, or when its job is cancelled (scancel --cron).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/ids.h"
#include "common/time.h"

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

// The user, and the line's first line in the text.
using CronLineKey = std::pair<std::uint32_t, std::int32_t>;

struct CronLine {
  std::uint32_t uid = 0;
  // Lines of the text, from 1: with its #SCRON lines.
  std::int32_t first_line = 0;
  std::int32_t last_line = 0;
  std::string schedule;  // five fields (cron_schedule.h)
  JobId job;             // that waits for the line's next time, or runs
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.uid, self.first_line, self.last_line, self.schedule, self.job);
  }
  bool operator==(const CronLine&) const = default;
};

inline CronLineKey key_of(const CronLine& line) {
  return {line.uid, line.first_line};
}

// What stands before a line that scancel --cron has ended, and before one that is refused.
inline constexpr std::string_view disabled_mark = "#DISABLED: ";
inline constexpr std::string_view bad_mark = "#BAD: ";

// The text with the mark before each of these lines, which count from 1.
std::string with_marked_lines(std::string_view text, std::int32_t first, std::int32_t last,
                              std::string_view mark);

// How many lines it has; the last one may lack its end.
std::int32_t line_count(std::string_view text);

}  // namespace cox
