#include "common/base/log_line.h"

#include <algorithm>
#include <set>

#include "common/base/text.h"

namespace cox {
namespace {

// Longest number in JSON. Parsers that read numbers as doubles would round more digits, so longer
// ones are written as text.
constexpr std::size_t digits_max = 15;

bool is_key(std::string_view word) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  return !word.empty() && std::all_of(word.begin(), word.end(), allowed);
}

std::string hex_escape(unsigned char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  return std::string("\\u00") + digits[byte >> 4] + digits[byte & 15];
}

// Returns the first UTF-8 character of the text, or the first byte if no valid character begins
// there.
std::string_view first_character(std::string_view text) {
  constexpr std::size_t bytes_max = 4;
  for (std::size_t size = 1; size <= std::min(bytes_max, text.size()); ++size) {
    if (is_utf8(text.substr(0, size))) return text.substr(0, size);
  }
  return text.substr(0, 1);
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto character = first_character(text);
    const auto byte = static_cast<unsigned char>(character.front());
    text.remove_prefix(character.size());
    if (character == "\"" || character == "\\") {
      out += '\\';
      out += character;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += hex_escape(byte);
    } else {
      out += is_utf8(character) ? character : "\\ufffd";
    }
  }
  return out + "\"";
}

bool is_number(std::string_view value) {
  const bool digits = value.find_first_not_of("0123456789") == value.npos;
  return digits && !value.empty() && value.size() <= digits_max &&
         (value == "0" || value.front() != '0');
}

// One word, or one pair key=value, taken from the front of a line. A quoted value may contain
// blanks.
struct Taken {
  std::string_view key;  // empty: a word
  std::string value;
  bool is_quoted = false;
};

Taken take_quoted(std::string_view key, std::string_view& rest) {
  Taken taken{key, "", true};
  std::size_t at = 1;
  while (at < rest.size() && rest[at] != '"') {
    if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
    taken.value += rest[at++];
  }
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return taken;
}

Taken take(std::string_view& rest) {
  const auto end = std::min(rest.find(' '), rest.size());
  const auto word = rest.substr(0, end);
  const auto equals = word.find('=');
  const bool is_pair = equals != word.npos && is_key(word.substr(0, equals));
  if (is_pair && equals + 1 < word.size() && word[equals + 1] == '"') {
    rest.remove_prefix(equals + 1);
    return take_quoted(word.substr(0, equals), rest);
  }
  rest.remove_prefix(end);
  if (is_pair) return {word.substr(0, equals), std::string(word.substr(equals + 1)), false};
  return {"", std::string(word), false};
}

}  // namespace

std::string quoted_value(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string about(AttemptKey key) {
  return "job=" + std::to_string(key.job.value) + " attempt=" + std::to_string(key.attempt.value) +
         " ";
}

std::string json_members(std::string_view line) {
  std::set<std::string_view> names{"time", "level", "program", "fact"};
  std::string members;
  std::string words;
  while (!line.empty()) {
    if (line.front() == ' ') {
      line.remove_prefix(1);
      continue;
    }
    const Taken taken = take(line);
    if (!taken.key.empty() && names.insert(taken.key).second) {
      const bool bare = !taken.is_quoted && is_number(taken.value);
      members += json_string(taken.key) + ":" + (bare ? taken.value : json_string(taken.value));
      members += ",";
      continue;
    }
    if (!words.empty()) words += " ";
    if (!taken.key.empty()) words += std::string(taken.key) + "=";
    words += taken.value;
  }
  if (!words.empty()) return members + "\"fact\":" + json_string(words);
  if (!members.empty()) members.pop_back();
  return members;
}

}  // namespace cox
