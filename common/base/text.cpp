#include "common/base/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cox {
namespace {

struct Character {
  std::size_t bytes = 0;  // length in UTF-8; 0: no valid character
  std::uint32_t code = 0;
};

// Returns the character at the beginning. REQUIRES: text is not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {1, byte(0)};
  const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || bytes > text.size()) return {};
  std::uint32_t code = byte(0) & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const bool overlong = code < (bytes == 4 ? 0x10000u : bytes == 3 ? 0x800u : 0x80u);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return {};
  return {bytes, code};
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

// Returns whether a terminal would reorder the text around this character, or break the line.
bool reorders(std::uint32_t code) {
  return code == 0x061c || code == 0x200e || code == 0x200f || code == 0x2028 || code == 0x2029 ||
         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.bytes == 0) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

bool has_control_characters(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.bytes != 0 && is_control(character.code)) return true;
    text.remove_prefix(character.bytes == 0 ? 1 : character.bytes);
  }
  return false;
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.bytes == 0 || is_control(character.code) || reorders(character.code)) {
      shown += '?';
      text.remove_prefix(character.bytes == 0 ? 1 : character.bytes);
    } else {
      shown += text.substr(0, character.bytes);
      text.remove_prefix(character.bytes);
    }
  }
  return shown;
}

std::string cut_text(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end));
}

std::string quoted(std::string_view text) {
  constexpr std::size_t bytes_max = 60;
  const bool is_cut = text.size() > bytes_max;
  std::string shown = printable(is_cut ? cut_text(text, bytes_max) : std::string(text));
  std::ranges::replace(shown, '"', '\'');  // then only the outer quotes are double quotes
  return "\"" + shown + (is_cut ? "...\"" : "\"");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : between) + parts[i];
  return text;
}

std::string names_in_short(const std::vector<std::string>& names) {
  constexpr std::size_t names_max = 16;
  constexpr std::size_t bytes_max = 200;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0 && (i == names_max || text.size() + names[i].size() > bytes_max))
      return text + " and " + std::to_string(names.size() - i) + " more";
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return text;
}

std::string comma_list(const std::vector<std::int32_t>& numbers) {
  std::string text;
  for (const std::int32_t number : numbers) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string lower_case(std::string_view text) {
  std::string low(text);
  for (char& c : low)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return low;
}

}  // namespace cox
