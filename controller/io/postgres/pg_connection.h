// One connection to PostgreSQL, never waiting, but where libpq looks up a host's name (hostaddr
// spares it that): libpq non-blocking, in pipeline mode, its queries prepared when it opens.
// Entirely passive: its owner polls fd() for events() and calls poll(), and decides when to connect
// again.
//
//   connect() ─▶ Ready ─▶ run(statements) ─▶ Done | Failed ─▶ run … ; at any time Lost
//
// Failed: a statement was refused; the transaction is rolled back and the connection usable. Else a
// transaction that is begun goes on with the next statements.
// Lost: the connection is gone, and whether the statements took effect is unknown. So is one whose
// server turns out to be a former primary.
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
  std::vector<PgRows> rows;  // Done: of each statement, in order
  std::string sqlstate;      // Failed
  std::string message;       // Failed and Lost
};

// When its owner tries again a database that does not answer.
Backoff connection_backoff();

class PgConnection {
 public:
  // To the primary. `queries`: those that it prepares, of sql/queries.
  PgConnection(PgServers& servers, std::vector<std::string> queries)
      : servers_(servers), queries_(std::move(queries)) {}
  // To this server alone, whatever it is, to ask for its timeline.
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

  // REQUIRES: idle. `take`: gets the rows of each statement as they come, in place of the answer.
  using Take = std::function<void(const PgRows&)>;
  void run(const std::vector<PgStatement>& statements, Boot now, Take take = {});

  int fd() const;                        // -1 when closed; may change with every poll()
  short events() const;                  // of poll(2)
  std::optional<Boot> deadline() const;  // poll() by then, though nothing arrived

  std::optional<PgAnswer> poll(Boot now);

  // Of its server, when it opened; 0: it is not open.
  std::int64_t timeline() const { return timeline_; }
  // Since when a statement is not answered; none: nothing is asked.
  std::optional<Boot> asked_at() const;

 private:
  enum class State { Closed, Connecting, Preparing, Idle, Busy, RollingBack };

  std::optional<PgAnswer> poll_connecting(Boot now);
  std::optional<PgAnswer> prepare();
  std::optional<PgAnswer> poll_preparing(Boot now);
  std::optional<PgAnswer> poll_results();
  std::optional<PgAnswer> take_result(pg_result* result);
  std::optional<PgAnswer> on_sync();
  std::optional<PgAnswer> note_timeline(std::int64_t timeline);
  PgAnswer lost(const std::string& message);
  void send(const PgStatement& statement);
  void send_sync();

  PgServers& servers_;
  std::optional<std::size_t> only_;  // of them
  std::vector<std::string> queries_;
  std::int64_t timeline_ = 0;
  pg_conn* connection_ = nullptr;
  State state_ = State::Closed;
  Boot connect_deadline_{};
  Boot asked_at_{};
  bool connect_reads_ = false;  // what PQconnectPoll waits for
  bool unsent_ = false;         // libpq has bytes it could not write yet
  bool broken_ = false;         // libpq refused to take a statement
  Take take_;
  std::vector<PgRows> rows_;
  std::string sqlstate_;  // of the first refusal since the last sync
  std::string message_;
};

}  // namespace cox
