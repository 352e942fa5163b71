// The store: the interface between a turn and PostgreSQL. controller/io/records/postgres_store.h
// implements it, and tests/support/memory_store.h for the simulator and for tests; one conformance
// suite (tests/store) runs against both.
//
// commit() returns at once; its outcome is an event from poll(). One turn is in flight at a time.
// If the connection breaks during a commit, the store itself finds out whether the turn was
// committed: it reconnects, fences the old session, reads the turn row, and sends the turn again if
// it was not. So a caller gets exactly one of Committed, TurnRejected or Superseded for each
// commit.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/cluster/association.h"
#include "common/cluster/node.h"
#include "common/cluster/qos.h"
#include "common/job/attempt.h"
#include "common/job/job.h"
#include "common/job/job_event.h"
#include "common/messages/sacct_messages.h"
#include "common/syntax/crontab.h"
#include "controller/change/arrays.h"
#include "controller/change/change.h"
#include "controller/change/event.h"
#include "controller/change/kept_checkpoint.h"
#include "controller/change/recovery.h"

namespace cox {

// Everything that load() reads: the rows that the controller keeps in memory.
struct Snapshot {
  Term term;                  // the term of this controller
  TurnNumber turn;            // the last one that was committed
  JobId next_job;             // this id and those after it were never issued
  std::string identity_seed;  // random, new for each load: see job_identity()
  bool has_attempts = true;   // whether any attempt of any job was ever committed
  std::vector<Qos> qos;
  std::vector<QosUsage> qos_usage;
  std::vector<Association> associations;
  std::vector<Node> nodes;
  std::vector<Partition> partitions;  // partitions that were changed or made at run time
  std::vector<Job> jobs;  // jobs that have not ended, or ended since the `ended_since` of load()
  std::vector<Attempt> attempts;        // all attempts of `jobs`
  std::vector<Checkpoint> checkpoints;  // checkpoints of `jobs`, without pruned ones
  // Pruned checkpoints, and those of jobs that are not in `jobs`, for which no worker has confirmed
  // that the files are gone.
  std::vector<KeptCheckpoint> kept_checkpoints;
  // Steps of srun in the newest attempt of each of `jobs`, by number; ended ones, too.
  std::vector<Step> steps;
  std::vector<JobWait> waits;
  // The newest estimates_kept_max estimates, the oldest first.
  std::vector<StartEstimate> estimates;
  std::vector<AdvanceReservation> reservations;
  std::vector<Failover> failovers;  // failovers that may have lost something, by term
  std::vector<Crontab> crontabs;
  std::vector<CronLine> cron_lines;    // lines of all crontabs
  std::vector<EventTrigger> triggers;  // by id
};

// One transaction.
struct Turn {
  Term term;
  TurnNumber number;
  Wall at{};
  std::vector<Change> changes;  // in order
  // Hashes of the scripts and environments that this turn's messages to workers need.
  std::vector<std::string> blobs_wanted;
};

struct Committed {
  TurnNumber number;
  // The scripts and environments of Turn::blobs_wanted, as far as they exist.
  std::vector<Blob> blobs;
};

// PostgreSQL rejected the turn's content (SQLSTATE 22…, 23…), or a guard matched no row: a job's
// row no longer had the state and attempt that the change starts from. The turn was rolled back.
struct TurnRejected {
  TurnNumber number;
  std::string sqlstate;
  std::string message;
};

struct Superseded {  // another controller is the leader now, or the database went back in time
  std::string message;
  // Committed turns may be lost, so the controller must load again with a new term.
  bool database_regressed = false;
};

struct Loaded {
  Snapshot snapshot;
};

// The database does not answer; the store keeps trying to connect. Returned again if the reason
// changes.
struct StoreAway {
  std::string message;
};

struct StoreBack {};

struct HistoryRead {
  std::int64_t ticket;
  std::vector<JobEvent> events;
  bool more;
  // For the history of an array: the task's job id of each event, "17_4"; else empty.
  std::vector<std::string> job_names;
};

// The database has rejected the read with this ticket, also when the store repeated it.
struct ReadFailed {
  std::int64_t ticket;
  std::string message;
};

// A job that is no longer in memory.
struct JobRead {
  std::int64_t ticket;
  std::vector<Job> jobs;  // one or none
  std::vector<Attempt> attempts;
  std::vector<Checkpoint> checkpoints;
  std::vector<ArrayRow> rows;  // all rows of the array with its id, if requested
};

// A page of records for sacct, with the stored pending reasons. The caller fills in the cluster and
// the time.
struct AccountingRead {
  std::int64_t ticket;
  AccountingPage page;
};

// All QOS, as they are in the database now.
struct QosRead {
  std::int64_t ticket;
  std::vector<Qos> qos;
};

// The requests made by SQL that have no answer yet.
struct RequestsRead {
  std::int64_t ticket;
  std::vector<SqlRequest> requests;  // the oldest first
};

using StoreEvent =
    std::variant<Committed, TurnRejected, Superseded, Loaded, StoreAway, StoreBack, HistoryRead,
                 JobRead, AccountingRead, QosRead, RequestsRead, ReadFailed>;

class Store {
 public:
  virtual ~Store() = default;

  // Reads everything that the controller keeps in memory; answered by Loaded. `take_term`: takes a
  // new term first. True in the first call of a process; false to reload after a rejected turn.
  virtual void load(bool take_term, Wall ended_since) = 0;

  // Begins to commit the turn. REQUIRES: no turn in flight; turn.number is one more than the last
  // committed.
  virtual void commit(Turn turn) = 0;

  // Reads do not wait for the turn in flight. Each is answered with its ticket; ReadFailed if the
  // database rejects it.
  //
  // Reads a page of a job's events: those after this sequence number. Answered by HistoryRead.
  virtual void read_history(std::int64_t ticket, JobId job, std::int64_t after_sequence) = 0;
  // Reads the events of all tasks of the array, one row after the other, from the one after this
  // sequence number. For a job that is no array, the same as read_history().
  virtual void read_array_history(std::int64_t ticket, JobId array,
                                  std::int64_t after_sequence) = 0;
  // Reads a job; answered by JobRead. `and_rows`: also all rows of the array with its id.
  virtual void read_job(std::int64_t ticket, JobId job, bool and_rows) = 0;
  // Reads the row that stands for the task of an array; answered by JobRead.
  virtual void read_task(std::int64_t ticket, JobId array, std::int64_t task) = 0;
  // Reads the job that was submitted with this request id and is no longer in memory; answered by
  // JobRead.
  virtual void read_request(std::int64_t ticket, const std::string& request_id) = 0;

  // Reads jobs of all times with their runs and steps; answered by AccountingRead.
  virtual void read_accounting(std::int64_t ticket, const ListAccounting& ask) = 0;

  // Reads all QOS, which administrators change in the database; answered by QosRead.
  virtual void read_qos(std::int64_t ticket) = 0;

  // Reads the unanswered requests made by SQL; answered by RequestsRead.
  virtual void read_requests(std::int64_t ticket) = 0;

  // Returns the events since the last call; never waits.
  virtual std::vector<StoreEvent> poll() = 0;
};

}  // namespace cox
