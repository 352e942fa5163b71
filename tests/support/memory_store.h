// The Store in memory: for the simulator and for tests. Pure and deterministic; it judges a turn
// exactly as PostgreSQL's guards and constraints do, and also checks every change of state against
// the transition table, as the test trigger does (tests/store runs one suite over both).
//
// MemoryDatabase is what outlives a controller. MemoryStore is one controller's connection to it: a
// restarted controller may go on with the same MemoryStore (load(true) forgets whatever was in
// flight, unless it had happened) or make another on the same database, as a rival does.
//
// Time passes by poll(): a fault lasts so many polls.
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
  std::int64_t timeline_noted = 0;  // 0: nobody has led yet
  std::int64_t timeline = 1;        // the server's: one more after each promotion of a replica
  std::vector<Failover> failovers;
  std::int64_t last_sequence = 0;
  std::vector<Qos> qos;
  std::map<std::string, QosUsage> qos_usage;
  std::map<AssociationId, Association> associations;
  std::vector<SqlRequest> asked;  // and not answered
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

// REQUIRES: the turn's term and number were judged. Makes all of it true, or nothing of it.
std::optional<TurnRejected> apply_turn(MemoryTables& tables, const Turn& turn);

struct MemoryDatabase {
  MemoryDatabase();  // the tiers and the root of accounts are seeded, as by the baseline
  MemoryTables tables;
};

class MemoryStore final : public Store {
 public:
  // What becomes of the next commit.
  enum class Fate {
    Sure,       // applied when its delay is over, and said
    Lost,       // the connection dies before it is applied; it is sent again after the outage
    Ambiguous,  // the connection dies after it was applied; that is found out after the outage
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

  LastKnownState known;  // before it takes a term, what its controller knows of the truth

  // Faults, set from outside at any time.
  int commit_delay_polls = 0;     // so many polls pass before a commit is done
  Fate next_commit = Fate::Sure;  // falls back to Sure after one commit
  int outage_polls = 3;           // how long a Lost or Ambiguous commit's connection is away
  int away_polls = 0;             // the database does not answer for so many polls

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
  bool applied_ = false;      // it happened, though nobody was told
  int polls_left_ = 0;        // of the turn's delay
  bool said_away_ = false;
  std::vector<StoreEvent> reads_;
  std::vector<StoreEvent> events_;
};

}  // namespace cox
