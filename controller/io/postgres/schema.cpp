#include "controller/io/postgres/schema.h"

#include <libpq-fe.h>

#include <charconv>
#include <map>
#include <memory>

#include "controller/io/postgres/pg_array.h"
#include "controller/io/postgres/pg_queries.h"
#include "controller/io/postgres/pg_rows.h"
#include "controller/io/postgres/pg_session.h"

namespace cox {
namespace {

int number_of(const SqlText& migration) {
  int number = 0;
  const auto& name = migration.name;
  std::from_chars(name.data(), name.data() + name.size(), number);
  CHECK(number > 0);  // files are named 100_baseline.sql and so on
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

// Refuses a database from before the first release. The first migration is the baseline; such
// databases have migrations with lower numbers.
void refuse_older(PgSession& session, const Checksums& applied, int baseline) {
  if (applied.empty() || applied.begin()->first >= baseline) return;
  session.refuse(
      {"the database was made by a program from before the first release, and cannot be "
       "upgraded: its schema version is " +
           std::to_string(applied.rbegin()->first) + ", the oldest known is " +
           std::to_string(baseline),
       "Create an empty database, and name it as database in coxswain.toml. The administrator "
       "guide shows what can be taken over (\"A database from before the first release\")."});
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

// Applies all functions and views again if any of their texts has changed, or after a migration,
// which may have dropped some. Their order does not matter.
void apply_definitions(PgSession& session, const SchemaTexts& texts) {
  std::string all;
  std::vector<std::string> names;
  std::vector<std::string> views;
  for (const SqlText& function : texts.functions) all += function.text;
  for (const SqlText& view : texts.views) {
    all += view.text;
    names.push_back(view.name);
    views.push_back(view.text);
  }
  const PgRows known = session.ask("schema_definitions", {all});
  if (session.failure() || known.cell(0, 0) == "t") return;
  session.ask("begin");
  session.ask("schema_writer");
  for (const SqlText& function : texts.functions) session.run_script(function);
  session.ask("schema_views", {array_text(names), array_text(views)});
  session.ask("schema_defined", {all});
  session.ask("commit");
}

using PgHandle = std::unique_ptr<PGconn, void (*)(PGconn*)>;

bool takes_reads(const PgServers& servers) {
  for (std::size_t server = 0; server < servers.all().size(); ++server) {
    const PgConnectParameters parameters = servers.parameters_of(server);
    const PgHandle any(PQconnectdbParams(parameters.keywords(), parameters.values(), 1), PQfinish);
    if (PQstatus(any.get()) == CONNECTION_OK) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> database_trouble(PgServers& servers) {
  const PgSession session(servers);
  if (!session.failure()) return std::nullopt;
  const PgConnectParameters parameters = servers.parameters();
  const PGPing ping = PQpingParams(parameters.keywords(), parameters.values(), 1);
  const bool is_away = ping == PQPING_NO_RESPONSE || ping == PQPING_REJECT;
  // A server that answers but takes only reads is a replica or a former primary; waiting for a
  // promotion may help.
  if (is_away || takes_reads(servers)) return session.failure()->fact;
  return std::nullopt;
}

Result<bool> schema_exists(PgServers& servers) {
  PgSession session(servers);
  const PgRows exists = session.ask("schema_exists");
  if (session.failure()) return *session.failure();
  return exists.cell(0, 0) == "t";
}

Result<bool> has_jobs(PgServers& servers) {
  const auto exists = schema_exists(servers);
  if (!exists || !*exists) return exists;
  PgSession session(servers);
  const PgRows jobs = session.ask("schema_has_jobs");
  if (session.failure()) return *session.failure();
  return jobs.cell(0, 0) == "t";
}

Result<Term> newest_term(PgServers& servers) {
  const auto exists = schema_exists(servers);
  if (!exists) return exists.refusal();
  if (!*exists) return Term{};
  PgSession session(servers);
  const PgRows turn = session.ask("schema_term");
  if (session.failure()) return *session.failure();
  return Term{turn.number(0, "term")};
}

int newest_migration() {
  return number_of(sql_migrations().back());
}

int oldest_migration() {
  return number_of(sql_migrations().front());
}

Refusal schema_too_new(int schema) {
  return too_new(schema, newest_migration());
}

Failure migrate_schema(PgServers& servers, const SchemaTexts& texts) {
  CHECK(!texts.migrations.empty());
  PgSession session(servers);
  session.ask("schema_lock");  // an advisory lock; the server releases it when the session ends
  const Checksums applied = versions_applied(session);
  refuse_newer(session, applied, number_of(texts.migrations.back()));
  refuse_older(session, applied, number_of(texts.migrations.front()));
  for (const SqlText& migration : texts.migrations) {
    if (session.failure()) break;
    apply_or_compare(session, migration, applied);
  }
  apply_definitions(session, texts);
  session.ask("schema_partitions");
  return session.failure();
}

}  // namespace cox
