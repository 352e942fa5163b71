// A turn as the statements that make it true: one batch for each kind of change, in an order in
// which each may rely on those before. Pure; the statements' texts are in sql/queries.
//
// Several changes of one job go into as many batches, one after another, so that the database
// guards (and, in tests, checks) every single step. Of attempts, checkpoints and nodes, which are
// not guarded by state, the last row of the turn wins. Attempts that end are written before those
// that begin: one may be live at a time.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "controller/change/store.h"
#include "controller/io/postgres/pg_columns.h"

namespace cox {

// From begin to commit. `known`: hashes of blobs the database has already, which are not sent
// again. When the turn wants blobs, the answer to blobs_wanted is the last but one.
std::vector<PgStatement> turn_statements(const Turn& turn, std::int64_t session,
                                         const std::set<std::string>& known);
// Of all blobs the turn brings.
std::vector<std::string> hashes_brought(const Turn& turn);
PgStatement blobs_wanted(const Turn& turn);

}  // namespace cox
