// What `cox doctor` asks cox-controller, which alone knows PostgreSQL: whether the database can be
// used. Waits; changes nothing.
#pragma once

#include <string>

namespace cox {

// key=value lines: error=TEXT alone, or server_version, schema_version (0: none yet), schema_known,
// writable (1 or 0), clock_offset_ms (its clock less ours) and clock_bound_ms (how far off that may
// be).
std::string check_database(const std::string& conninfo);

}  // namespace cox
