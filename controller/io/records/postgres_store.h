// The Store on PostgreSQL. Never waits but in open(), and where libpq looks up a host's name
// (pg_connection.h); its owner polls fd() for events(), no longer than retry_in(), and calls
// poll().
//
// STARTUP    open() migrates the schema (and waits for it); then it connects by itself.
// LOAD       What is there is looked at and judged by what we know (recovery.h); then begin,
//            take_term, commit, if that is still there: fences whoever had the term. Then one
//            consistent picture is read, and it must still show our term. The jobs of it come in
//            pieces, each of which is taken in while the server is at the next; of those that were
//            read ahead only what has changed (pg_job_load.h).
// OPERATION  A turn is one pipeline, and with that one transaction, committed at its end:
//            begin_turn, the batches, blobs if wanted.
// LOST       The connection died. Connect again after 100 ms … 5 s, then fence_session: it waits
//            for the old backend, which may still be executing the turn, bars it if it has not
//            begun, and tells which turn was the last. Ours: it is committed. The one before: the
//            turn is sent again. Anything else, or another term: superseded, for good. So it is by
//            a promoted replica that need not have all that was told to be true: not only of us.
// LOCKED     A backend whose client has sent half a turn and stands still would hold the turn row
//            for ever: it is ended (free_turn), and the row is tried again.
//
// What a refusal means is decided in judge() (postgres_store.cpp). Reads go by a connection of
// their own (pg_reader.h). Text columns are UTF-8 and hold no NUL byte: a turn with other text is
// rejected (22021, 22P02), so admission must refuse such names and paths. Blobs are kept as bytes.
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

  // Read ahead, while another controller led. REQUIRES: nothing was asked yet.
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

  // For the poll loop. One descriptor for both connections, always the same.
  int fd() const { return epoll_.fd(); }
  short events() const;
  // What the turns hold that were committed since this was last asked: for crash points alone.
  std::set<std::string> take_committed_words() { return std::exchange(committed_words_, {}); }
  std::optional<Milliseconds> retry_in() const;  // nothing: no need to call poll() by itself

 private:
  // What the writing connection is at.
  enum class Doing {
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
  struct LoadAsked {
    bool take_term = false;
    Wall ended_since{};
  };

  PostgresStore(PgServers& servers, LastKnownState known);
  void run(Doing doing, const std::vector<PgStatement>& statements);
  void go_on();  // REQUIRES: connected and idle. Starts whatever is to be done next

  void on_answer(PgAnswer answer);
  void on_done(const std::vector<PgRows>& rows);
  void on_truth_found(const std::vector<PgRows>& rows);
  void on_term_taken(const PgRows& turn_row);
  void on_session_fenced(const std::vector<PgRows>& rows);
  void load_jobs();
  void on_loaded();
  void on_committed(std::vector<Blob> blobs);
  void on_failed(const std::string& sqlstate, const std::string& message);

  void away(const std::string& message);
  void tell_away(const std::string& message);
  void notice_silence();
  void back();
  void supersede(const std::string& message, bool database_regressed = false);

  PgConnection writer_;
  PgReader reader_;
  PgEpoll epoll_;

  Boot now_{};
  Backoff backoff_ = connection_backoff();
  Doing doing_ = Doing::Nothing;
  bool fenced_ = false;       // this connection's session is ours
  bool away_ = false;         // StoreAway was said, StoreBack not yet
  std::string away_why_;      // as it was said last
  std::string locked_why_;    // while the turn row is being freed: what waiting for it ended with
  bool superseded_ = false;   // for good
  bool synchronous_ = false;  // what was written last waited for a replica
  int retries_ = 0;           // of the turn in flight, over serialization failures

  LastKnownState known_;  // what its controller knew before
  std::optional<Term> term_;
  std::int64_t session_ = 0;
  TurnNumber last_;  // acknowledged
  std::optional<LoadAsked> load_;
  Snapshot loaded_;  // so far
  PgJobLoad jobs_loaded_;
  std::optional<Turn> turn_;           // in flight
  std::set<std::string> known_blobs_;  // hashes of blobs that are committed
  std::vector<StoreEvent> events_;
  std::set<std::string> turn_words_;  // of the turn in flight, if this process is to crash
  std::set<std::string> committed_words_;
};

}  // namespace cox
