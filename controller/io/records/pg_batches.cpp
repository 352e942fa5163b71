#include "controller/io/records/pg_batches.h"

#include <map>
#include <set>
#include <tuple>

#include "common/base/text.h"
#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

// What all changes of a job in one turn come to: from the state it was in before the turn to what
// it is at its end. The steps between are in its history.
struct JobMove {
  const Job* now = nullptr;
  JobState state_left = JobState::Pending;
  AttemptNumber attempt_left;
};

// What a turn's changes come to. Pointers lead into the turn.
struct Sorted {
  std::map<std::string, const Blob*> blobs;
  std::map<JobId, const Job*> jobs_added;
  std::vector<const Job*> jobs_twice;  // added again: for the database to refuse
  std::map<JobId, JobMove> jobs_moved;
  std::map<JobId, const Job*> jobs_respecified;
  std::vector<JobMove> jobs_astray;  // from where the turn does not have them: likewise
  std::map<AttemptKey, const Attempt*> attempts;
  std::set<AttemptKey> attempts_added;
  std::map<CheckpointKey, const Checkpoint*> checkpoints;
  std::vector<const Checkpoint*> checkpoints_twice;  // added again: for the database to refuse
  std::set<CheckpointKey> checkpoints_added;
  std::vector<const Attempt*> attempts_twice;
  std::map<std::string, const Node*> nodes;
  std::vector<const NodeEvent*> node_events;
  std::map<std::string, const Partition*> partitions;  // null: removed
  std::vector<const JobEvent*> events;
  std::map<JobId, const JobWait*> waits;  // null: over
  std::vector<const StartEstimate*> estimates;
  std::map<AssociationId, const Association*> associations;         // null: removed
  std::map<AssociationId, const Association*> associations_doomed;  // come, and then removed
  std::map<std::string, const Qos*> qos;                            // likewise
  std::map<std::string, const Qos*> qos_doomed;  // come, or changed, and then removed
  std::set<std::string> qos_gone;                // and maybe there again
  std::map<std::string, const QosUsage*> qos_usage;
  std::vector<const RequestAnswered*> answers;
  std::map<std::string, const AdvanceReservation*> reservations;  // null: gone
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
  void operator()(const NodeNoted& c) { node_events.push_back(&c.event); }
  void operator()(const PartitionChanged& c) { partitions[c.partition.name] = &c.partition; }
  void operator()(const PartitionRemoved& c) { partitions[c.name] = nullptr; }
  void operator()(const EventAdded& c) { events.push_back(&c.event); }
  void operator()(const WaitTold& c) { waits[c.wait.job] = &c.wait; }
  void operator()(const WaitOver& c) { waits[c.id] = nullptr; }
  void operator()(const EstimateMet& c) { estimates.push_back(&c.estimate); }
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
  void operator()(const FailoverTold& c) { failovers[c.failover.term] = &c.failover; }
  void operator()(const CrontabPut& c) { crontabs[c.crontab.uid] = &c.crontab; }
  void operator()(const CrontabRemoved& c) { crontabs[c.uid] = nullptr; }
  void operator()(const CronLinePut& c) { cron_lines[key_of(c.line)] = &c.line; }
  void operator()(const CronLineRemoved& c) { cron_lines[c.key] = nullptr; }
  void operator()(const EventTriggerPut& c) { triggers[c.trigger.id] = &c.trigger; }
  void operator()(const EventTriggerRemoved& c) { triggers[c.id] = nullptr; }
};

void add(std::vector<PgStatement>& statements, const char* query, const RowBatch& batch) {
  if (batch.rows() > 0) statements.push_back({query, {batch.text()}});
}

void add_blobs(std::vector<PgStatement>& statements, const Sorted& sorted,
               const std::set<std::string>& known) {
  PgArrayText hashes, contents;
  bool any = false;
  for (const auto& [hash, blob] : sorted.blobs) {
    if (known.contains(hash)) continue;
    any = true;
    hashes.add(hash);
    contents.add(hex_text(blob->content));
  }
  if (!any) return;
  statements.push_back({"blob_insert", {hashes.text(), contents.text()}});
}

void add_jobs(std::vector<PgStatement>& statements, const Sorted& sorted) {
  RowBatch added, moved, astray, respecified;
  for (const auto& [id, job] : sorted.jobs_added) add_job(added, *job);
  for (const Job* job : sorted.jobs_twice) add_job(added, *job);
  for (const auto& [id, move] : sorted.jobs_moved)
    add_guarded_job(moved, *move.now, move.state_left, move.attempt_left);
  for (const JobMove& move : sorted.jobs_astray)
    add_guarded_job(astray, *move.now, move.state_left, move.attempt_left);
  for (const auto& [id, job] : sorted.jobs_respecified) add_job(respecified, *job);
  add(statements, "job_insert", added);
  add(statements, "job_update", moved);
  add(statements, "job_update", astray);
  add(statements, "job_respecify", respecified);
}

void add_attempts(std::vector<PgStatement>& statements, const Sorted& sorted) {
  RowBatch added, changed, nodes, ranks;
  for (const auto& [key, attempt] : sorted.attempts) {
    add_attempt(sorted.attempts_added.contains(key) ? added : changed, *attempt);
    for (std::size_t i = 0; i < attempt->nodes.size(); ++i) add_attempt_node(nodes, *attempt, i);
    for (const RankStatus& rank : attempt->ranks) add_rank(ranks, *attempt, rank);
  }
  for (const Attempt* attempt : sorted.attempts_twice) add_attempt(added, *attempt);
  add(statements, "attempt_update", changed);
  add(statements, "attempt_insert", added);
  add(statements, "attempt_node_upsert", nodes);
  add(statements, "rank_upsert", ranks);
  RowBatch steps;
  for (const auto& [key, step] : sorted.steps) add_step(steps, *step);
  add(statements, "step_upsert", steps);
}

void add_checkpoints(std::vector<PgStatement>& statements, const Sorted& sorted) {
  RowBatch added, changed;
  for (const auto& [key, checkpoint] : sorted.checkpoints)
    add_checkpoint(sorted.checkpoints_added.contains(key) ? added : changed, *checkpoint);
  for (const Checkpoint* checkpoint : sorted.checkpoints_twice) add_checkpoint(added, *checkpoint);
  add(statements, "checkpoint_insert", added);
  add(statements, "checkpoint_update", changed);
}

void add_others(std::vector<PgStatement>& statements, const Sorted& sorted) {
  RowBatch nodes, node_events, partitions, events, failovers;
  for (const auto& [name, node] : sorted.nodes) add_node(nodes, *node);
  for (const NodeEvent* event : sorted.node_events) add_node_event(node_events, *event);
  for (const JobEvent* event : sorted.events) add_event(events, *event);
  std::vector<std::string> partitions_gone;
  for (const auto& [name, partition] : sorted.partitions) {
    if (partition == nullptr) partitions_gone.push_back(name);
    if (partition != nullptr) add_partition(partitions, *partition);
  }
  add(statements, "node_upsert", nodes);
  add(statements, "node_event_insert", node_events);
  add(statements, "partition_upsert", partitions);
  if (!partitions_gone.empty())
    statements.push_back({"partition_delete", {array_text(partitions_gone)}});
  for (const auto& [term, failover] : sorted.failovers) add_failover(failovers, *failover);
  add(statements, "event_insert", events);
  add(statements, "failover_update", failovers);
}

void add_waits(std::vector<PgStatement>& statements, const Sorted& sorted) {
  RowBatch told, met;
  std::vector<JobId> over;
  for (const auto& [id, wait] : sorted.waits) {
    if (wait == nullptr) over.push_back(id);
    if (wait != nullptr) add_wait(told, *wait);
  }
  for (const StartEstimate* estimate : sorted.estimates) add_estimate(met, *estimate);
  add(statements, "wait_upsert", told);
  if (!over.empty()) statements.push_back({"wait_delete", {pg_text(over)}});
  add(statements, "start_estimate_insert", met);
}

void add_accounts(std::vector<PgStatement>& statements, const Sorted& sorted) {
  RowBatch associations, qos, qos_usage, associations_doomed, qos_doomed;
  for (const auto& [id, one] : sorted.associations_doomed)
    add_association(associations_doomed, *one);
  add(statements, "association_upsert", associations_doomed);
  for (const auto& [name, one] : sorted.qos_doomed) add_qos(qos_doomed, *one);
  add(statements, "qos_upsert", qos_doomed);
  std::vector<AssociationId> associations_gone;
  for (const auto& [id, association] : sorted.associations) {
    if (association == nullptr) associations_gone.push_back(id);
    if (association != nullptr) add_association(associations, *association);
  }
  const std::vector<std::string> qos_gone(sorted.qos_gone.begin(), sorted.qos_gone.end());
  for (const auto& [name, one] : sorted.qos)
    if (one != nullptr) add_qos(qos, *one);
  if (!associations_gone.empty())
    statements.push_back({"association_delete", {pg_text(associations_gone)}});
  add(statements, "association_upsert", associations);
  if (!qos_gone.empty()) statements.push_back({"qos_delete", {array_text(qos_gone)}});
  add(statements, "qos_upsert", qos);
  for (const auto& [name, used] : sorted.qos_usage) add_qos_usage(qos_usage, *used);
  add(statements, "qos_used_upsert", qos_usage);
}

void add_answers(std::vector<PgStatement>& statements, const Sorted& sorted) {
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
  statements.push_back(
      {"request_answer",
       {pg_text(ids), array_text(by), array_text(commands), pg_text(refused), array_text(lines)}});
}

void add_reservations(std::vector<PgStatement>& statements, const Sorted& sorted) {
  RowBatch put, events;
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
  add(statements, "reservation_upsert", put);
  if (!gone.empty()) statements.push_back({"reservation_delete", {array_text(gone)}});
  add(statements, "reservation_event_insert", events);
}

// Adds the statements for crontabs. Lines are deleted before their crontabs and inserted after
// them.
void add_crontabs(std::vector<PgStatement>& statements, const Sorted& sorted) {
  RowBatch crontabs, lines;
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
    statements.push_back({"crontab_line_delete", {pg_text(uids), pg_text(first_lines)}});
  if (!gone.empty()) statements.push_back({"crontab_delete", {pg_text(gone)}});
  add(statements, "crontab_upsert", crontabs);
  add(statements, "crontab_line_upsert", lines);
}

void add_triggers(std::vector<PgStatement>& statements, const Sorted& sorted) {
  RowBatch put;
  std::vector<EventTriggerId> gone;
  for (const auto& [id, one] : sorted.triggers) {
    if (one == nullptr) gone.push_back(id);
    if (one != nullptr) add_event_trigger(put, *one);
  }
  add(statements, "event_trigger_upsert", put);
  if (!gone.empty()) statements.push_back({"event_trigger_delete", {pg_text(gone)}});
}

}  // namespace

std::vector<PgStatement> turn_statements(const Turn& turn, std::int64_t session,
                                         const std::set<std::string>& known) {
  Sorted sorted;
  for (const Change& change : turn.changes) std::visit(sorted, change);
  std::vector<PgStatement> statements;
  statements.push_back(
      {"begin_turn", {pg_text(turn.term), pg_text(turn.number), pg_text(session)}});
  add_blobs(statements, sorted, known);
  add_jobs(statements, sorted);
  add_attempts(statements, sorted);
  add_checkpoints(statements, sorted);
  add_others(statements, sorted);
  add_waits(statements, sorted);
  add_accounts(statements, sorted);
  add_answers(statements, sorted);
  add_reservations(statements, sorted);
  add_crontabs(statements, sorted);
  add_triggers(statements, sorted);
  if (!turn.blobs_wanted.empty()) statements.push_back(blobs_wanted(turn));
  return statements;
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
