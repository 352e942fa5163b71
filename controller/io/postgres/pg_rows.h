// The rows that one statement has returned, as text; a NULL has no text. Owns libpq's result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct pg_result;

namespace cox {

// The SQLSTATE of a statement that waited for a lock until lock_timeout.
constexpr std::string_view lock_not_available = "55P03";

class PgRows {
 public:
  explicit PgRows(pg_result* result);
  ~PgRows();
  PgRows(PgRows&&) noexcept;
  PgRows& operator=(PgRows&&) noexcept;

  int size() const;
  int column(const char* name) const;  // CHECKs that the column exists
  std::optional<std::string_view> cell(int row, int column) const;
  std::optional<std::string_view> cell(int row, const char* name) const {
    return cell(row, column(name));
  }
  std::int64_t number(int row, const char* name) const;  // CHECKs that the cell has a number

 private:
  pg_result* result_;
};

}  // namespace cox
