#include "controller/io/records/pg_records.h"

#include <algorithm>
#include <map>

#include "common/resources/gres.h"

namespace cox {
namespace {

struct ResumeColumns {
  std::optional<AttemptNumber> attempt;
  std::optional<std::int64_t> step;
  std::optional<JobId> job;
};

// The metrics that a job reports with its progress, as parallel arrays.
struct MetricColumns {
  std::vector<std::string> name, value;
};

template <class Row, class Resume, class Metrics, class Visit>
void attempt_columns(Row& a, Resume& resume, Metrics& metrics, Visit& v) {
  v("job_id", a.key.job);
  v("attempt", a.key.attempt);
  v.generated("state");
  v("master_port", a.master_port);
  v("resume_attempt", resume.attempt);
  v("resume_step", resume.step);
  v("stop_why", a.stop.why);
  v("stop_ask_checkpoint", a.stop.ask_checkpoint);
  v("stop_grace_ms", a.stop.grace_ms);
  v("stop_kill_wait_ms", a.stop.kill_wait_ms);
  v("stop_detail", a.stop.detail);
  v("began_at", a.began);
  v("went_at", a.went);
  v("stop_asked_at", a.stop_asked);
  v("ended_at", a.ended);
  v("outcome", a.outcome);
  v("time_limit_s", a.time_limit_s);
  v("fills", a.fills);
  v("suspension", a.suspension.number);
  v("suspended", a.suspension.suspended);
  v("suspended_at", a.suspended_at);
  v("suspended_ms", a.suspended_ms);
  v("resumed_at", a.resumed);
  v("partition", a.partition);
  v("resume_job", resume.job);
  v("progress_step", a.progress.step);
  v("progress_total", a.progress.total);
  v("progress_at", a.progress.at);
  v("progress_first_step", a.progress.first_step);
  v("progress_first_at", a.progress.first_at);
  v("metric_name", metrics.name);
  v("metric_value", metrics.value);
  v("finished", a.finished);
  v("saves_set_aside", a.saves_set_aside);
  v("resume_job_step", a.resume_job_step);
  v("resume_command_hash", a.resume_command_hash);
}

template <class Key, class Position, class Row, class Visit>
void attempt_node_columns(Key& key, Position& position, Row& n, Visit& v) {
  v("job_id", key.job);
  v("attempt", key.attempt);
  v("position", position);
  v("node", n.grant.node);
  v("phase", n.phase);
  v("first_rank", n.grant.first_rank);
  v("ranks", n.grant.ranks);
  v("cpus", n.grant.cpus);
  v("memory_mb", n.grant.memory_mb);
  v("gpus", n.grant.gpus);
  v("revision", n.revision);
  v("note", n.note);
  v("gpu_milli", n.grant.gpu_milli);
  v("suspension", n.suspension);
  usage_columns(n.usage, v);
  v("component", n.grant.component);
  v("given_back_at", n.given_back);
}

// The training steps that a rank has saved, as parallel arrays.
struct SavedColumns {
  std::vector<std::int64_t> step, bytes, files;
  std::vector<bool> after_stop, by_exit;
};

template <class Key, class Row, class Saved, class Visit>
void rank_columns(Key& key, Row& r, Saved& saved, Visit& v) {
  v("job_id", key.job);
  v("attempt", key.attempt);
  v("rank", r.rank);
  v("phase", r.phase);
  v("exit_code", r.exit_code);
  v("exit_signal", r.exit_signal);
  v("started_at", r.started);
  v("ended_at", r.ended);
  v("saved_step", saved.step);
  v("saved_bytes", saved.bytes);
  v("saved_files", saved.files);
  v("saved_after_stop", saved.after_stop);
  v("output_from", r.output_from);
  v("error_from", r.error_from);
  v("saved_by_exit", saved.by_exit);
  v("asked_to_stop", r.asked_to_stop);
  v("save_unknown", r.save_unknown);
}

template <class Row, class Visit>
void checkpoint_columns(Row& c, Visit& v) {
  v("job_id", c.key.job);
  v("attempt", c.key.attempt);
  v("step", c.step);
  v("bytes", c.bytes);
  v("files", c.files);
  v("committed_at", c.committed);
  v("damaged", c.damaged);
  v("pruned", c.pruned);
  v("removed_at", c.removed);
  v("by_exit", c.by_exit);
  v("damaged_in", c.damaged_in);
  v("set_aside", c.set_aside);
  v("job_step", c.job_step);
  v("command_hash", c.command_hash);
}

// The GPUs of a node as parallel arrays, one element for each GPU; and its other GRES in the syntax
// of --gres.
struct GresColumns {
  std::vector<std::int32_t> index, island;
  std::vector<std::string> type, uuid;
  std::string others;  // GRES other than GPUs
};

// A node's failures as parallel arrays.
struct FailureColumns {
  std::vector<JobId> jobs;
  std::vector<Wall> at;
};

template <class Row, class Gres, class Failures, class Visit>
void node_columns(Row& n, Gres& gres, Failures& failures, Visit& v) {
  v("name", n.name);
  v.generated("state");
  v("drained", n.drained);
  v("responding", n.responding);
  v("reason", n.reason);
  v("cpus", n.total.cpus);
  v("memory_mb", n.total.memory_mb);
  v("features", n.features);
  v("gpu_index", gres.index);
  v("gpu_type", gres.type);
  v("gpu_uuid", gres.uuid);
  v("address", n.address);
  v("log_endpoint", n.log_endpoint);
  v("log_key", n.log_key);
  v("boot_id", n.boot_id);
  v("version", n.version);
  v("changed_at", n.changed);
  v("gres", gres.others);
  v("gpu_island", gres.island);
  v("weight", n.weight);
  v("drained_by", n.drained_by);
  v("returned_at", n.returned);
  v("failure_jobs", failures.jobs);
  v("failure_at", failures.at);
  v("set_down", n.set_down);
  v("reason_by", n.reason_by);
  v("spool_id", n.spool_id);
}

template <class Row, class Visit>
void node_event_columns(Row& e, Visit& v) {
  v.generated("sequence");
  v("node", e.node);
  v("at", e.at);
  v("what", e.what);
  v("why", e.why);
  v("actor", e.actor);
}

template <class Row, class Visit>
void event_columns(Row& e, Visit& v) {
  v.generated("sequence");
  v("job_id", e.job);
  v("attempt", e.attempt);
  v("at", e.at);
  v("what", e.what);
  v("state", e.state);
  v("why", e.why);
  v("actor", e.actor);
}

template <class Row, class Visit>
void wait_columns(Row& w, Visit& v) {
  v("job_id", w.job);
  v("reason", w.reason);
  v("detail", w.detail);
  v("lines", w.lines);
  v("expected_start_at", w.expected_start);
  v("first_judged_at", w.first_evaluated);
  v("last_judged_at", w.last_evaluated);
  v("first_estimate_at", w.first_estimate);
  v("first_estimate_made_at", w.first_estimate_made);
  v("priority", w.priority);
  v("priority_of_age", w.priority_of_age);
  v("age_full_s", w.age_full_s);
}

template <class Row, class Visit>
void estimate_columns(Row& e, Visit& v) {
  v("job_id", e.job);
  v("attempt", e.attempt);
  v("estimated_at", e.estimated);
  v("actual_at", e.actual);
  v("made_at", e.made);
}

using AttemptsByKey = std::map<AttemptKey, Attempt*>;

void read_attempt_nodes(const PgRows& rows, const AttemptsByKey& attempts) {
  RowReader reader(rows);
  while (reader.next()) {
    AttemptKey key;
    std::int32_t position = 0;
    AttemptNode node;
    attempt_node_columns(key, position, node, reader);
    Attempt& attempt = *attempts.at(key);
    CHECK(static_cast<std::size_t>(position) == attempt.nodes.size());
    attempt.nodes.push_back(std::move(node));
  }
}

void read_ranks(const PgRows& rows, const AttemptsByKey& attempts) {
  RowReader reader(rows);
  while (reader.next()) {
    AttemptKey key;
    RankStatus rank;
    SavedColumns saved;
    rank_columns(key, rank, saved, reader);
    for (std::size_t i = 0; i < saved.step.size(); ++i)
      rank.saved.push_back(
          {saved.step[i], saved.bytes[i], saved.files[i], saved.after_stop[i], saved.by_exit[i]});
    attempts.at(key)->ranks.push_back(std::move(rank));
  }
}

template <class Row, class Visit>
void kept_checkpoint_columns(Row& k, Visit& v) {
  checkpoint_columns(k.checkpoint, v);
  v("identity", k.identity);
  v("name", k.job_name);
  v("user_name", k.user_name);
  v("uid", k.uid);
  v("state", k.state);
  v("ended_at", k.ended);
  v("ranks", k.ranks);
  v("array_job", k.array_job);
  v("array_task", k.array_task);
}

}  // namespace

void add_attempt(RowBatch& batch, const Attempt& attempt) {
  ResumeColumns resume;
  if (attempt.resume) resume = {attempt.resume->attempt, attempt.resume->step, std::nullopt};
  if (attempt.resume && attempt.resume->job != JobId{}) resume.job = attempt.resume->job;
  MetricColumns metrics;
  for (const ProgressMetric& metric : attempt.progress.metrics) {
    metrics.name.push_back(metric.name);
    metrics.value.push_back(metric.value);
  }
  attempt_columns(attempt, resume, metrics, batch);
  batch.end_row();
}

void add_attempt_node(RowBatch& batch, const Attempt& attempt, std::size_t position) {
  attempt_node_columns(attempt.key, position, attempt.nodes[position], batch);
  batch.end_row();
}

void add_rank(RowBatch& batch, const Attempt& attempt, const RankStatus& rank) {
  SavedColumns saved;
  for (const SavedStep& s : rank.saved) {
    saved.step.push_back(s.step);
    saved.bytes.push_back(s.bytes);
    saved.files.push_back(s.files);
    saved.after_stop.push_back(s.after_stop);
    saved.by_exit.push_back(s.by_exit);
  }
  rank_columns(attempt.key, rank, saved, batch);
  batch.end_row();
}

void add_checkpoint(RowBatch& batch, const Checkpoint& checkpoint) {
  checkpoint_columns(checkpoint, batch);
  batch.end_row();
}

void add_node(RowBatch& batch, const Node& node) {
  GresColumns gres;
  for (const GpuDevice& gpu : node.total.gpus) {
    gres.index.push_back(gpu.index);
    gres.type.push_back(gpu.type);
    gres.uuid.push_back(gpu.uuid);
    gres.island.push_back(gpu.island);
  }
  if (!node.total.gres.empty()) gres.others = format_gres({{}, node.total.gres});
  FailureColumns failures;
  for (const NodeFailure& one : node.failures) {
    failures.jobs.push_back(one.job);
    failures.at.push_back(one.at);
  }
  node_columns(node, gres, failures, batch);
  batch.end_row();
}

void add_node_event(RowBatch& batch, const NodeEvent& event) {
  node_event_columns(event, batch);
  batch.end_row();
}

void add_event(RowBatch& batch, const JobEvent& event) {
  event_columns(event, batch);
  batch.end_row();
}

std::vector<Attempt> attempts_from(const PgRows& attempts, const PgRows& nodes,
                                   const PgRows& ranks) {
  std::vector<Attempt> all(static_cast<std::size_t>(attempts.size()));
  AttemptsByKey by_key;
  RowReader reader(attempts);
  for (Attempt& attempt : all) {
    CHECK(reader.next());
    ResumeColumns resume;
    MetricColumns metrics;
    attempt_columns(attempt, resume, metrics, reader);
    for (std::size_t i = 0; i < std::min(metrics.name.size(), metrics.value.size()); ++i)
      attempt.progress.metrics.push_back({metrics.name[i], metrics.value[i]});
    if (resume.attempt)
      attempt.resume =
          ResumeFrom{*resume.attempt, resume.step.value(), resume.job.value_or(JobId{})};
    by_key.emplace(attempt.key, &attempt);
  }
  read_attempt_nodes(nodes, by_key);
  read_ranks(ranks, by_key);
  return all;
}

std::vector<KeptCheckpoint> kept_checkpoints_from(const PgRows& rows) {
  std::vector<KeptCheckpoint> kept;
  RowReader reader(rows);
  while (reader.next()) kept_checkpoint_columns(kept.emplace_back(), reader);
  return kept;
}

std::vector<Checkpoint> checkpoints_from(const PgRows& rows) {
  std::vector<Checkpoint> checkpoints;
  RowReader reader(rows);
  while (reader.next()) checkpoint_columns(checkpoints.emplace_back(), reader);
  return checkpoints;
}

std::vector<Node> nodes_from(const PgRows& rows) {
  std::vector<Node> nodes;
  RowReader reader(rows);
  while (reader.next()) {
    Node& node = nodes.emplace_back();
    GresColumns gres;
    FailureColumns failures;
    node_columns(node, gres, failures, reader);
    for (std::size_t i = 0; i < failures.jobs.size(); ++i)
      node.failures.push_back({failures.jobs[i], failures.at[i]});
    // Rows written by older versions have no islands.
    gres.island.resize(gres.index.size(), gpu_island_unknown);
    for (std::size_t i = 0; i < gres.index.size(); ++i)
      node.total.gpus.push_back({gres.index[i], gres.type[i], gres.uuid[i], gres.island[i]});
    if (const auto others = parse_gres(gres.others.empty() ? "none" : gres.others))
      node.total.gres = others->others;
  }
  return nodes;
}

std::vector<JobEvent> events_from(const PgRows& rows) {
  std::vector<JobEvent> events;
  RowReader reader(rows);
  while (reader.next()) {
    JobEvent& event = events.emplace_back();
    event_columns(event, reader);
    reader("sequence", event.sequence);
  }
  return events;
}

void add_wait(RowBatch& batch, const JobWait& wait) {
  wait_columns(wait, batch);
  batch.end_row();
}

void add_estimate(RowBatch& batch, const StartEstimate& estimate) {
  estimate_columns(estimate, batch);
  batch.end_row();
}

std::vector<JobWait> waits_from(const PgRows& rows) {
  std::vector<JobWait> waits;
  RowReader reader(rows);
  while (reader.next()) wait_columns(waits.emplace_back(), reader);
  return waits;
}

std::vector<StartEstimate> estimates_from(const PgRows& rows) {
  std::vector<StartEstimate> estimates;
  RowReader reader(rows);
  while (reader.next()) estimate_columns(estimates.emplace_back(), reader);
  return estimates;
}

std::vector<Blob> blobs_from(const PgRows& rows) {
  std::vector<Blob> blobs;
  for (int row = 0; row < rows.size(); ++row)
    blobs.push_back({std::string(rows.cell(row, "hash").value()),
                     bytes_of_hex(rows.cell(row, "content").value())});
  return blobs;
}

}  // namespace cox
