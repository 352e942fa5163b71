// Our rows as tables of PostgreSQL, both ways. The columns of each stand once, in pg_records.cpp
// (those of jobs in pg_jobs.cpp), in the order of the table: rows are handed over as values of its
// type.
#pragma once

#include <vector>

#include "common/cluster/event_trigger.h"
#include "common/cluster/node.h"
#include "common/cluster/partition.h"
#include "common/job/attempt.h"
#include "common/job/job.h"
#include "common/job/job_event.h"
#include "common/syntax/crontab.h"
#include "controller/change/job_records.h"
#include "controller/change/store.h"
#include "controller/io/postgres/pg_columns.h"

namespace cox {

// What processes took, by the names of its columns in every table.
template <class Usage, class Visit>
void usage_columns(Usage& usage, Visit& v) {
  v("user_cpu_ms", usage.user_cpu_ms);
  v("system_cpu_ms", usage.system_cpu_ms);
  v("max_rss_kb", usage.max_rss_kb);
}

// One row each, into a batch.
void add_job(RowBatch& batch, const Job& job);
void add_guarded_job(RowBatch& batch, const Job& job, JobState state_left,
                     AttemptNumber attempt_left);
void add_attempt(RowBatch& batch, const Attempt& attempt);
void add_attempt_node(RowBatch& batch, const Attempt& attempt, std::size_t position);
void add_rank(RowBatch& batch, const Attempt& attempt, const RankStatus& rank);
void add_checkpoint(RowBatch& batch, const Checkpoint& checkpoint);
void add_node(RowBatch& batch, const Node& node);
void add_node_event(RowBatch& batch, const NodeEvent& event);
void add_partition(RowBatch& batch, const Partition& partition);
void add_failover(RowBatch& batch, const Failover& failover);
void add_event(RowBatch& batch, const JobEvent& event);
void add_wait(RowBatch& batch, const JobWait& wait);
void add_estimate(RowBatch& batch, const StartEstimate& estimate);
void add_association(RowBatch& batch, const Association& association);
void add_qos(RowBatch& batch, const Qos& qos);

void add_step(RowBatch& batch, const Step& step);
void add_crontab(RowBatch& batch, const Crontab& crontab);
void add_cron_line(RowBatch& batch, const CronLine& line);
void add_reservation(RowBatch& batch, const AdvanceReservation& reservation);
void add_reservation_event(RowBatch& batch, const std::string& name, Wall at,
                           const std::string& what, const std::string& actor);

void add_event_trigger(RowBatch& batch, const EventTrigger& trigger);

// A job without its specification, and by what others with the same are known: its user and the
// digest, which is empty if the row has none. A digest proves nothing to another user.
struct JobOfDigest {
  Job job;
  std::uint32_t uid = 0;
  std::string spec_digest;
};

std::vector<Job> jobs_from(const PgRows& rows);
std::vector<JobOfDigest> jobs_of_digests_from(const PgRows& rows);
// Puts each attempt's nodes and ranks into it. REQUIRES: all three ordered by job and attempt.
std::vector<Attempt> attempts_from(const PgRows& attempts, const PgRows& nodes,
                                   const PgRows& ranks);
std::vector<Checkpoint> checkpoints_from(const PgRows& rows);
std::vector<KeptCheckpoint> kept_checkpoints_from(const PgRows& rows);
std::vector<Node> nodes_from(const PgRows& rows);
std::vector<Partition> partitions_from(const PgRows& rows);
std::vector<Failover> failovers_from(const PgRows& rows);
TurnFound turn_found_from(const PgRows& rows);
std::vector<JobEvent> events_from(const PgRows& rows);
std::vector<JobWait> waits_from(const PgRows& rows);
std::vector<StartEstimate> estimates_from(const PgRows& rows);
std::vector<Qos> qos_from(const PgRows& rows);
std::vector<Association> associations_from(const PgRows& rows);
void add_qos_usage(RowBatch& batch, const QosUsage& used);
std::vector<QosUsage> qos_usage_from(const PgRows& rows);
std::vector<SqlRequest> requests_from(const PgRows& rows);
std::vector<AdvanceReservation> reservations_from(const PgRows& rows);
std::vector<Crontab> crontabs_from(const PgRows& rows);
std::vector<CronLine> cron_lines_from(const PgRows& rows);
std::vector<EventTrigger> event_triggers_from(const PgRows& rows);
std::vector<Step> steps_from(const PgRows& rows);
std::vector<Blob> blobs_from(const PgRows& rows);

// Of sacct: a job a row, without its runs; and the runs, each with its job.
std::vector<JobRecord> job_records_from(const PgRows& rows);
std::vector<RunOfJob> runs_from(const PgRows& rows);

}  // namespace cox
