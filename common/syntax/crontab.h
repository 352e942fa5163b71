// A user's crontab, as in scrontab of Slurm: its text, and the current job of each line with a
// command. These are rows of cox.crontab and cox.crontab_line, which the controller also keeps in
// memory. Pure.
//
//   pending job of a line ──its time comes──▶ it runs ──it ends──▶ the next job of the line,
//                                                                 pending until the next time
//
// Each line always has exactly one job that has not ended. A line (CronLine) is deleted when the
// crontab is replaced or removed, or when the line's job is cancelled (scancel --cron).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/time.h"

namespace cox {

struct Crontab {
  std::uint32_t uid = 0;
  std::string user_name;
  std::string text;
  Wall changed{};
  COX_FIELDS(uid, user_name, text, changed);
  bool operator==(const Crontab&) const = default;
};

// Identifies a line: the uid of the user, and the number of the line's first line in the text.
using CronLineKey = std::pair<std::uint32_t, std::int32_t>;

struct CronLine {
  std::uint32_t uid = 0;
  // Its first and last line in the text, counted from 1. The #SCRON lines before the command belong
  // to it.
  std::int32_t first_line = 0;
  std::int32_t last_line = 0;
  std::string schedule;  // five fields (cron_schedule.h)
  JobId job;             // the pending or running job of this line
  COX_FIELDS(uid, first_line, last_line, schedule, job);
  bool operator==(const CronLine&) const = default;
};

inline CronLineKey key_of(const CronLine& line) {
  return {line.uid, line.first_line};
}

// disabled_mark is put before a line that scancel --cron has disabled, bad_mark before a line that
// was refused.
inline constexpr std::string_view disabled_mark = "#DISABLED: ";
inline constexpr std::string_view bad_mark = "#BAD: ";

// Returns the text with `mark` in front of the lines `first` to `last`, which count from 1.
std::string with_marked_lines(std::string_view text, std::int32_t first, std::int32_t last,
                              std::string_view mark);

// Returns the number of lines in the text. The last line need not end in a newline.
std::int32_t line_count(std::string_view text);

}  // namespace cox
