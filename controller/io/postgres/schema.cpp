#include "controller/io/postgres/schema.h"

#include <libpq-fe.h>

#include <charconv>
#include <map>
#include <memory>

#include "controller/io/postgres/pg_queries.h"
#include "controller/io/postgres/pg_rows.h"
#include "controller/io/postgres/pg_session.h"

namespace cox {
namespace {

int number_of(const SqlText& migration) {
  int number = 0;
  const auto& name = migration.name;
  std::from_chars(name.data(), name.data() + name.size(), number);
  CHECK(number > 0);  // files are named 001_initial.sql and so on
  return number;
}

using Checksums = std::map<int, std::string>;  // by version

Checksums versions_applied(PgSession& session) {
  const PgRows exists = session.ask("schema_exists");
  if (session.failure() || exists.cell(0, 0) != "t") return {};
  const PgRows rows = session.ask("schema_versions");
  Checksums versions;
  if (session.failure()) return versions;
  for (int row = 0; row < rows.size(); ++row)
    versions[static_cast<int>(rows.number(row, "version"))] = rows.cell(row, "checksum").value();
  return versions;
}

Refusal too_new(int schema, int newest) {
  return {
      "the database has schema version " + std::to_string(schema) +
          ", this program knows only up to " + std::to_string(newest),
      "Migrations go forward only: start a controller at least as new as the one that last used "
      "this database."};
}

void refuse_newer(PgSession& session, const Checksums& applied, int newest) {
  if (applied.empty() || applied.rbegin()->first <= newest) return;
  session.refuse(too_new(applied.rbegin()->first, newest));
}

void apply(PgSession& session, const SqlText& migration) {
  session.ask("begin");
  session.ask("schema_writer");
  session.run_script(migration);
  session.ask("schema_record",
              {std::to_string(number_of(migration)), migration.name, migration.text});
  session.ask("commit");
}

void apply_or_compare(PgSession& session, const SqlText& migration, const Checksums& applied) {
  const auto known = applied.find(number_of(migration));
  if (known == applied.end()) return apply(session, migration);
  const PgRows checksum = session.ask("schema_checksum", {migration.text});
  if (session.failure() || checksum.cell(0, 0) == known->second) return;
  session.refuse({"migration " + migration.name + " was applied to this database with another text",
                  "A migration never changes once it was applied: use the program that made this "
                  "database, or write a new migration."});
}

using PgHandle = std::unique_ptr<PGconn, void (*)(PGconn*)>;

bool takes_reads(const PgServers& servers) {
  for (std::size_t server = 0; server < servers.all().size(); ++server) {
    const PgConnectWords words = servers.words_of(server);
    const PgHandle any(PQconnectdbParams(words.keywords(), words.values(), 1), PQfinish);
    if (PQstatus(any.get()) == CONNECTION_OK) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> database_trouble(PgServers& servers) {
  const PgSession session(servers);
  if (!session.failure()) return std::nullopt;
  const PgConnectWords words = servers.words();
  const PGPing ping = PQpingParams(words.keywords(), words.values(), 1);
  const bool is_away = ping == PQPING_NO_RESPONSE || ping == PQPING_REJECT;
  // Who lets us in takes no writes: it is a replica, or a former primary.
  if (is_away || takes_reads(servers)) return session.failure()->fact;
  return std::nullopt;
}

Result<bool> schema_knows_leaders(PgServers& servers) {
  PgSession session(servers);
  const PgRows known = session.ask("schema_leadership");
  if (session.failure()) return *session.failure();
  return known.cell(0, 0) == "t";
}

int newest_migration() {
  return number_of(sql_migrations().back());
}

Refusal schema_too_new(int schema) {
  return too_new(schema, newest_migration());
}

Failure migrate_schema(PgServers& servers) {
  return migrate_schema(servers, sql_migrations());
}

Failure migrate_schema(PgServers& servers, const std::vector<SqlText>& migrations) {
  CHECK(!migrations.empty());
  PgSession session(servers);
  session.ask("schema_lock");  // goes with the session
  const Checksums applied = versions_applied(session);
  refuse_newer(session, applied, number_of(migrations.back()));
  for (const SqlText& migration : migrations) {
    if (session.failure()) break;
    apply_or_compare(session, migration, applied);
  }
  session.ask("schema_partitions");
  return session.failure();
}

}  // namespace cox
