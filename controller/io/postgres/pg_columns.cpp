#include "controller/io/postgres/pg_columns.h"

#include "controller/io/postgres/pg_queries.h"

namespace cox {

RowBatch::RowBatch(const PgRowTypes& types, const char* query)
    : query_(query), writer_(types.of(row_type_of(query_text(query)))) {}

int RowReader::next_column(std::string_view name) {
  if (column_ == columns_.size()) columns_.push_back(rows_.column(std::string(name).c_str()));
  return columns_[column_++];
}

}  // namespace cox
