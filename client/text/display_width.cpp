#include "client/text/display_width.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>

namespace cox {
namespace {

struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// Characters that take 2 columns: Unicode's East Asian Wide and Fullwidth, and emoji.
constexpr auto wide = std::to_array<Range>({
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x16FE0, 0x18CFF}, {0x1AFF0, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF},
    {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F335},
    {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3},
    {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440},
    {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567},
    {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F},
    {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6D7},
    {0x1F6DC, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB},
    {0x1F7F0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF},
    {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
});

// Characters that take no column: combining marks, joiners and selectors of common scripts.
constexpr auto zero = std::to_array<Range>({
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x05BF, 0x05BF},   {0x05C1, 0x05C2},
    {0x05C4, 0x05C5}, {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670},   {0x06D6, 0x06DC},
    {0x0900, 0x0902}, {0x093A, 0x093A}, {0x093C, 0x093C}, {0x0941, 0x0948},   {0x094D, 0x094D},
    {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF},
    {0x200B, 0x200F}, {0x2060, 0x2064}, {0x20D0, 0x20F0}, {0x302A, 0x302D},   {0x3099, 0x309A},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF},
});

template <class Ranges>
bool contains(const Ranges& ranges, std::uint32_t character) {
  const auto after = std::ranges::upper_bound(ranges, character, {}, &Range::first);
  return after != ranges.begin() && character <= std::prev(after)->last;
}

std::size_t width_of(std::uint32_t character) {
  if (contains(zero, character)) return 0;
  return contains(wide, character) ? 2 : 1;
}

// The sizes of one character, in bytes and in columns.
struct Character {
  std::size_t bytes = 1;
  std::size_t width = 1;
};

Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes == 1 || bytes > text.size()) return {};
  std::uint32_t character = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i)
    character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return {bytes, width_of(character)};
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Returns the length in bytes of the longest beginning of the text that fits into `columns`
// columns. Does not split characters.
std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t used = 0; end < text.size();) {
    const Character next = first_of(text.substr(end));
    used += next.width;
    if (used > columns) break;
    end += next.bytes;
  }
  return end;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character next = first_of(text);
    width += next.width;
    text.remove_prefix(next.bytes);
  }
  return width;
}

namespace {

constexpr std::string_view cut_mark = "..";

// Returns the beginning of the text that fits into `columns`, without a part of a number unless the
// text begins with it. REQUIRES: the text is wider than that.
std::string_view beginning_of(std::string_view text, std::size_t columns) {
  std::size_t end = bytes_within(text, columns);
  if (end > 0 && is_digit(text[end]) && is_digit(text[end - 1])) {
    std::size_t begin = end;
    while (begin > 0 && is_digit(text[begin - 1])) --begin;
    if (begin > 0) end = begin;
  }
  return text.substr(0, end);
}

// Cuts the text in its middle: more is left of its end, where numbered names differ.
std::string cut_in_middle(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  const std::size_t left = columns - std::min(columns, cut_mark.size());
  const std::string_view head = beginning_of(text, left / 3);
  std::string_view tail = text.substr(head.size());
  while (display_width(head) + display_width(tail) > left) tail.remove_prefix(first_of(tail).bytes);
  return std::string(head) + std::string(cut_mark) + std::string(tail);
}

}  // namespace

std::string cut_to_width(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  const std::size_t left = columns - std::min(columns, cut_mark.size());
  return std::string(beginning_of(text, left)) + std::string(cut_mark);
}

std::vector<std::string> cut_apart(const std::vector<std::string>& texts, std::size_t columns) {
  std::map<std::string, std::string_view> text_of;  // by the cut text
  std::set<std::string> alike;
  for (const std::string& text : texts) {
    const auto [known, added] = text_of.try_emplace(cut_to_width(text, columns), text);
    if (!added && known->second != text) alike.insert(known->first);
  }
  std::vector<std::string> all;
  for (const std::string& text : texts) {
    std::string cut = cut_to_width(text, columns);
    const bool is_name = text.find(' ') == std::string::npos;
    all.push_back(is_name && alike.contains(cut) ? cut_in_middle(text, columns) : cut);
  }
  return all;
}

std::vector<std::string> wrapped_to_width(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  while (display_width(text) > columns) {
    std::size_t end = std::max(bytes_within(text, columns), first_of(text).bytes);
    const std::size_t blank = text.rfind(' ', end);
    const std::size_t word_end = text.find_last_not_of(' ', blank);
    if (blank != std::string_view::npos && word_end != std::string_view::npos) end = word_end + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

}  // namespace cox
