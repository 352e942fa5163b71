// PostgreSQL's text form of arrays, {"a","b\"c"}. Parameters that are arrays are sent in it, and
// columns with arrays are received in it. Used by this folder and by controller/io/records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cox {

class PgArrayText {
 public:
  void add(const std::string& element);
  std::string text() const { return body_.empty() ? "{}" : body_ + "}"; }

 private:
  std::string body_;
};

std::string array_text(const std::vector<std::string>& elements);

// Returns the elements of the array. REQUIRES: PostgreSQL has written the text; the array has one
// dimension and no NULLs.
std::vector<std::string> array_elements(std::string_view literal);

std::string hex_text(std::string_view bytes);  // bytea as \x6162
std::string bytes_of_hex(std::string_view text);

}  // namespace cox
