// The Store on PostgreSQL. It blocks only in open(), and while libpq looks up a host's name
// (pg_connection.h). Its owner polls fd() for events(), for at most retry_in(), and calls poll().
//
// STARTUP    open() migrates the schema, and blocks for that. Then the store connects by itself.
// LOAD       Reads the turn row, and chooses a term by what this controller knew before
//            (recovery.h). Takes the term, if the row has not changed since; this fences the former
//            leader. Then reads one consistent snapshot, which must still have our term. Jobs are
//            read in pieces, while the server prepares the next one. Of jobs that were read ahead,
//            only changed ones are read (pg_job_load.h).
// OPERATION  A turn is one pipeline, and so one transaction, committed at its end: begin_turn, the
//            batches, blobs if wanted.
// LOST       The connection is lost. Reconnects after 100 ms to 5 s and runs fence_session. This
//            waits for the old backend, which may still be executing the turn; it keeps a turn that
//            has not begun from beginning; and it returns the number of the last turn. If that is
//            our turn, the turn is committed. If it is the one before, the turn is sent again.
//            Otherwise, or if the term has changed, the store is superseded, for good. It is also
//            superseded if a promoted replica may lack turns that were committed, ours or not.
// LOCKED     A client that was paused or cut off within a turn leaves a backend that would hold the
//            turn row for ever. free_turn ends that backend, and the row is tried again.
//
// consequence_of() (postgres_store.cpp) decides what the refusal of a statement means. Reads use a
// connection of their own (pg_reader.h). Text columns are UTF-8 and hold no NUL byte. A turn with
// other text is rejected (22021, 22P02), so admission must refuse such names and paths. Blobs are
// stored as bytes.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/change/store.h"
#include "controller/io/postgres/pg_connection.h"
#include "controller/io/postgres/pg_epoll.h"
#include "controller/io/records/pg_job_load.h"
#include "controller/io/records/pg_reader.h"

namespace cox {

class PostgresStore final : public Store {
 public:
  static Result<std::unique_ptr<PostgresStore>> open(PgServers& servers, LastKnownState known = {});
  PostgresStore(const PostgresStore&) = delete;
  PostgresStore& operator=(const PostgresStore&) = delete;

  // Takes the jobs that this controller has read ahead as a standby. REQUIRES: before load().
  void know(PgJobLoad ahead) { jobs_loaded_ = std::move(ahead); }

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

  // One descriptor that the owner polls for both connections. It never changes.
  int fd() const { return epoll_.fd(); }
  short events() const;
  // Returns the words (turn_words.h) of the turns committed since the last call. Empty unless a
  // test has set that this process crashes (COX_CRASH_AT).
  std::set<std::string> take_committed_names() { return std::exchange(committed_names_, {}); }
  // Returns the time until poll() must be called even if fd() is not readable; nullopt: it need not
  // be.
  std::optional<Milliseconds> retry_in() const;

 private:
  // What the connection that writes turns is doing.
  enum class Operation {
    Nothing,
    LookingBack,
    TakingTerm,
    FencingSession,
    FreeingTurn,
    Loading,
    LoadingJobs,
    LoadingRuns,
    EndingLoad,
    CommittingTurn
  };
  struct RequestedLoad {
    bool take_term = false;
    Wall ended_since{};
  };

  PostgresStore(PgServers& servers, LastKnownState known);
  void run(Operation operation, const std::vector<PgStatement>& statements);
  void run(Operation operation, const MakeStatements& make);
  void go_on();  // starts the next step: a load, a fence or a turn. REQUIRES: connected and idle.

  void on_answer(PgAnswer answer);
  void on_done(const std::vector<PgRows>& rows);
  void on_truth_found(const std::vector<PgRows>& rows);
  void on_term_taken(const PgRows& turn_row);
  void on_session_fenced(const std::vector<PgRows>& rows);
  void load_jobs();
  void on_loaded();
  void on_committed(std::vector<Blob> blobs);
  void on_failed(const std::string& sqlstate, const std::string& error);

  void away(const std::string& message);
  void report_away(const std::string& message);
  void notice_silence();
  void back();
  void supersede(const std::string& message, bool database_regressed = false);

  PgConnection writer_;
  PgReader reader_;
  PgEpoll epoll_;

  Boot now_{};
  Backoff backoff_ = connection_backoff();
  Operation operation_ = Operation::Nothing;
  // The database has this connection's session number, so older sessions cannot write.
  bool fenced_ = false;
  bool away_ = false;     // StoreAway was reported, and StoreBack not yet
  std::string away_why_;  // the reason that the last StoreAway reported
  // The error of a turn that waited in vain for the turn row's lock, while free_turn runs.
  std::string locked_why_;
  bool superseded_ = false;   // for good
  bool synchronous_ = false;  // the last COMMIT waited for a replica
  int retries_ = 0;  // how often the turn in flight was sent again after a serialization failure

  LastKnownState known_;  // what this controller knew of the database's state before it loads
  std::optional<Term> term_;
  std::int64_t session_ = 0;
  TurnNumber last_;  // the number of the last committed turn
  std::optional<RequestedLoad> load_;
  Snapshot loaded_;  // what the load in progress has read so far
  PgJobLoad jobs_loaded_;
  std::optional<Turn> turn_;  // in flight
  // Hashes of scripts and environments that the database has already.
  std::set<std::string> known_blobs_;
  std::vector<StoreEvent> events_;
  // turn_words.h of the turn in flight; empty unless a test crashes this process.
  std::set<std::string> turn_names_;
  std::set<std::string> committed_names_;
};

}  // namespace cox
