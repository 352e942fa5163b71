// The rows one statement answered with, as text; NULL is nothing. Owns libpq's result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct pg_result;

namespace cox {

class PgRows {
 public:
  explicit PgRows(pg_result* result);
  ~PgRows();
  PgRows(PgRows&&) noexcept;
  PgRows& operator=(PgRows&&) noexcept;

  int size() const;
  int column(const char* name) const;  // CHECKs that there is one
  std::optional<std::string_view> cell(int row, int column) const;
  std::optional<std::string_view> cell(int row, const char* name) const {
    return cell(row, column(name));
  }
  std::int64_t number(int row, const char* name) const;  // CHECKs that it is one

 private:
  pg_result* result_;
};

}  // namespace cox
