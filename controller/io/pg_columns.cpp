#include "controller/io/pg_columns.h"

#include <algorithm>
#include <cstdio>

namespace cox {

std::string_view name(JobForm form) {
  return form == JobForm::Gang ? "gang" : form == JobForm::Batch ? "batch" : "allocation";
}
std::string_view name(CheckpointBy who) {
  return who == CheckpointBy::AllRanks ? "all_ranks" : "rank0";
}

std::string timestamp_text(Wall t) {
  using namespace std::chrono;
  constexpr auto first = sys_days{year{1} / January / 1}.time_since_epoch();
  constexpr auto end = sys_days{year{10000} / January / 1}.time_since_epoch();
  const Milliseconds since_epoch =
      std::clamp(t.time_since_epoch(), Milliseconds{first}, Milliseconds{end} - Milliseconds{1});
  const sys_time<Milliseconds> at{since_epoch};
  const auto day = floor<days>(at);
  const year_month_day date{day};
  const hh_mm_ss<Milliseconds> time{at - day};
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d:%02d.%03d+00",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                static_cast<int>(time.subseconds().count()));
  return text;
}

Wall wall_from_timestamp(std::string_view text) {
  using namespace std::chrono;
  int y = 0, hour = 0, minute = 0;
  unsigned month_number = 0, day_number = 0;
  double second = 0;
  // The session's DateStyle is ISO and its TimeZone UTC: session_settings.sql.
  const int found = std::sscanf(std::string(text).c_str(), "%d-%u-%u %d:%d:%lf+00", &y,
                                &month_number, &day_number, &hour, &minute, &second);
  CHECK(found == 6);
  const sys_days date{year{y} / month{month_number} / day{day_number}};
  const auto in_day = hours{hour} + minutes{minute} + round<Milliseconds>(duration<double>{second});
  return Wall{duration_cast<Milliseconds>(date.time_since_epoch()) + in_day};
}

int RowReader::next_column(const char* name) {
  if (column_ == columns_.size()) columns_.push_back(rows_.column(name));
  return columns_[column_++];
}

}  // namespace cox
