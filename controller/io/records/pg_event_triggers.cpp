// Writes and reads rows of cox.event_trigger.
#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

template <class Row, class Visit>
void event_trigger_columns(Row& t, Visit& v) {
  v("id", t.id);
  v("event", t.event);
  v("job_id", t.job);
  v("nodes", t.nodes);
  v("offset_s", t.offset_s);
  v("program", t.program);
  v("permanent", t.permanent);
  v("user_name", t.user_name);
  v("uid", t.uid);
  v("gid", t.gid);
  v("set_at", t.set_at);
  v("due_at", t.due);
  v("happened_on", t.happened_on);
}

}  // namespace

void add_event_trigger(RowBatch& batch, const EventTrigger& trigger) {
  event_trigger_columns(trigger, batch);
  batch.end_row();
}

std::vector<EventTrigger> event_triggers_from(const PgRows& rows) {
  std::vector<EventTrigger> triggers;
  RowReader reader(rows);
  while (reader.next()) event_trigger_columns(triggers.emplace_back(), reader);
  return triggers;
}

}  // namespace cox
