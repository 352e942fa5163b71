#include "controller/io/postgres/pg_connection.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>

#include "common/base/check.h"
#include "common/io/clock.h"
#include "controller/io/postgres/pg_queries.h"

namespace cox {
namespace {

constexpr Milliseconds connect_timeout{10'000};

// Returns whether the socket is ready, as PQconnectPoll requires. `to_read`: for reading, else
// writing.
bool is_ready(int fd, bool to_read) {
  pollfd wanted{fd, static_cast<short>(to_read ? POLLIN : POLLOUT), 0};
  return ::poll(&wanted, 1, 0) > 0;
}

// Returns whether a prepared query was refused since a table has other columns than when it was
// prepared. The text of the error depends on the server's language; the name of the function that
// reports it does not.
bool is_of_stale_plan(const pg_result* error) {
  const char* const by = PQresultErrorField(error, PG_DIAG_SOURCE_FUNCTION);
  return by != nullptr && std::string_view(by) == "RevalidateCachedQuery";
}

}  // namespace

MakeStatements sent_in_order(const std::vector<PgStatement>& statements) {
  return [&statements](const SendStatement& send) {
    for (const PgStatement& statement : statements) send(statement);
  };
}

Backoff connection_backoff() {
  return {Milliseconds{100}, Milliseconds{5'000}, random_seed()};
}

void PgConnection::connect(Boot now) {
  CHECK(state_ == State::Closed);
  const PgConnectParameters parameters =
      only_ ? servers_.parameters_of(*only_) : servers_.parameters();
  connection_ = PQconnectStartParams(parameters.keywords(), parameters.values(), 1);
  CHECK(connection_ != nullptr);  // out of memory
  ++socket_number_;
  state_ = State::Connecting;
  connect_reads_ = false;
  broken_ = false;
  connect_deadline_ = now + connect_timeout;
}

void PgConnection::close() {
  PQfinish(connection_);
  connection_ = nullptr;
  state_ = State::Closed;
  timeline_ = 0;
  take_ = {};
  rows_.clear();
  sqlstate_.clear();
  message_.clear();
}

int PgConnection::fd() const {
  return connection_ == nullptr ? -1 : PQsocket(connection_);
}

short PgConnection::events() const {
  if (state_ == State::Connecting) return connect_reads_ ? POLLIN : POLLOUT;
  return static_cast<short>(POLLIN | (unsent_ ? POLLOUT : 0));
}

std::optional<Boot> PgConnection::deadline() const {
  if (state_ != State::Connecting && state_ != State::Preparing) return std::nullopt;
  return connect_deadline_;
}

std::optional<PgAnswer> PgConnection::poll(Boot now) {
  // Checked before any answer is read: answers of a server that is no longer the primary do not
  // count.
  if (timeline_ != 0 && !only_ && servers_.is_former(timeline_))
    return lost(servers_.why_former(timeline_));
  switch (state_) {
    case State::Closed: return std::nullopt;
    case State::Connecting: return poll_connecting(now);
    case State::Preparing: return poll_preparing(now);
    case State::Idle:
    case State::Busy:
    case State::RollingBack: return poll_results();
  }
  CHECK(false && "unknown state of a connection");
}

std::optional<PgAnswer> PgConnection::poll_connecting(Boot now) {
  if (PQstatus(connection_) == CONNECTION_BAD) return lost(PQerrorMessage(connection_));
  while (is_ready(fd(), connect_reads_)) {
    ++socket_number_;
    switch (PQconnectPoll(connection_)) {
      case PGRES_POLLING_READING: connect_reads_ = true; break;
      case PGRES_POLLING_WRITING: connect_reads_ = false; break;
      case PGRES_POLLING_OK: return prepare();
      case PGRES_POLLING_FAILED:
      case PGRES_POLLING_ACTIVE: return lost(PQerrorMessage(connection_));
    }
  }
  if (now >= connect_deadline_) return lost("PostgreSQL did not accept the connection within 10 s");
  return std::nullopt;
}

std::optional<PgAnswer> PgConnection::prepare() {
  if (PQsetnonblocking(connection_, 1) != 0 || PQenterPipelineMode(connection_) != 1)
    return lost(PQerrorMessage(connection_));
  state_ = State::Preparing;
  const auto send_prepare = [this](const std::string& name) {
    if (PQsendPrepare(connection_, name.c_str(), query_text(name).c_str(), 0, nullptr) != 1)
      broken_ = true;
  };
  // This query uses no table. Its answer comes even if all other queries wait for a lock.
  send_prepare("session_settings");
  send({"session_settings", {}});
  if (PQsendFlushRequest(connection_) != 1) broken_ = true;
  for (const std::string& name : queries_)
    if (name != "session_settings") send_prepare(name);
  if (sends_rows()) send({"row_types", {}});
  send({"server_timeline", {}});
  send_sync();
  return poll_results();
}

bool PgConnection::sends_rows() const {
  return std::ranges::find(queries_, "row_types") != queries_.end();
}

// Advances a connection that prepares its queries. Gives it up if the server has accepted it and
// then does not answer in time.
std::optional<PgAnswer> PgConnection::poll_preparing(Boot now) {
  if (auto answer = poll_results()) return answer;
  if (state_ == State::Preparing && now >= connect_deadline_)
    return lost(rows_.empty() ? "PostgreSQL did not answer within 10 s" : table_is_locked);
  return std::nullopt;
}

std::optional<Boot> PgConnection::asked_at() const {
  if (state_ != State::Busy && state_ != State::RollingBack) return std::nullopt;
  return asked_at_;
}

void PgConnection::run(const std::vector<PgStatement>& statements, Boot now, Take take) {
  run(sent_in_order(statements), now, std::move(take));
}

void PgConnection::run(const MakeStatements& make, Boot now, Take take) {
  CHECK(state_ == State::Idle);
  take_ = std::move(take);
  asked_at_ = now;
  state_ = State::Busy;
  make([this](const PgStatement& statement) { send(statement); });
  send_sync();
}

void PgConnection::send_batch(const PgStatement& statement) {
  constexpr int binary = 1;
  const char* const value = statement.batch->data();
  const int length = static_cast<int>(statement.batch->size());
  if (PQsendQueryPrepared(connection_, statement.query.c_str(), 1, &value, &length, &binary, 0) !=
      1)
    broken_ = true;
}

void PgConnection::send(const PgStatement& statement) {
  if (statement.batch) return send_batch(statement);
  std::vector<const char*> values;
  for (const PgText& parameter : statement.parameters)
    values.push_back(parameter ? parameter->c_str() : nullptr);
  if (PQsendQueryPrepared(connection_, statement.query.c_str(), static_cast<int>(values.size()),
                          values.data(), nullptr, nullptr, 0) != 1)
    broken_ = true;
}

void PgConnection::send_sync() {
  if (PQpipelineSync(connection_) != 1) broken_ = true;
  const int flushed = PQflush(connection_);
  unsent_ = flushed > 0;
  if (flushed < 0) broken_ = true;
}

std::optional<PgAnswer> PgConnection::poll_results() {
  if (unsent_) {
    const int flushed = PQflush(connection_);
    unsent_ = flushed > 0;
    broken_ = broken_ || flushed < 0;
  }
  // A server that shuts down first sends the error 57P01, so results are read before the connection
  // is given up.
  const bool gone = PQconsumeInput(connection_) != 1 || broken_;
  while (state_ != State::Idle && PQisBusy(connection_) == 0) {
    pg_result* const result = PQgetResult(connection_);
    if (result == nullptr && PQstatus(connection_) == CONNECTION_BAD) break;
    if (result == nullptr) continue;  // between two statements
    if (auto answer = take_result(result)) return answer;
  }
  if (gone || PQstatus(connection_) == CONNECTION_BAD)
    return lost(message_.empty() ? PQerrorMessage(connection_) : message_);
  return std::nullopt;
}

std::optional<PgAnswer> PgConnection::take_result(pg_result* result) {
  PgRows rows(result);
  switch (PQresultStatus(result)) {
    case PGRES_PIPELINE_SYNC: return on_sync();
    case PGRES_PIPELINE_ABORTED: return std::nullopt;
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
      if (take_) {
        take_(rows);
      } else {
        rows_.push_back(std::move(rows));
      }
      return std::nullopt;
    default: break;
  }
  if (message_.empty()) {
    const char* const sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    sqlstate_ = sqlstate == nullptr ? "" : sqlstate;
    message_ = PQresultErrorMessage(result);
    plan_is_stale_ = is_of_stale_plan(result);
  }
  return std::nullopt;
}

std::optional<PgAnswer> PgConnection::on_sync() {
  const bool refused = !message_.empty();
  take_ = {};
  // A new connection prepares the queries again, for the columns that the tables have now.
  if (std::exchange(plan_is_stale_, false)) return lost(message_);
  if (state_ == State::Preparing && refused)
    return lost(sqlstate_ == lock_not_available ? table_is_locked : "cannot prepare: " + message_);
  if (PQtransactionStatus(connection_) == PQTRANS_INERROR) {
    if (state_ == State::RollingBack) return lost("cannot roll back: " + message_);
    state_ = State::RollingBack;
    send({"rollback", {}});
    send_sync();
    return std::nullopt;
  }
  const bool ready = state_ == State::Preparing;
  state_ = State::Idle;
  PgAnswer answer;
  answer.kind = refused ? PgAnswer::Kind::Failed
                : ready ? PgAnswer::Kind::Ready
                        : PgAnswer::Kind::Done;
  answer.rows = std::exchange(rows_, {});
  if (ready && !refused && sends_rows())
    row_types_ = PgRowTypes(answer.rows.at(answer.rows.size() - 2));
  if (!refused && (ready || only_))
    if (auto former = note_timeline(answer.rows.back().number(0, "timeline"))) return former;
  answer.sqlstate = std::exchange(sqlstate_, {});
  answer.message = error_line(std::exchange(message_, {}));
  return answer;
}

// Records the server's timeline, before any other statement is sent. Returns Lost if the server is
// not the primary.
std::optional<PgAnswer> PgConnection::note_timeline(std::int64_t timeline) {
  if (timeline != 0) servers_.saw(PQhost(connection_), PQport(connection_), timeline);
  if (only_) return std::nullopt;
  if (timeline == 0) return lost("the server has become a replica");
  if (servers_.is_former(timeline)) return lost(servers_.why_former(timeline));
  timeline_ = timeline;
  return std::nullopt;
}

PgAnswer PgConnection::lost(const std::string& message) {
  PgAnswer answer;
  answer.message = reason_of(message);
  if (answer.message.empty()) answer.message = "the connection to PostgreSQL was lost";
  close();
  return answer;
}

}  // namespace cox
