#include "controller/io/postgres/pg_queries.h"

#include "common/base/check.h"
#include "controller/io/postgres/sql_texts.h"

namespace cox {

const std::string& query_text(std::string_view name) {
  for (const auto& query : sql_queries())
    if (query.name == name) return query.text;
  CHECK(false && "no such file in sql/queries");
}

const std::vector<std::string>& store_query_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& query : sql_queries())
      if (!query.name.starts_with("schema_") && !query.name.starts_with("leadership_"))
        all.push_back(query.name);
    return all;
  }();
  return names;
}

}  // namespace cox
