#include "controller/io/postgres/pg_array.h"

#include "common/base/check.h"

namespace cox {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

std::string quoted_element(std::string_view literal, std::size_t& at) {
  std::string element;
  for (++at; at < literal.size() && literal[at] != '"'; ++at) {
    if (literal[at] == '\\') ++at;
    CHECK(at < literal.size());
    element += literal[at];
  }
  CHECK(at < literal.size());
  ++at;
  return element;
}

}  // namespace

void PgArrayText::add(const std::string& element) {
  body_ += body_.empty() ? "{\"" : ",\"";
  for (const char c : element) {
    if (c == '"' || c == '\\') body_ += '\\';
    body_ += c;
  }
  body_ += '"';
}

std::string array_text(const std::vector<std::string>& elements) {
  PgArrayText array;
  for (const auto& element : elements) array.add(element);
  return array.text();
}

std::vector<std::string> array_elements(std::string_view literal) {
  CHECK(literal.size() >= 2 && literal.front() == '{' && literal.back() == '}');
  literal = literal.substr(1, literal.size() - 2);
  std::vector<std::string> elements;
  std::size_t at = 0;
  while (at < literal.size()) {
    if (literal[at] == '"') {
      elements.push_back(quoted_element(literal, at));
    } else {
      const std::size_t end = std::min(literal.find(',', at), literal.size());
      elements.emplace_back(literal.substr(at, end - at));
      at = end;
    }
    CHECK(at == literal.size() || literal[at] == ',');
    ++at;
  }
  return elements;
}

std::string hex_text(std::string_view bytes) {
  std::string text = "\\x";
  text.reserve(2 + bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += hex_digits[byte >> 4];
    text += hex_digits[byte & 15];
  }
  return text;
}

std::string bytes_of_hex(std::string_view text) {
  CHECK(text.starts_with("\\x") && text.size() % 2 == 0);
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 2; i < text.size(); i += 2) {
    const auto high = hex_digits.find(text[i]);
    const auto low = hex_digits.find(text[i + 1]);
    CHECK(high != std::string_view::npos && low != std::string_view::npos);
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

}  // namespace cox
