// The named queries of sql/queries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cox {

// Returns the text of the query; CHECKs that it exists.
const std::string& query_text(std::string_view name);

// Returns the queries that a connection of the store prepares when it opens: all except those in
// sql/queries/schema, which run once at start (schema.cpp), and those of the leader's lease.
const std::vector<std::string>& store_query_names();

}  // namespace cox
