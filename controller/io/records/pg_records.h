// Writes our rows to tables of PostgreSQL, and reads them. Each table's columns are listed once, in
// pg_records.cpp or the pg_*.cpp of the subject. They are in the order of the table, since rows are
// sent as values of the table's row type. Used by this folder.
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

// Visits the resources that processes used, whose columns have the same names in every table.
template <class Usage, class Visit>
void usage_columns(Usage& usage, Visit& v) {
  v("user_cpu_ms", usage.user_cpu_ms);
  v("system_cpu_ms", usage.system_cpu_ms);
  v("max_rss_kb", usage.max_rss_kb);
}

// The columns of a job's row that are computed from its specification.
struct SpecColumns {
  std::string components, digest;
};
SpecColumns spec_columns_of(const ParsedSpec& spec);

// Each of these functions adds one row to the batch. `spec`: spec_columns_of(*job.spec).
void add_job(RowBatch& batch, const Job& job, const SpecColumns& spec);
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

// A job without its specification. Jobs with the same `uid` and `spec_digest` have equal
// specifications; `spec_digest` is empty if the row has none. Digests of different users are not
// compared, so that no user can get another user's specification.
struct JobOfDigest {
  Job job;
  std::uint32_t uid = 0;
  std::string spec_digest;
};

std::vector<Job> jobs_from(const PgRows& rows);
std::vector<JobOfDigest> jobs_of_digests_from(const PgRows& rows);
// Returns the attempts, each with its nodes and ranks. REQUIRES: the rows of all three are ordered
// by job and attempt.
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

// Return records for sacct. job_records_from(): jobs without their runs. runs_from(): runs, each
// with the id of its job.
std::vector<JobRecord> job_records_from(const PgRows& rows);
std::vector<RunOfJob> runs_from(const PgRows& rows);

}  // namespace cox
