// The tiers, which people change in the database, and their limits.
#include "controller/io/pg_records.h"

namespace cox {
namespace {

// What an administrator wrote there has passed cox.is_tres; a count beyond all that can be is none.
void read_tres(RowReader& reader, const char* column, TresList& list) {
  std::string text;
  reader(column, text);
  if (auto parsed = parse_tres(text)) list = std::move(*parsed);
}

void read_limits(RowReader& reader, QosLimits& limits) {
  read_tres(reader, "grp_tres", limits.grp_tres);
  reader("grp_jobs", limits.grp_jobs);
  reader("grp_submit_jobs", limits.grp_submit_jobs);
  read_tres(reader, "max_tres_per_user", limits.max_tres_per_user);
  reader("max_jobs_per_user", limits.max_jobs_per_user);
  reader("max_submit_jobs_per_user", limits.max_submit_jobs_per_user);
  read_tres(reader, "max_tres_per_job", limits.max_tres_per_job);
  read_tres(reader, "min_tres_per_job", limits.min_tres_per_job);
  reader("max_wall_s", limits.max_wall_s);
}

}  // namespace

std::vector<Qos> qos_from(const PgRows& rows) {
  std::vector<Qos> all;
  RowReader reader(rows);
  while (reader.next()) {
    Qos& qos = all.emplace_back();
    reader("name", qos.name);
    reader("tier", qos.tier);
    reader("preempt_mode", qos.preempt_mode);
    reader("grace_ms", qos.grace_ms);
    reader("preempt_weight", qos.preempt_weight);
    reader("preempt_exempt_time_s", qos.preempt_exempt_time_s);
    read_limits(reader, qos.limits);
  }
  return all;
}

}  // namespace cox
