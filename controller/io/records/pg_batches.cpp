#include "controller/io/records/pg_batches.h"

#include <map>
#include <set>
#include <tuple>

#include "common/base/text.h"
#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

// A larger batch of new jobs is sent as several, so that the server inserts some of them while the
// rows of others are made.
constexpr std::size_t batch_bytes = std::size_t{256} << 10;

// All changes of a job in one turn, combined into one: from the job's state before the turn
// (`state_left`, `attempt_left`) to its row at the end. The states between are only in the job's
// history.
struct JobMove {
  const Job* now = nullptr;
  JobState state_left = JobState::Pending;
  AttemptNumber attempt_left;
};

// The changes of a turn, sorted by kind, with one entry for each row. The pointers point into the
// turn.
struct Sorted {
  std::map<std::string, const Blob*> blobs;
  std::map<JobId, const Job*> jobs_added;
  // Jobs that the turn adds a second time; the database refuses them.
  std::vector<const Job*> jobs_twice;
  std::map<JobId, JobMove> jobs_moved;
  std::map<JobId, const Job*> jobs_respecified;
  // Changes from a state that the job does not have in this turn; the database refuses them.
  std::vector<JobMove> jobs_astray;
  std::map<AttemptKey, const Attempt*> attempts;
  std::set<AttemptKey> attempts_added;
  std::map<CheckpointKey, const Checkpoint*> checkpoints;
  // Checkpoints that the turn adds a second time; the database refuses them.
  std::vector<const Checkpoint*> checkpoints_twice;
  std::set<CheckpointKey> checkpoints_added;
  std::vector<const Attempt*> attempts_twice;
  std::map<std::string, const Node*> nodes;
  std::vector<const NodeEvent*> node_events;
  std::map<std::string, const Partition*> partitions;  // null: removed
  std::vector<const JobEvent*> events;
  // The new pending reason; null: the row of cox.job_wait is deleted.
  std::map<JobId, const JobWait*> waits;
  std::vector<const StartEstimate*> estimates;
  std::map<AssociationId, const Association*> associations;  // null: removed
  // Associations that the turn puts and then removes.
  std::map<AssociationId, const Association*> associations_doomed;
  std::map<std::string, const Qos*> qos;         // null: removed
  std::map<std::string, const Qos*> qos_doomed;  // QOS that the turn puts and then removes
  // Names of QOS that the turn removes; it may put some of them again.
  std::set<std::string> qos_gone;
  std::map<std::string, const QosUsage*> qos_usage;
  std::vector<const RequestAnswered*> answers;
  std::map<std::string, const AdvanceReservation*> reservations;  // null: removed
  std::vector<const ReservationPut*> reservations_put;
  std::map<StepKey, const Step*> steps;
  std::vector<const ReservationRemoved*> reservations_removed;
  std::map<Term, const Failover*> failovers;
  std::map<std::uint32_t, const Crontab*> crontabs;        // null: deleted
  std::map<CronLineKey, const CronLine*> cron_lines;       // null: deleted
  std::map<EventTriggerId, const EventTrigger*> triggers;  // null: deleted

  void operator()(const JobAdded& c) {
    if (!jobs_added.emplace(c.job.id, &c.job).second) jobs_twice.push_back(&c.job);
    if (c.script) blobs[c.script->hash] = &*c.script;
    if (c.environment) blobs[c.environment->hash] = &*c.environment;
  }
  void operator()(const JobChanged& c) {
    const JobMove move{&c.job, c.state_left, c.attempt_left};
    const auto added = jobs_added.find(c.job.id);
    const auto moved = jobs_moved.find(c.job.id);
    const Job* before = added != jobs_added.end()   ? added->second
                        : moved != jobs_moved.end() ? moved->second.now
                                                    : nullptr;
    if (before == nullptr) {
      jobs_moved.emplace(c.job.id, move);
    } else if (before->state != c.state_left || before->attempt != c.attempt_left) {
      jobs_astray.push_back(move);
    } else {
      (added != jobs_added.end() ? added->second : moved->second.now) = &c.job;
    }
  }
  void operator()(const JobRespecified& c) {
    const auto added = jobs_added.find(c.job.id);
    (added != jobs_added.end() ? added->second : jobs_respecified[c.job.id]) = &c.job;
  }
  void operator()(const AttemptAdded& c) {
    if (!attempts_added.insert(c.attempt.key).second) attempts_twice.push_back(&c.attempt);
    attempts[c.attempt.key] = &c.attempt;
  }
  void operator()(const AttemptChanged& c) { attempts[c.attempt.key] = &c.attempt; }
  void operator()(const CheckpointAdded& c) {
    if (!checkpoints_added.insert(key_of(c.checkpoint)).second)
      checkpoints_twice.push_back(&c.checkpoint);
    checkpoints[key_of(c.checkpoint)] = &c.checkpoint;
  }
  void operator()(const CheckpointChanged& c) { checkpoints[key_of(c.checkpoint)] = &c.checkpoint; }
  void operator()(const NodeChanged& c) { nodes[c.node.name] = &c.node; }
  void operator()(const NodeEventAdded& c) { node_events.push_back(&c.event); }
  void operator()(const PartitionChanged& c) { partitions[c.partition.name] = &c.partition; }
  void operator()(const PartitionRemoved& c) { partitions[c.name] = nullptr; }
  void operator()(const EventAdded& c) { events.push_back(&c.event); }
  void operator()(const WaitPut& c) { waits[c.wait.job] = &c.wait; }
  void operator()(const WaitRemoved& c) { waits[c.id] = nullptr; }
  void operator()(const EstimateResolved& c) { estimates.push_back(&c.estimate); }
  void operator()(const AssociationPut& c) { associations[c.association.id] = &c.association; }
  void operator()(const AssociationRemoved& c) {
    const auto came = associations.find(c.id);
    if (came != associations.end() && came->second != nullptr)
      associations_doomed[c.id] = came->second;
    associations[c.id] = nullptr;
  }
  void operator()(const QosPut& c) { qos[c.qos.name] = &c.qos; }
  void operator()(const QosRemoved& c) {
    const auto came = qos.find(c.name);
    if (came != qos.end() && came->second != nullptr) qos_doomed[c.name] = came->second;
    qos[c.name] = nullptr;
    qos_usage.erase(c.name);
    qos_gone.insert(c.name);
  }
  void operator()(const QosUsed& c) { qos_usage[c.usage.qos] = &c.usage; }
  void operator()(const RequestAnswered& c) { answers.push_back(&c); }
  void operator()(const JobForgotten&) {}
  void operator()(const StepPut& c) { steps[c.step.key] = &c.step; }
  void operator()(const ReservationPut& c) {
    reservations[c.reservation.name] = &c.reservation;
    reservations_put.push_back(&c);
  }
  void operator()(const ReservationRemoved& c) {
    reservations[c.name] = nullptr;
    reservations_removed.push_back(&c);
  }
  void operator()(const FailoverChanged& c) { failovers[c.failover.term] = &c.failover; }
  void operator()(const CrontabPut& c) { crontabs[c.crontab.uid] = &c.crontab; }
  void operator()(const CrontabRemoved& c) { crontabs[c.uid] = nullptr; }
  void operator()(const CronLinePut& c) { cron_lines[key_of(c.line)] = &c.line; }
  void operator()(const CronLineRemoved& c) { cron_lines[c.key] = nullptr; }
  void operator()(const EventTriggerPut& c) { triggers[c.trigger.id] = &c.trigger; }
  void operator()(const EventTriggerRemoved& c) { triggers[c.id] = nullptr; }
};

// Makes and sends the statements of one turn.
class TurnSender {
 public:
  TurnSender(const PgRowTypes& types, const SendStatement& send) : types_(types), send_(send) {}

  RowBatch rows(const char* query) const { return {types_, query}; }
  void add(RowBatch batch) {
    if (!batch.empty()) send_(std::move(batch).statement());
  }
  void add(const PgStatement& statement) { send_(statement); }

 private:
  const PgRowTypes& types_;
  const SendStatement& send_;
};

void add_blobs(TurnSender& to, const Sorted& sorted, const std::set<std::string>& known) {
  PgArrayText hashes, contents;
  bool any = false;
  for (const auto& [hash, blob] : sorted.blobs) {
    if (known.contains(hash)) continue;
    any = true;
    hashes.add(hash);
    contents.add(hex_text(blob->content));
  }
  if (!any) return;
  to.add(PgStatement{"blob_insert", {hashes.text(), contents.text()}});
}

// Adds rows of jobs. Jobs of one request often share their specification.
class JobRows {
 public:
  void add(RowBatch& batch, const Job& job) {
    if (!spec_ || !spec_->is(job.spec)) {
      spec_ = job.spec;
      columns_ = spec_columns_of(*job.spec);
    }
    add_job(batch, job, columns_);
  }

 private:
  std::optional<Shared<ParsedSpec>> spec_;
  SpecColumns columns_;
};

void add_jobs(TurnSender& to, const Sorted& sorted) {
  RowBatch added = to.rows("job_insert");
  RowBatch moved = to.rows("job_update");
  RowBatch astray = to.rows("job_update");
  RowBatch respecified = to.rows("job_respecify");
  JobRows rows;
  for (const auto& [id, job] : sorted.jobs_added) {
    rows.add(added, *job);
    if (added.bytes() >= batch_bytes) to.add(std::exchange(added, to.rows("job_insert")));
  }
  for (const Job* job : sorted.jobs_twice) rows.add(added, *job);
  for (const auto& [id, move] : sorted.jobs_moved)
    add_guarded_job(moved, *move.now, move.state_left, move.attempt_left);
  for (const JobMove& move : sorted.jobs_astray)
    add_guarded_job(astray, *move.now, move.state_left, move.attempt_left);
  for (const auto& [id, job] : sorted.jobs_respecified) rows.add(respecified, *job);
  to.add(std::move(added));
  to.add(std::move(moved));
  to.add(std::move(astray));
  to.add(std::move(respecified));
}

void add_attempts(TurnSender& to, const Sorted& sorted) {
  RowBatch added = to.rows("attempt_insert");
  RowBatch changed = to.rows("attempt_update");
  RowBatch nodes = to.rows("attempt_node_upsert");
  RowBatch ranks = to.rows("rank_upsert");
  for (const auto& [key, attempt] : sorted.attempts) {
    add_attempt(sorted.attempts_added.contains(key) ? added : changed, *attempt);
    for (std::size_t i = 0; i < attempt->nodes.size(); ++i) add_attempt_node(nodes, *attempt, i);
    for (const RankStatus& rank : attempt->ranks) add_rank(ranks, *attempt, rank);
  }
  for (const Attempt* attempt : sorted.attempts_twice) add_attempt(added, *attempt);
  to.add(std::move(changed));
  to.add(std::move(added));
  to.add(std::move(nodes));
  to.add(std::move(ranks));
  RowBatch steps = to.rows("step_upsert");
  for (const auto& [key, step] : sorted.steps) add_step(steps, *step);
  to.add(std::move(steps));
}

void add_checkpoints(TurnSender& to, const Sorted& sorted) {
  RowBatch added = to.rows("checkpoint_insert");
  RowBatch changed = to.rows("checkpoint_update");
  for (const auto& [key, checkpoint] : sorted.checkpoints)
    add_checkpoint(sorted.checkpoints_added.contains(key) ? added : changed, *checkpoint);
  for (const Checkpoint* checkpoint : sorted.checkpoints_twice) add_checkpoint(added, *checkpoint);
  to.add(std::move(added));
  to.add(std::move(changed));
}

void add_others(TurnSender& to, const Sorted& sorted) {
  RowBatch nodes = to.rows("node_upsert");
  RowBatch node_events = to.rows("node_event_insert");
  RowBatch partitions = to.rows("partition_upsert");
  RowBatch events = to.rows("event_insert");
  RowBatch failovers = to.rows("failover_update");
  for (const auto& [name, node] : sorted.nodes) add_node(nodes, *node);
  for (const NodeEvent* event : sorted.node_events) add_node_event(node_events, *event);
  for (const JobEvent* event : sorted.events) add_event(events, *event);
  std::vector<std::string> partitions_gone;
  for (const auto& [name, partition] : sorted.partitions) {
    if (partition == nullptr) partitions_gone.push_back(name);
    if (partition != nullptr) add_partition(partitions, *partition);
  }
  to.add(std::move(nodes));
  to.add(std::move(node_events));
  to.add(std::move(partitions));
  if (!partitions_gone.empty())
    to.add(PgStatement{"partition_delete", {array_text(partitions_gone)}});
  for (const auto& [term, failover] : sorted.failovers) add_failover(failovers, *failover);
  to.add(std::move(events));
  to.add(std::move(failovers));
}

void add_waits(TurnSender& to, const Sorted& sorted) {
  RowBatch changed_waits = to.rows("wait_upsert");
  RowBatch new_estimates = to.rows("start_estimate_insert");
  std::vector<JobId> over;
  for (const auto& [id, wait] : sorted.waits) {
    if (wait == nullptr) over.push_back(id);
    if (wait != nullptr) add_wait(changed_waits, *wait);
  }
  for (const StartEstimate* estimate : sorted.estimates) add_estimate(new_estimates, *estimate);
  to.add(std::move(changed_waits));
  if (!over.empty()) to.add(PgStatement{"wait_delete", {pg_text(over)}});
  to.add(std::move(new_estimates));
}

void add_accounts(TurnSender& to, const Sorted& sorted) {
  RowBatch associations = to.rows("association_upsert");
  RowBatch qos = to.rows("qos_upsert");
  RowBatch qos_usage = to.rows("qos_used_upsert");
  RowBatch associations_doomed = to.rows("association_upsert");
  RowBatch qos_doomed = to.rows("qos_upsert");
  for (const auto& [id, one] : sorted.associations_doomed)
    add_association(associations_doomed, *one);
  to.add(std::move(associations_doomed));
  for (const auto& [name, one] : sorted.qos_doomed) add_qos(qos_doomed, *one);
  to.add(std::move(qos_doomed));
  std::vector<AssociationId> associations_gone;
  for (const auto& [id, association] : sorted.associations) {
    if (association == nullptr) associations_gone.push_back(id);
    if (association != nullptr) add_association(associations, *association);
  }
  const std::vector<std::string> qos_gone(sorted.qos_gone.begin(), sorted.qos_gone.end());
  for (const auto& [name, one] : sorted.qos)
    if (one != nullptr) add_qos(qos, *one);
  if (!associations_gone.empty())
    to.add(PgStatement{"association_delete", {pg_text(associations_gone)}});
  to.add(std::move(associations));
  if (!qos_gone.empty()) to.add(PgStatement{"qos_delete", {array_text(qos_gone)}});
  to.add(std::move(qos));
  for (const auto& [name, used] : sorted.qos_usage) add_qos_usage(qos_usage, *used);
  to.add(std::move(qos_usage));
}

void add_answers(TurnSender& to, const Sorted& sorted) {
  if (sorted.answers.empty()) return;
  std::vector<std::int64_t> ids;
  std::vector<std::string> by, commands, lines;
  std::vector<bool> refused;
  for (const RequestAnswered* answer : sorted.answers) {
    ids.push_back(answer->id);
    by.push_back(answer->by);
    commands.push_back(answer->command);
    refused.push_back(answer->refused);
    lines.push_back(joined(answer->lines, "\n"));
  }
  to.add(PgStatement{
      "request_answer",
      {pg_text(ids), array_text(by), array_text(commands), pg_text(refused), array_text(lines)}});
}

void add_reservations(TurnSender& to, const Sorted& sorted) {
  RowBatch put = to.rows("reservation_upsert");
  RowBatch events = to.rows("reservation_event_insert");
  std::vector<std::string> gone;
  for (const auto& [name, one] : sorted.reservations) {
    if (one == nullptr) gone.push_back(name);
    if (one != nullptr) add_reservation(put, *one);
  }
  for (const ReservationPut* one : sorted.reservations_put)
    add_reservation_event(events, one->reservation.name, one->reservation.changed, one->what,
                          one->reservation.changed_by);
  for (const ReservationRemoved* one : sorted.reservations_removed)
    add_reservation_event(events, one->name, one->at, one->what, one->actor);
  to.add(std::move(put));
  if (!gone.empty()) to.add(PgStatement{"reservation_delete", {array_text(gone)}});
  to.add(std::move(events));
}

// Adds the statements for crontabs. Lines are deleted before their crontabs and inserted after
// them.
void add_crontabs(TurnSender& to, const Sorted& sorted) {
  RowBatch crontabs = to.rows("crontab_upsert");
  RowBatch lines = to.rows("crontab_line_upsert");
  std::vector<std::int64_t> gone, uids, first_lines;
  for (const auto& [uid, crontab] : sorted.crontabs) {
    if (crontab == nullptr) gone.push_back(uid);
    if (crontab != nullptr) add_crontab(crontabs, *crontab);
  }
  for (const auto& [key, line] : sorted.cron_lines) {
    if (line != nullptr) {
      add_cron_line(lines, *line);
      continue;
    }
    uids.push_back(key.first);
    first_lines.push_back(key.second);
  }
  if (!uids.empty())
    to.add(PgStatement{"crontab_line_delete", {pg_text(uids), pg_text(first_lines)}});
  if (!gone.empty()) to.add(PgStatement{"crontab_delete", {pg_text(gone)}});
  to.add(std::move(crontabs));
  to.add(std::move(lines));
}

void add_triggers(TurnSender& to, const Sorted& sorted) {
  RowBatch put = to.rows("event_trigger_upsert");
  std::vector<EventTriggerId> gone;
  for (const auto& [id, one] : sorted.triggers) {
    if (one == nullptr) gone.push_back(id);
    if (one != nullptr) add_event_trigger(put, *one);
  }
  to.add(std::move(put));
  if (!gone.empty()) to.add(PgStatement{"event_trigger_delete", {pg_text(gone)}});
}

}  // namespace

void send_turn(const Turn& turn, std::int64_t session, const std::set<std::string>& known,
               const PgRowTypes& types, const SendStatement& send) {
  Sorted sorted;
  for (const Change& change : turn.changes) std::visit(sorted, change);
  TurnSender to(types, send);
  to.add(PgStatement{"begin_turn", {pg_text(turn.term), pg_text(turn.number), pg_text(session)}});
  add_blobs(to, sorted, known);
  add_jobs(to, sorted);
  add_attempts(to, sorted);
  add_checkpoints(to, sorted);
  add_others(to, sorted);
  add_waits(to, sorted);
  add_accounts(to, sorted);
  add_answers(to, sorted);
  add_reservations(to, sorted);
  add_crontabs(to, sorted);
  add_triggers(to, sorted);
  if (!turn.blobs_wanted.empty()) to.add(blobs_wanted(turn));
}

std::vector<std::string> hashes_brought(const Turn& turn) {
  std::vector<std::string> hashes;
  for (const Change& change : turn.changes) {
    const auto* added = std::get_if<JobAdded>(&change);
    if (added == nullptr) continue;
    if (added->script) hashes.push_back(added->script->hash);
    if (added->environment) hashes.push_back(added->environment->hash);
  }
  return hashes;
}

PgStatement blobs_wanted(const Turn& turn) {
  return {"blobs_wanted", {array_text(turn.blobs_wanted)}};
}

}  // namespace cox
