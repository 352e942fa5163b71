// One non-blocking connection to PostgreSQL, in libpq's pipeline mode. It prepares its queries when
// it opens. It blocks only while libpq looks up a host's name; hostaddr in the connection string
// avoids that. It has no thread and no loop: its owner polls fd() for events(), calls poll(), and
// decides when to reconnect.
//
//   connect() ─▶ Ready ─▶ run(statements) ─▶ Done | Failed ─▶ run … ; at any time Lost
//
// Done: all statements have run. A transaction that they left open continues with the next run().
// Failed: a statement was refused. The transaction is rolled back; the connection stays usable.
// Lost: the connection is gone, and it is unknown whether the statements took effect. A connection
// is also Lost when its server turns out to be a former primary.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/backoff.h"
#include "common/base/time.h"
#include "controller/io/postgres/pg_columns.h"
#include "controller/io/postgres/pg_rows.h"
#include "controller/io/postgres/pg_servers.h"

struct pg_conn;

namespace cox {

struct PgAnswer {
  enum class Kind { Ready, Done, Failed, Lost };
  Kind kind = Kind::Lost;
  // If Done: the rows that each statement returned, in the order of the statements.
  std::vector<PgRows> rows;
  std::string sqlstate;  // Failed
  std::string message;   // Failed and Lost
};

// Why the database counts as away if it answers, but no statement on our tables ends within 10 s.
inline constexpr const char* table_is_locked =
    "it answers, but another session probably holds a lock on a table of schema cox";

// Returns the Backoff by which an owner reconnects to a database that does not answer.
Backoff connection_backoff();

// Returns a MakeStatements for these statements, which must outlive it.
MakeStatements sent_in_order(const std::vector<PgStatement>& statements);

class PgConnection {
 public:
  // Connects to the primary. `queries`: the queries of sql/queries that it prepares.
  PgConnection(PgServers& servers, std::vector<std::string> queries)
      : servers_(servers), queries_(std::move(queries)) {}
  // Connects only to this server, be it the primary or a replica, to query its timeline.
  PgConnection(PgServers& servers, std::size_t server)
      : servers_(servers),
        only_(server),
        queries_{"session_settings", "server_timeline", "rollback"} {}
  ~PgConnection() { close(); }
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;

  void connect(Boot now);  // REQUIRES: closed
  void close();
  bool is_closed() const { return state_ == State::Closed; }
  bool is_idle() const { return state_ == State::Idle; }

  // Runs the statements. REQUIRES: idle. `take`, if given, is called with the rows of each
  // statement as they arrive; the answer then has no rows.
  using Take = std::function<void(const PgRows&)>;
  void run(const std::vector<PgStatement>& statements, Boot now, Take take = {});
  // The same with the statements that `make` makes. They are sent while it makes more, once they
  // fill libpq's buffer, so that the server works at the same time.
  void run(const MakeStatements& make, Boot now, Take take = {});

  int fd() const;  // returns the socket, which may change with every poll(); -1 when closed
  // Returns a number that changes whenever fd() may refer to another socket.
  std::int64_t socket_number() const { return socket_number_; }
  short events() const;  // for poll(2)
  // Returns when poll() must be called, even if nothing has arrived; nullopt: no such time.
  std::optional<Boot> deadline() const;

  std::optional<PgAnswer> poll(Boot now);

  // The timeline of its server when the connection opened; 0: it is not open.
  std::int64_t timeline() const { return timeline_; }
  // The row types of its server. REQUIRES: the connection is open, and row_types is one of its
  // queries.
  const PgRowTypes& row_types() const { return row_types_; }
  // When the statements in progress were sent; nothing: none are in progress.
  std::optional<Boot> asked_at() const;

 private:
  enum class State { Closed, Connecting, Preparing, Idle, Busy, RollingBack };

  std::optional<PgAnswer> poll_connecting(Boot now);
  std::optional<PgAnswer> prepare();
  std::optional<PgAnswer> poll_preparing(Boot now);
  std::optional<PgAnswer> poll_results();
  std::optional<PgAnswer> take_result(pg_result* result);
  std::optional<PgAnswer> on_sync();
  bool sends_rows() const;
  std::optional<PgAnswer> note_timeline(std::int64_t timeline);
  PgAnswer lost(const std::string& message);
  void send(const PgStatement& statement);
  void send_batch(const PgStatement& statement);
  void send_sync();

  PgServers& servers_;
  std::optional<std::size_t> only_;  // index of the only server to connect to
  std::vector<std::string> queries_;
  std::int64_t timeline_ = 0;
  PgRowTypes row_types_;
  pg_conn* connection_ = nullptr;
  std::int64_t socket_number_ = 0;
  State state_ = State::Closed;
  Boot connect_deadline_{};
  Boot asked_at_{};
  bool connect_reads_ = false;  // during connect: PQconnectPoll waits to read; false: to write
  bool unsent_ = false;         // libpq has bytes that it could not write yet
  bool broken_ = false;         // libpq did not accept a statement
  Take take_;
  std::vector<PgRows> rows_;
  std::string sqlstate_;  // SQLSTATE of the first statement that was refused since the last sync
  std::string message_;
  bool plan_is_stale_ = false;  // the statement was refused since a table has other columns now
};

}  // namespace cox
