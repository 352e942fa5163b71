// The named queries of sql/queries, by name. A name that is not there is a bug (CHECK).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cox {

const std::string& query_text(std::string_view name);

// What a connection of the store prepares when it opens: all but those of the schema, which run
// once at start (schema.cpp), and of the leadership.
const std::vector<std::string>& store_query_names();

}  // namespace cox
