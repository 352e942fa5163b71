// One blocking connection to PostgreSQL, for work before a controller serves requests and after it
// has stopped (schema.cpp, orderly_stop.cpp).
#pragma once

#include <libpq-fe.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "controller/io/postgres/pg_queries.h"
#include "controller/io/postgres/pg_rows.h"
#include "controller/io/postgres/pg_servers.h"
#include "controller/io/postgres/sql_texts.h"

namespace cox {

// After the first failure it sends nothing more, so a caller may check for a failure once, at the
// end.
class PgSession {
 public:
  explicit PgSession(PgServers& servers) {
    const PgConnectParameters parameters = servers.parameters();
    connection_ = PQconnectdbParams(parameters.keywords(), parameters.values(), 1);
    PQsetNoticeProcessor(
        connection_, [](void*, const char*) {}, nullptr);
    if (PQstatus(connection_) != CONNECTION_OK)
      refuse(
          {"cannot reach the database: " + reason_of(PQerrorMessage(connection_)), database_hint});
    note_timeline(servers);
  }
  ~PgSession() { PQfinish(connection_); }
  PgSession(const PgSession&) = delete;
  PgSession& operator=(const PgSession&) = delete;

  PgRows ask(const std::string& query, const std::vector<std::string>& parameters = {}) {
    if (failure_) return PgRows(nullptr);
    std::vector<const char*> values;
    for (const auto& parameter : parameters) values.push_back(parameter.c_str());
    return checked(
        PQexecParams(connection_, query_text(query).c_str(), static_cast<int>(values.size()),
                     nullptr, values.data(), nullptr, nullptr, 0),
        query);
  }
  void run_script(const SqlText& script) {
    if (!failure_) checked(PQexec(connection_, script.text.c_str()), script.name);
  }
  void refuse(Refusal refusal) {
    if (!failure_) failure_ = std::move(refusal);
  }
  const Failure& failure() const { return failure_; }

 private:
  void note_timeline(PgServers& servers) {
    const PgRows rows = ask("server_timeline");
    if (failure_) return;
    const std::int64_t timeline = rows.number(0, "timeline");
    servers.saw(PQhost(connection_), PQport(connection_), timeline);
    if (servers.is_former(timeline)) refuse({servers.why_former(timeline), database_hint});
  }
  PgRows checked(pg_result* result, const std::string& what) {
    const auto status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return PgRows(result);
    const char* sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const bool is_in_use = sqlstate != nullptr && sqlstate == lock_not_available;
    refuse({"the database refuses " + what + ": " + error_line(PQerrorMessage(connection_)),
            is_in_use ? "A session uses a table or view of schema cox: end it. pg_stat_activity "
                        "lists all sessions. The controller tries again."
                      : "The controller's role must own schema cox."});
    return PgRows(result);
  }

  static constexpr const char* database_hint =
      "Is PostgreSQL running, and is database = \"…\" in coxswain.toml right?";

  pg_conn* connection_ = nullptr;
  Failure failure_;
};

}  // namespace cox
