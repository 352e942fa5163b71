// The store: the seam between a turn and PostgreSQL. controller/io/records/postgres_store.h is the
// real one, tests/support/memory_store.h the one for the simulator and for tests; one conformance
// suite (tests/store) runs against both.
//
// commit() returns at once; what became of it is an event from poll(). One turn is in flight.
// A commit whose outcome is unknown (the connection died) is settled by the store itself: it
// reconnects, fences the old session, reads the turn row, and sends the turn again if it did not
// happen. So a caller sees exactly one of Committed, Rejected or Superseded for each commit.
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

// Everything the controller keeps in memory, as loaded.
struct Snapshot {
  Term term;                  // ours: one more than the last
  TurnNumber turn;            // the last that was committed
  JobId next_job;             // never issued before
  std::string identity_seed;  // random, new for each load: see job_identity()
  std::vector<Qos> qos;
  std::vector<QosUsage> qos_usage;
  std::vector<Association> associations;
  std::vector<Node> nodes;
  std::vector<Partition> partitions;    // those that somebody has changed
  std::vector<Job> jobs;                // not ended, or ended no longer ago than asked for
  std::vector<Attempt> attempts;        // all attempts of those jobs
  std::vector<Checkpoint> checkpoints;  // likewise, but for pruned ones
  // Of jobs that have ended, and pruned ones: those whose files are not known to be gone.
  std::vector<KeptCheckpoint> kept_checkpoints;
  std::vector<Step> steps;  // of their newest attempts, by number; ended ones too
  std::vector<JobWait> waits;
  std::vector<StartEstimate> estimates;  // the newest estimates_kept_max, the oldest first
  std::vector<AdvanceReservation> reservations;
  std::vector<Failover> failovers;  // those that may have lost something, by term
  std::vector<Crontab> crontabs;
  std::vector<CronLine> cron_lines;    // lines of all crontabs
  std::vector<EventTrigger> triggers;  // by id
};

// One transaction.
struct Turn {
  Term term;
  TurnNumber number;
  Wall at{};
  std::vector<Change> changes;            // in order
  std::vector<std::string> blobs_wanted;  // hashes whose content the turn's messages need
};

struct Committed {
  TurnNumber number;
  std::vector<Blob> blobs;  // those wanted that exist
};

// PostgreSQL refuses the turn's content (SQLSTATE 22…, 23…) or a guard was short: nothing of it is
// true.
struct TurnRejected {
  TurnNumber number;
  std::string sqlstate;
  std::string message;
};

struct Superseded {  // another controller has taken the lead, or the database went back in time
  std::string message;
  bool database_regressed = false;  // what was told to be true may be missing: load with a new term
};

struct Loaded {
  Snapshot snapshot;
};

struct StoreAway {  // the database does not answer; the store keeps trying. Again: another reason
  std::string message;
};

struct StoreBack {};

struct HistoryRead {
  std::int64_t ticket;
  std::vector<JobEvent> events;
  bool more;
  std::vector<std::string> job_names;  // of an array: whose each of them is, "17_4"; else none
};

// The database refuses to be read, again and again.
struct ReadFailed {
  std::int64_t ticket;
  std::string message;
};

// A job that memory has forgotten.
struct JobRead {
  std::int64_t ticket;
  std::vector<Job> jobs;  // one or none
  std::vector<Attempt> attempts;
  std::vector<Checkpoint> checkpoints;
  std::vector<ArrayRow> rows;  // of the array that bears its id: all of them, if asked for
};

// A page of what sacct asks for. Why its jobs wait is as it was told last, the cluster and the time
// are not filled in.
struct AccountingRead {
  std::int64_t ticket;
  AccountingPage page;
};

// The tiers as they are now.
struct QosRead {
  std::int64_t ticket;
  std::vector<Qos> qos;
};

// What administrators asked by SQL and nobody has answered.
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

  // Takes a new term (load for the first time) or keeps ours (reload after a rejected turn), and
  // reads everything. Answered by Loaded. take_term: first call of a process.
  virtual void load(bool take_term, Wall ended_since) = 0;

  // REQUIRES: no turn in flight; turn.number is one more than the last committed.
  virtual void commit(Turn turn) = 0;

  // Reads do not wait for the turn in flight. Answered with the ticket given, if need be by
  // ReadFailed.
  virtual void read_history(std::int64_t ticket, JobId job, std::int64_t after_sequence) = 0;
  // Of all tasks of the array with this id, row by row, each as above, behind the event of that
  // number; of a job that is none as above.
  virtual void read_array_history(std::int64_t ticket, JobId array,
                                  std::int64_t after_sequence) = 0;
  // `and_rows`: if it is an array, of all of it.
  virtual void read_job(std::int64_t ticket, JobId job, bool and_rows) = 0;
  // The row that a task of an array is, or that stands for it: answered by JobRead.
  virtual void read_task(std::int64_t ticket, JobId array, std::int64_t task) = 0;
  // The job an earlier request id was accepted as, for jobs memory has forgotten: answered by
  // JobRead.
  virtual void read_request(std::int64_t ticket, const std::string& request_id) = 0;

  // Jobs of all times with their runs and steps: answered by AccountingRead.
  virtual void read_accounting(std::int64_t ticket, const ListAccounting& ask) = 0;

  // The tiers, which administrators change in the database: answered by QosRead.
  virtual void read_qos(std::int64_t ticket) = 0;

  // What administrators ask by SQL: answered by RequestsRead.
  virtual void read_requests(std::int64_t ticket) = 0;

  // What has happened since; never waits.
  virtual std::vector<StoreEvent> poll() = 0;
};

}  // namespace cox
