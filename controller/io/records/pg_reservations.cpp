// Rows of cox.reservation and its events.
#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

template <class Row, class Visit>
void reservation_columns(Row& r, Visit& v) {
  v("name", r.name);
  v("begin_at", r.begin);
  v("end_at", r.end);
  v("recurrence", r.recurrence);
  v("nodes", r.nodes);
  v("nodes_asked", r.nodes_asked);
  v("node_count", r.node_count);
  v("features", r.features);
  v("tres", r.tres);
  v("partition", r.partition);
  v("users", r.users);
  v("accounts", r.accounts);
  v("qos", r.qos);
  v("maint", r.maint);
  v("magnetic", r.magnetic);
  v("flex", r.flex);
  v("overlap", r.overlap);
  v("ignore_jobs", r.ignore_jobs);
  v("changed_at", r.changed);
  v("changed_by", r.changed_by);
  v("static_alloc", r.static_alloc);
  v("replace_down", r.replace_down);
  v("purge_idle_s", r.purge_idle_s);
}

}  // namespace

void add_reservation(RowBatch& batch, const AdvanceReservation& reservation) {
  reservation_columns(reservation, batch);
  batch.end_row();
}

void add_reservation_event(RowBatch& batch, const std::string& name, Wall at,
                           const std::string& what, const std::string& actor) {
  batch.generated("sequence");
  batch("reservation", name);
  batch("at", at);
  batch("what", what);
  batch("actor", actor);
  batch.end_row();
}

std::vector<AdvanceReservation> reservations_from(const PgRows& rows) {
  std::vector<AdvanceReservation> reservations;
  RowReader reader(rows);
  while (reader.next()) reservation_columns(reservations.emplace_back(), reader);
  return reservations;
}

}  // namespace cox
