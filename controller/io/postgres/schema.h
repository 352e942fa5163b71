// Brings the database's schema to what this program was built for (sql/migrations): forward only,
// one transaction for each migration, under an advisory lock. Runs before a controller loads and
// waits; nothing else of it runs yet.
//
// Refused: a database that is newer than this program, and one whose migrations had another text.
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

// Of a database whose schema knows of leaders only whoever leads may change it.
Result<bool> schema_knows_leaders(PgServers& servers);

int newest_migration();  // that this program knows
Refusal schema_too_new(int schema);

Failure migrate_schema(PgServers& servers);
// With other migrations than ours, for tests.
Failure migrate_schema(PgServers& servers, const std::vector<SqlText>& migrations);

}  // namespace cox
