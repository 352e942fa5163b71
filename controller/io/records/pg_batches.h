// Converts a turn to the statements that store it: one batch for each kind of change, ordered so
// that each batch can rely on the earlier ones. Pure; the texts of the statements are in
// sql/queries. Used by postgres_store.cpp.
//
// If a turn changes a job several times, the job gets one guarded update, from its state before the
// turn to its state after it. The same holds for other rows: the last change of the turn is
// written. Attempts that end are written before attempts that begin, since a job has one live
// attempt at a time.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "controller/change/store.h"
#include "controller/io/postgres/pg_columns.h"

namespace cox {

// Sends the statements of the turn, which run as one transaction. `known`: hashes of blobs that the
// database has already; they are not sent again. If the turn wants blobs, blobs_wanted is the last
// statement. `types`: the row types of the server that gets the statements.
void send_turn(const Turn& turn, std::int64_t session, const std::set<std::string>& known,
               const PgRowTypes& types, const SendStatement& send);
// Returns the hashes of all blobs that the turn adds.
std::vector<std::string> hashes_brought(const Turn& turn);
PgStatement blobs_wanted(const Turn& turn);

}  // namespace cox
