#include "controller/io/postgres/database_check.h"

#include <libpq-fe.h>

#include <memory>

#include "common/io/clock.h"
#include "controller/io/postgres/pg_queries.h"
#include "controller/io/postgres/pg_rows.h"
#include "controller/io/postgres/pg_servers.h"
#include "controller/io/postgres/schema.h"

namespace cox {
namespace {

using PgHandle = std::unique_ptr<PGconn, void (*)(PGconn*)>;

std::string error_of(PGconn* connection) {
  return "error=" + error_line(PQerrorMessage(connection)) + "\n";
}

bool has_rows(PGconn* connection, PgRows& rows, const char* query) {
  pg_result* result = PQexec(connection, query_text(query).c_str());
  const bool good = PQresultStatus(result) == PGRES_TUPLES_OK;
  rows = PgRows(result);
  return good;
}

std::string line(const char* name, std::int64_t value) {
  return std::string(name) + "=" + std::to_string(value) + "\n";
}

// Returns the lines about the session that keeps the controller from writing; "": there is none.
std::string lock_lines(PGconn* connection) {
  PgRows holders(nullptr);
  if (!has_rows(connection, holders, "schema_lock_holder") || holders.size() == 0) return "";
  std::string lines = line("lock_pid", holders.number(0, "pid")) +
                      line("lock_in_use_ms", holders.number(0, "in_use_ms"));
  for (const char* name : {"user_name", "state", "query"})
    lines +=
        "lock_" + std::string(name) + "=" + std::string(holders.cell(0, name).value_or("")) + "\n";
  return lines;
}

}  // namespace

std::string check_database(const std::string& conninfo) {
  const PgConnectParameters parameters(conninfo);
  const PgHandle owner(PQconnectdbParams(parameters.keywords(), parameters.values(), 1), PQfinish);
  PGconn* connection = owner.get();
  if (PQstatus(connection) != CONNECTION_OK) return error_of(connection);
  PgRows server(nullptr);
  // The first query of a session takes longer, so the query runs once before it is timed.
  if (!has_rows(connection, server, "schema_server")) return error_of(connection);
  const Now before = read_clock();
  if (!has_rows(connection, server, "schema_server")) return error_of(connection);
  const Now after = read_clock();
  std::int64_t version = 0;
  PgRows versions(nullptr);
  if (server.cell(0, "has_schema") == "t") {
    if (!has_rows(connection, versions, "schema_versions")) return error_of(connection);
    if (versions.size() > 0) version = versions.number(versions.size() - 1, "version");
  }
  const std::int64_t trip_ms = (after.boot - before.boot).count();
  const std::int64_t middle_ms = to_ms(before.wall) + trip_ms / 2;
  return "server_version=" + std::string(server.cell(0, "server_version").value()) + "\n" +
         line("schema_version", version) + line("schema_known", newest_migration()) +
         line("schema_oldest", oldest_migration()) +
         line("writable", server.cell(0, "writable") == "t") +
         line("clock_offset_ms", server.number(0, "clock_ms") - middle_ms) +
         line("clock_bound_ms", trip_ms / 2 + 1) + lock_lines(connection);
}

}  // namespace cox
