// One connection to PostgreSQL, never waiting: libpq non-blocking, in pipeline mode, its
// queries prepared when it opens. Entirely passive: its owner polls fd() for events() and calls
// poll(), and decides when to connect again.
//
//   connect() ─▶ Ready ─▶ run(statements) ─▶ Done | Failed ─▶ run … ; at any time Lost
//
// Failed: a statement was refused; the transaction is rolled back and the connection usable.
// Lost: the connection is gone, and whether the statements took effect is unknown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/backoff.h"
#include "common/time.h"
#include "controller/io/pg_batches.h"
#include "controller/io/pg_rows.h"

struct pg_conn;

namespace cox {

// Keywords and values for libpq, NULL-ended: our defaults, the user's string, what must be so.
struct PgConnectWords {
  explicit PgConnectWords(const std::string& conninfo);
  std::vector<const char*> keywords;
  std::vector<const char*> values;
};

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
  // `queries`: those that it prepares, of sql/queries.
  PgConnection(std::string conninfo, std::vector<std::string> queries)
      : conninfo_(std::move(conninfo)), queries_(std::move(queries)) {}
  ~PgConnection() { close(); }
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;

  void connect(Boot now);  // REQUIRES: closed
  void close();
  bool is_closed() const { return state_ == State::Closed; }
  bool is_idle() const { return state_ == State::Idle; }

  void run(const std::vector<PgStatement>& statements, Boot now);  // REQUIRES: idle

  int fd() const;                        // -1 when closed; may change with every poll()
  short events() const;                  // of poll(2)
  std::optional<Boot> deadline() const;  // poll() by then, though nothing arrived

  std::optional<PgAnswer> poll(Boot now);

  // Since when a statement is not answered; none: nothing is asked.
  std::optional<Boot> asked_at() const;

 private:
  enum class State { Closed, Connecting, Preparing, Idle, Busy, RollingBack };

  std::optional<PgAnswer> poll_connecting(Boot now);
  std::optional<PgAnswer> prepare();
  std::optional<PgAnswer> poll_results();
  std::optional<PgAnswer> take_result(pg_result* result);
  std::optional<PgAnswer> on_sync();
  PgAnswer lost(const std::string& message);
  void send(const PgStatement& statement);
  void send_sync();

  std::string conninfo_;
  std::vector<std::string> queries_;
  pg_conn* connection_ = nullptr;
  State state_ = State::Closed;
  Boot connect_deadline_{};
  Boot asked_at_{};
  bool connect_reads_ = false;  // what PQconnectPoll waits for
  bool unsent_ = false;         // libpq has bytes it could not write yet
  bool broken_ = false;         // libpq refused to take a statement
  std::vector<PgRows> rows_;
  std::string sqlstate_;  // of the first refusal since the last sync
  std::string message_;
};

}  // namespace cox
