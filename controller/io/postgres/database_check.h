// The check of `cox-controller --check-database`, which `cox doctor` runs: whether the controller
// can use the database. Blocks; changes nothing.
#pragma once

#include <string>

namespace cox {

// Returns key=value lines: only error=TEXT if the database cannot be used; otherwise
// server_version, schema_version (0: there is no schema yet), schema_known (the newest that this
// program knows), schema_oldest (the oldest that it can upgrade), writable (1 or 0),
// clock_offset_ms (the database's clock minus ours) and clock_bound_ms (the largest possible error
// of that offset). If a session keeps the controller from writing, also lock_pid, lock_user_name,
// lock_state, lock_query and lock_in_use_ms (the age of its transaction; -1: unknown).
std::string check_database(const std::string& conninfo);

}  // namespace cox
