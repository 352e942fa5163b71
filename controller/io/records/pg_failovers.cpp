// Writes and reads rows of cox.failover, and reads the turn row as a new leader finds it.
#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

template <class Row, class Visit>
void failover_columns(Row& f, Visit& v) {
  v("term", f.term);
  v("to_timeline", f.to_timeline);
  v("from_timeline", f.from_timeline);
  v("found_at", f.found);
  v("turns_lost", f.turns_lost);
  v("lost_from", f.lost_from);
  v("lost_until", f.lost_until);
  v("first_lost_job", f.first_lost_job);
  v("first_new_job", f.first_new_job);
  v("jobs_lost", f.jobs_lost);
  v("attempts_lost", f.attempts_lost);
  v("settled_at", f.settled);
}

}  // namespace

void add_failover(RowBatch& batch, const Failover& failover) {
  failover_columns(failover, batch);
  batch.end_row();
}

std::vector<Failover> failovers_from(const PgRows& rows) {
  std::vector<Failover> failovers;
  RowReader reader(rows);
  while (reader.next()) failover_columns(failovers.emplace_back(), reader);
  return failovers;
}

TurnFound turn_found_from(const PgRows& rows) {
  TurnFound found;
  RowReader reader(rows);
  CHECK(reader.next());
  reader("term", found.term);
  reader("turn", found.turn);
  reader("session", found.session);
  reader("job_id_floor", found.id_floor);
  reader("taken_at", found.taken);
  reader("timeline_noted", found.timeline_noted);
  reader("timeline", found.timeline);
  reader("replayed", found.replayed);
  reader("first_job", found.first_job);
  reader("next_job", found.next_job);
  reader("last_began", found.last_began);
  reader("incarnation_noted", found.incarnation_noted);
  reader("incarnation", found.incarnation);
  reader("last_commit", found.last_commit);
  reader("same_server", found.is_same_server);
  return found;
}

}  // namespace cox
