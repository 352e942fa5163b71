// Writes and reads rows of cox.crontab and cox.crontab_line.
#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

template <class Row, class Visit>
void crontab_columns(Row& c, Visit& v) {
  v("uid", c.uid);
  v("user_name", c.user_name);
  v("text", c.text);
  v("changed_at", c.changed);
}

template <class Row, class Visit>
void cron_line_columns(Row& l, Visit& v) {
  v("uid", l.uid);
  v("first_line", l.first_line);
  v("last_line", l.last_line);
  v("schedule", l.schedule);
  v("job_id", l.job);
}

}  // namespace

void add_crontab(RowBatch& batch, const Crontab& crontab) {
  crontab_columns(crontab, batch);
  batch.end_row();
}

void add_cron_line(RowBatch& batch, const CronLine& line) {
  cron_line_columns(line, batch);
  batch.end_row();
}

std::vector<Crontab> crontabs_from(const PgRows& rows) {
  std::vector<Crontab> crontabs;
  RowReader reader(rows);
  while (reader.next()) crontab_columns(crontabs.emplace_back(), reader);
  return crontabs;
}

std::vector<CronLine> cron_lines_from(const PgRows& rows) {
  std::vector<CronLine> lines;
  RowReader reader(rows);
  while (reader.next()) cron_line_columns(lines.emplace_back(), reader);
  return lines;
}

}  // namespace cox
