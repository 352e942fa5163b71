#include "controller/io/postgres/pg_rows.h"

#include <libpq-fe.h>

#include <charconv>
#include <cstdint>
#include <utility>

#include "common/base/check.h"

namespace cox {

PgRows::PgRows(pg_result* result) : result_(result) {}
PgRows::~PgRows() {
  PQclear(result_);
}
PgRows::PgRows(PgRows&& other) noexcept : result_(std::exchange(other.result_, nullptr)) {}
PgRows& PgRows::operator=(PgRows&& other) noexcept {
  std::swap(result_, other.result_);
  return *this;
}

int PgRows::size() const {
  return PQntuples(result_);
}

int PgRows::column(const char* name) const {
  const int number = PQfnumber(result_, name);
  CHECK(number >= 0);
  return number;
}

std::optional<std::string_view> PgRows::cell(int row, int column) const {
  const char* const text = PQgetvalue(result_, row, column);
  CHECK(text != nullptr);  // `text` is null if there is no such row or column
  const auto length = static_cast<std::size_t>(PQgetlength(result_, row, column));
  if (length == 0 && PQgetisnull(result_, row, column)) return std::nullopt;
  return std::string_view(text, length);
}

std::int64_t PgRows::number(int row, const char* name) const {
  const auto text = cell(row, name);
  CHECK(text.has_value());
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  CHECK(error == std::errc{} && end == text->data() + text->size());
  return value;
}

}  // namespace cox
