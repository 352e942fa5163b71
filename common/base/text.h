// Checks and changes text from outside. PostgreSQL stores only valid UTF-8 without NUL; a
// terminal must not get control characters. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cox {

// Returns whether the text is valid UTF-8. Overlong forms, surrogates and code points beyond
// U+10FFFF are invalid. NUL is valid: check for it separately.
bool is_utf8(std::string_view text);

// Returns whether the text has C0 or C1 control characters (newline and tab included) or DEL.
bool has_control_characters(std::string_view text);

// Makes text safe for a terminal. Replaces with '?' each control character, each byte that is not
// valid UTF-8, and each character that would reorder the text around it.
std::string printable(std::string_view text);

// Returns at most the first bytes_max bytes of a valid UTF-8 text, and never half a character.
std::string cut_text(std::string_view text, std::size_t bytes_max);

// Returns the text as printable() makes it, cut after 60 bytes, in double quotes. Refusals quote
// rejected input with this function.
std::string quoted(std::string_view text);

// These two overloads match a std::string better than std::quoted does. That function is declared
// by <iomanip>, which newer standard libraries include with <chrono>, and argument-dependent
// lookup would find it.
inline std::string quoted(const std::string& text) {
  return quoted(std::string_view(text));
}
inline std::string quoted(std::string& text) {
  return quoted(std::string_view(text));
}

// Returns the parts between separators, as views into `text`. There is one part more than there
// are separators, so parts may be empty.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string joined(const std::vector<std::string>& parts, const std::string& between);

// Returns "fast, fpga"; of a long list only its first names: "a, b, c and 40 more".
std::string names_in_short(const std::vector<std::string>& names);

std::string comma_list(const std::vector<std::int32_t>& numbers);  // "0,2,5"

// Returns the last part of a path, without its folders.
std::string base_name(std::string_view path);

// Converts ASCII letters to lower case and leaves all other bytes unchanged.
std::string lower_case(std::string_view text);

}  // namespace cox
