// Writes and reads rows of accounts and QOS, with their limits and use.
#include "common/base/fields.h"
#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

// Visits all columns of a QOS in the order of the table.
template <class Row, class Visit>
void qos_columns(Row& q, Visit& v) {
  v("name", q.name);
  v("tier", q.tier);
  v("grace_ms", q.grace_ms);
  v("preempt_mode", q.preempt_mode);
  v("preempt_weight", q.preempt_weight);
  v("preempt_exempt_time_s", q.preempt_exempt_time_s);
  each_field(q.limits, v);
}

template <class Limits, class Visit>
void association_limit_columns(Limits& l, Visit& v) {
  v("grp_tres", l.grp_tres);
  v("grp_jobs", l.grp_jobs);
  v("grp_submit_jobs", l.grp_submit_jobs);
  v("grp_tres_mins", l.grp_tres_mins);
  v("grp_wall_s", l.grp_wall_s);
  v("max_tres_per_job", l.max_tres_per_job);
  v("max_tres_mins_per_job", l.max_tres_mins_per_job);
  v("max_jobs", l.max_jobs);
  v("max_submit_jobs", l.max_submit_jobs);
  v("max_wall_s", l.max_wall_s);
}

// The usage of an account or a QOS, as parallel arrays.
struct UsageColumns {
  std::vector<std::string> tres;
  std::vector<double> seconds;
};

template <class Row, class Usage, class Visit>
void association_columns(Row& a, Usage& usage, Visit& v) {
  v("id", a.id);
  v("account", a.account);
  v("user_name", a.user_name);
  v("partition", a.partition);
  v("parent", a.parent);
  v("shares", a.shares);
  v("shares_of_parent", a.shares_of_parent);
  v("is_default", a.is_default);
  v("qos", a.qos);
  v("default_qos", a.default_qos);
  v("description", a.description);
  v("organization", a.organization);
  association_limit_columns(a.limits, v);
  v("usage_tres", usage.tres);
  v("usage_seconds", usage.seconds);
  v("usage_at", a.usage_at);
  v("guarantee", a.limits.guarantee);
  v("deserved", a.limits.deserved);
  v("coordinators", a.coordinators);
}

template <class Row, class Usage, class Visit>
void qos_usage_columns(Row& u, Usage& usage, Visit& v) {
  v("qos", u.qos);
  v("usage_tres", usage.tres);
  v("usage_seconds", usage.seconds);
  v("usage_at", u.at);
}

UsageColumns columns_of(const std::vector<TresUsage>& all) {
  UsageColumns usage;
  for (const TresUsage& used : all) {
    usage.tres.push_back(used.tres);
    usage.seconds.push_back(used.seconds);
  }
  return usage;
}

std::vector<TresUsage> usage_from(const UsageColumns& columns) {
  std::vector<TresUsage> all;
  for (std::size_t i = 0; i < columns.tres.size(); ++i)
    all.push_back({columns.tres[i], columns.seconds[i]});
  return all;
}

}  // namespace

void add_qos(RowBatch& batch, const Qos& qos) {
  qos_columns(qos, batch);
  batch.end_row();
}

std::vector<Qos> qos_from(const PgRows& rows) {
  std::vector<Qos> all;
  RowReader reader(rows);
  while (reader.next()) qos_columns(all.emplace_back(), reader);
  return all;
}

void add_association(RowBatch& batch, const Association& association) {
  const UsageColumns usage = columns_of(association.usage);
  association_columns(association, usage, batch);
  batch.end_row();
}

void add_qos_usage(RowBatch& batch, const QosUsage& used) {
  const UsageColumns usage = columns_of(used.usage);
  qos_usage_columns(used, usage, batch);
  batch.end_row();
}

std::vector<QosUsage> qos_usage_from(const PgRows& rows) {
  std::vector<QosUsage> all;
  RowReader reader(rows);
  while (reader.next()) {
    UsageColumns usage;
    qos_usage_columns(all.emplace_back(), usage, reader);
    all.back().usage = usage_from(usage);
  }
  return all;
}

std::vector<Association> associations_from(const PgRows& rows) {
  std::vector<Association> all;
  RowReader reader(rows);
  while (reader.next()) {
    Association& association = all.emplace_back();
    UsageColumns usage;
    association_columns(association, usage, reader);
    association.usage = usage_from(usage);
  }
  return all;
}

std::vector<SqlRequest> requests_from(const PgRows& rows) {
  std::vector<SqlRequest> all;
  RowReader reader(rows);
  while (reader.next()) {
    SqlRequest& asked = all.emplace_back();
    reader("id", asked.id);
    reader("asked_by", asked.by);
    reader("command", asked.command);
  }
  return all;
}

}  // namespace cox
