// Rows in PostgreSQL's binary form. The server then need not parse a text for each of a hundred
// columns, which took three quarters of the time of inserting a job in bulk (bench/measured.md).
// Used by RowBatch (pg_columns.h) and PgConnection.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.h"
#include "controller/io/postgres/pg_rows.h"

namespace cox {

using PgOid = std::uint32_t;  // PostgreSQL's number of a type

struct PgRowType {
  struct Column {
    PgOid oid = 0;
    PgOid element = 0;  // of an array's elements; else equal to `oid`
    bool is_enum = false;
    std::string name{};
  };
  PgOid oid = 0;
  std::vector<Column> columns;
};

// The row types of the schema on one server, which numbers them.
class PgRowTypes {
 public:
  PgRowTypes() = default;
  // `rows`: the answer of row_types.sql.
  explicit PgRowTypes(const PgRows& rows);

  // Returns the row type cox.`name`. REQUIRES: it exists.
  const PgRowType& of(std::string_view name) const;

 private:
  std::map<std::string, PgRowType, std::less<>> types_;
};

// Writes rows as a binary array of their row type. REQUIRES: the columns are written in the order
// of the type, and each value fits its column. Columns that are left out, because the site has
// added them, are NULL.
class PgRowWriter {
 public:
  explicit PgRowWriter(const PgRowType& type);

  // Goes to the column of this name. REQUIRES: it exists.
  void column(std::string_view name);
  // Each writes one column, or one element between begin_array() and end_array().
  void null();
  void number(std::int64_t value);  // of a number or, as 0 or 1, of a bool
  void real(double value);
  void time(Wall value);              // clamped by kept_time()
  void text(std::string_view value);  // also of an enumeration, a uuid and JSON

  void begin_array(std::size_t size);
  void end_array();
  void end_row();
  std::int32_t rows() const { return rows_; }
  std::size_t bytes() const { return bytes_.size(); }
  std::string array() &&;

 private:
  PgOid begin_value();
  void end_value();
  void fixed(std::uint64_t value, int bytes);

  const PgRowType* type_;
  std::string bytes_;
  std::size_t column_ = 0;
  std::size_t row_begin_ = 0;
  std::size_t array_begin_ = 0;  // 0: not within an array
  std::int32_t rows_ = 0;
};

// Returns the name of the row type if the first parameter of the query is an array of rows of the
// schema: "job" for $1::cox.job[]. Else empty.
std::string_view row_type_of(std::string_view query_text);

}  // namespace cox
