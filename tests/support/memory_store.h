// The Store in memory, for the simulator and for tests. It does no input or output and is
// deterministic. It accepts and rejects the same turns as PostgreSQL's guards and constraints. It
// also checks every change of a job's state against the transition table, as a trigger does in
// tests on PostgreSQL. tests/store runs one suite over both stores.
//
// A MemoryDatabase has the tables and outlives a controller. A MemoryStore is one controller's
// connection to it. A restarted controller may use the same MemoryStore again: load(true) drops a
// turn that is not committed. A second controller opens a MemoryStore of its own on the same
// database.
//
// The store has no clock: delays and faults last for a number of calls of poll().
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "controller/change/store.h"

namespace cox {

struct MemoryTables {
  Term term;
  TurnNumber turn;
  JobId job_id_floor{1};
  Wall taken{};
  std::int64_t timeline_noted = 0;  // timeline at the last takeover; 0: none yet
  std::int64_t timeline = 1;        // of the server; a promotion of a replica adds one
  std::vector<Failover> failovers;
  std::int64_t last_sequence = 0;
  std::vector<Qos> qos;
  std::map<std::string, QosUsage> qos_usage;
  std::map<AssociationId, Association> associations;
  std::vector<SqlRequest> asked;  // not answered yet
  std::vector<RequestAnswered> answered;
  std::map<JobId, Job> jobs;
  std::map<AttemptKey, Attempt> attempts;
  std::map<StepKey, Step> steps;
  std::map<CheckpointKey, Checkpoint> checkpoints;
  std::map<std::string, Node> nodes;
  std::vector<NodeEvent> node_events;
  std::map<std::string, Partition> partitions;
  std::vector<JobEvent> events;
  std::map<JobId, JobWait> waits;
  std::map<AttemptKey, StartEstimate> estimates;
  std::map<std::string, std::string> blobs;
  std::map<std::string, JobId> jobs_by_request;
  std::map<std::string, AdvanceReservation> reservations;
  std::map<std::uint32_t, Crontab> crontabs;
  std::map<CronLineKey, CronLine> cron_lines;
  std::map<EventTriggerId, EventTrigger> triggers;
};

// Applies all changes of the turn, or none and returns why it is rejected. REQUIRES: the turn's
// term and number were checked.
std::optional<TurnRejected> apply_turn(MemoryTables& tables, const Turn& turn);

struct MemoryDatabase {
  MemoryDatabase();  // has the QOS and the root account of a new database
  MemoryTables tables;
};

class MemoryStore final : public Store {
 public:
  // What happens to the next commit.
  enum class Fate {
    Sure,  // applied, and reported after its delay
    Lost,  // the connection is lost before the turn is applied; it is applied after the outage
    // The connection is lost after the turn was applied; that is reported after the outage.
    Ambiguous,
  };

  MemoryStore() : MemoryStore(std::make_shared<MemoryDatabase>()) {}
  explicit MemoryStore(std::shared_ptr<MemoryDatabase> database);

  void load(bool take_term, Wall ended_since) override;
  void commit(Turn turn) override;
  void read_history(std::int64_t ticket, JobId job, std::int64_t after_sequence) override;
  void read_array_history(std::int64_t ticket, JobId array, std::int64_t after_sequence) override;
  void read_job(std::int64_t ticket, JobId job, bool and_rows) override;
  void read_task(std::int64_t ticket, JobId array, std::int64_t task) override;
  void read_request(std::int64_t ticket, const std::string& request_id) override;
  void read_accounting(std::int64_t ticket, const ListAccounting& ask) override;
  void read_qos(std::int64_t ticket) override;
  void read_requests(std::int64_t ticket) override;
  std::vector<StoreEvent> poll() override;

  const MemoryTables& tables() const { return database_->tables; }
  std::shared_ptr<MemoryDatabase> database() const { return database_; }
  bool has_turn_in_flight() const { return turn_.has_value(); }

  LastKnownState known;  // set before load(true): the newest state that the controller knew

  // Faults, which the simulator or a test may set at any time.
  int commit_delay_polls = 0;     // calls of poll() before a commit is done
  Fate next_commit = Fate::Sure;  // for one commit, then Sure again
  int outage_polls = 3;  // calls of poll() for which the outage of a Lost or Ambiguous commit lasts
  int away_polls = 0;    // calls of poll() for which the database is away
  // Turns that add an attempt are rejected, as if the site had added a column to cox.attempt.
  bool refuses_attempts = false;
  // Turns that add a job of this name are rejected, as if the site had added a constraint to
  // cox.job. Empty: none is.
  std::string refused_job;

 private:
  void settle_turn();
  void answer_load();
  void take_term();
  bool is_superseded();
  Snapshot snapshot(Wall ended_since) const;
  JobRead job_read(std::int64_t ticket, JobId job, bool and_rows) const;

  std::shared_ptr<MemoryDatabase> database_;
  std::optional<Term> term_;
  std::optional<Wall> load_;  // ended since
  std::optional<Turn> turn_;  // in flight
  bool applied_ = false;      // the turn in flight is committed, but not reported
  int polls_left_ = 0;        // calls of poll() until the turn in flight is done
  bool away_reported_ = false;
  std::vector<StoreEvent> reads_;
  std::vector<StoreEvent> events_;
};

}  // namespace cox
