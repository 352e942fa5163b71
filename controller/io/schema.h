// Brings the database's schema to what this program was built for (sql/migrations): forward only,
// one transaction for each migration, under an advisory lock. Runs before a controller loads and
// waits; nothing else of it runs yet.
//
// Refused: a database that is newer than this program, and one whose migrations had another text.
#pragma once

#include <string>
#include <vector>

#include "common/result.h"
#include "controller/io/sql_texts.h"

namespace cox {

// Whether a server is there and takes connections; waits a moment for its answer.
bool database_answers(const std::string& conninfo);

// Of a database whose schema knows of leaders only whoever leads may change it.
Result<bool> schema_knows_leaders(const std::string& conninfo);

int newest_migration();  // that this program knows
Refusal schema_too_new(int schema);

Failure migrate_schema(const std::string& conninfo);
// With other migrations than ours, for tests.
Failure migrate_schema(const std::string& conninfo, const std::vector<SqlText>& migrations);

}  // namespace cox
