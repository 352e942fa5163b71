// Upgrades the database's schema to the one that this program was built with. First it applies the
// migrations that the database lacks (sql/migrations; forward only, one transaction each). Then, if
// a migration was applied or a text has changed, it applies all functions and views (sql/functions,
// sql/views; one transaction). An advisory lock admits one controller at a time. All of this
// blocks; it runs before a controller loads.
//
// Refused: a database that is newer than this program, a database whose migrations had another
// text, and a database from before the first release.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "controller/io/postgres/pg_servers.h"
#include "controller/io/postgres/sql_texts.h"

namespace cox {

// Returns why no server takes writes now, if waiting may help. Returns nothing if a server takes
// writes, or if all refuse the connection for a lasting reason (a wrong password, for example).
// Blocks until the servers have answered.
std::optional<std::string> database_trouble(PgServers& servers);

// Returns whether the database has a schema. If it has one, only the leader may change it.
Result<bool> schema_exists(PgServers& servers);

// Returns whether the database has jobs. A database without a schema has none.
Result<bool> has_jobs(PgServers& servers);

// Returns the term of the newest leader that the database has recorded; Term{}: none, as in a
// database without a schema.
Result<Term> newest_term(PgServers& servers);

int newest_migration();  // returns the highest number of a migration that this program has
int oldest_migration();  // returns the number of the first one, the oldest schema it can upgrade
Refusal schema_too_new(int schema);

// The SQL texts that a program was built with. Tests pass the texts of older and newer programs.
struct SchemaTexts {
  std::vector<SqlText> migrations = sql_migrations();
  std::vector<SqlText> functions = sql_functions();
  std::vector<SqlText> views = sql_views();
};

Failure migrate_schema(PgServers& servers, const SchemaTexts& texts = {});

}  // namespace cox
