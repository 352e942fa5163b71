#include "client/slurm/text/field_format.h"

#include <algorithm>
#include <cctype>

namespace cox {
namespace {

constexpr std::int64_t field_width_max = 65536;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Parses the number at index `at` and moves `at` past its digits. Returns at most field_width_max.
std::int64_t take_width(std::string_view text, std::size_t& at) {
  std::int64_t width = 0;
  for (; at < text.size() && is_digit(text[at]); ++at)
    width = std::min(width * 10 + (text[at] - '0'), field_width_max);
  return width;
}

// Parses one column by letter, such as ".8j, ", without its percent sign.
FieldPlace place_of_letter(std::string_view word, const std::function<int(char)>& find,
                           std::vector<std::string>& unknown) {
  FieldPlace place;
  std::size_t at = 0;
  place.to_right = word[0] == '.';
  at += place.to_right ? 1 : 0;
  place.width = take_width(word, at);
  const char letter = at < word.size() ? word[at] : '\0';
  place.field = find(letter);
  if (place.field >= 0) {
    place.suffix = word.substr(at + 1);
    return place;
  }
  place.suffix = "%" + std::string(word);
  unknown.emplace_back(letter == 0 ? "" : std::string(1, letter));
  return place;
}

// Parses one column by name: "Name", "Name:.8", "Name:|". The number after the colon is the width,
// parsed as by strtol.
FieldPlace place_of_name(std::string_view word, const std::function<int(std::string_view)>& find,
                         std::vector<std::string>& unknown) {
  constexpr std::int64_t default_width = 20;
  FieldPlace place;
  const std::size_t colon = word.find(':');
  const std::string_view name = word.substr(0, colon);
  if (colon == std::string_view::npos) {
    place.width = default_width;
  } else {
    std::string_view rest = word.substr(colon + 1);
    place.to_right = rest.starts_with('.');
    rest.remove_prefix(place.to_right ? 1 : 0);
    const bool negative = rest.size() > 1 && rest[0] == '-' && is_digit(rest[1]);
    std::size_t at = negative ? 1 : 0;
    place.width = take_width(rest, at) * (negative ? -1 : 1);
    place.suffix = rest.substr(at);
  }
  place.field = find(name);
  if (place.field < 0) {
    unknown.emplace_back(name);
    place.suffix.clear();
  }
  return place;
}

template <class Take>
void each_word(std::string_view text, char separator, Take take) {
  for (const std::string_view word : split(text, separator))
    if (!word.empty()) take(word);
}

}  // namespace

FieldLayout lay_out_letters(std::string_view format, const std::function<int(char)>& find) {
  FieldLayout layout;
  const std::size_t first = format.find('%');
  layout.prefix = format.substr(0, first);
  if (first == std::string_view::npos) return layout;
  each_word(format.substr(first), '%', [&](std::string_view word) {
    layout.places.push_back(place_of_letter(word, find, layout.unknown));
  });
  return layout;
}

FieldLayout lay_out_names(std::string_view format,
                          const std::function<int(std::string_view)>& find) {
  FieldLayout layout;
  each_word(format, ',', [&](std::string_view word) {
    layout.places.push_back(place_of_name(word, find, layout.unknown));
  });
  return layout;
}

bool same_field_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string fitted(std::string_view text, const FieldPlace& place, bool may_cut) {
  if (place.width < 0) return std::string(text) + " ";
  if (place.width == 0) return std::string(text);
  const auto width = static_cast<std::size_t>(place.width);
  std::string out(text);
  if (out.size() > width && (may_cut || !place.to_right)) out = cut_text(text, width);
  if (out.size() < width) out.insert(place.to_right ? 0 : out.size(), width - out.size(), ' ');
  return out;
}

}  // namespace cox
