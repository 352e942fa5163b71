// The texts of sql/migrations, sql/functions, sql/views and sql/queries, built into the program
// (cmake/embed_sql.cmake).
#pragma once

#include <string>
#include <vector>

namespace cox {

struct SqlText {
  std::string name;  // the name of the file, without ".sql"
  std::string text;
};

const std::vector<SqlText>& sql_migrations();  // the migrations, sorted by number
const std::vector<SqlText>& sql_functions();
const std::vector<SqlText>& sql_views();
const std::vector<SqlText>& sql_queries();

}  // namespace cox
