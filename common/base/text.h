// Text that came from outside: what may be stored (PostgreSQL takes valid UTF-8 without NUL alone),
// what may be shown on a terminal (no control characters), and its parts. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cox {

// No overlong forms, no surrogates, nothing beyond U+10FFFF. NUL is valid UTF-8: ask for it apart.
bool is_utf8(std::string_view text);

// C0 and C1 control characters (newline and tabulator too) and DEL.
bool has_control_characters(std::string_view text);

// As a person may see it on a terminal: each control character and each byte that is not valid
// UTF-8 becomes '?', and so does what would show the text around it in another order.
std::string printable(std::string_view text);

// The first bytes of a valid UTF-8 text: at most bytes_max, and no character in half.
std::string cut_text(std::string_view text, std::size_t bytes_max);

// printable(), in quotes, cut after 60 bytes: for naming in a refusal what was refused.
std::string quoted(std::string_view text);

// These two match a std::string better than std::quoted does, which <iomanip> declares and
// argument-dependent lookup finds. Newer standard libraries include <iomanip> with <chrono>.
inline std::string quoted(const std::string& text) {
  return quoted(std::string_view(text));
}
inline std::string quoted(std::string& text) {
  return quoted(std::string_view(text));
}

// The parts between separators; one more than there are separators, so some may be empty. Views
// into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string joined(const std::vector<std::string>& parts, const std::string& between);
std::string comma_list(const std::vector<std::int32_t>& numbers);  // "0,2,5"

// What a path names, without the folders before it.
std::string base_name(std::string_view path);

// Of letters of ASCII; others stay as they are.
std::string lower_case(std::string_view text);

}  // namespace cox
