// Brings the database's schema to what this program was built for: first the migrations that the
// database lacks (sql/migrations; forward only, one transaction each), then all functions and views
// (sql/functions, sql/views; one transaction) if a text of them has changed or a migration came.
// An advisory lock lets one controller do it at a time. Runs before a controller loads, and waits.
//
// Refused: a database that is newer than this program, one whose migrations had another text, and
// one from before the first release.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "controller/io/postgres/pg_servers.h"
#include "controller/io/postgres/sql_texts.h"

namespace cox {

// Why no server takes writes as yet, though one may soon; nothing: one does, or it refuses what no
// wait would change. Waits a moment for the answers.
std::optional<std::string> database_trouble(PgServers& servers);

// Whether the database has a schema. If it has, only the leader may change it.
Result<bool> schema_exists(PgServers& servers);

int newest_migration();  // that this program knows
Refusal schema_too_new(int schema);

// What a program was built with: that of this program, or another one in tests.
struct SchemaTexts {
  std::vector<SqlText> migrations = sql_migrations();
  std::vector<SqlText> functions = sql_functions();
  std::vector<SqlText> views = sql_views();
};

Failure migrate_schema(PgServers& servers, const SchemaTexts& texts = {});

}  // namespace cox
