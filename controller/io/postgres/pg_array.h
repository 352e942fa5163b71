// PostgreSQL's literals of arrays, {"a","b\"c",NULL}, and of rows: how a batch travels, and how a
// row's own arrays come back. Used by pg_columns.h and schema.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cox {

class PgArrayText {
 public:
  void add(const std::optional<std::string>& element);
  std::string text() const { return body_.empty() ? "{}" : body_ + "}"; }

 private:
  std::string body_;
};

// Rows as an array of a composite type: {"(1,\"two words\",)","(2,…)"}.
class PgRowsText {
 public:
  void add(const std::optional<std::string>& field);
  void end_row();
  std::string text() const { return body_.empty() ? "{}" : body_ + "}"; }

 private:
  std::string body_;
  bool in_row_ = false;
};

std::string array_text(const std::vector<std::string>& elements);

// REQUIRES: a literal as the server prints it, of one dimension and without NULLs.
std::vector<std::string> array_elements(std::string_view literal);

std::string hex_text(std::string_view bytes);  // bytea as \x6162
std::string bytes_of_hex(std::string_view text);

}  // namespace cox
