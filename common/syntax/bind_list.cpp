#include "common/syntax/bind_list.h"

#include <algorithm>
#include <charconv>

#include "common/base/count_format.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::int32_t id_max = 1023;  // largest number in a cpu_set_t
constexpr std::size_t entries_max = 8192;
constexpr int bits_of_digit = 4;

std::string_view without_0x(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X") ? text.substr(2) : text;
}

Result<IdSet> parse_number(std::string_view text) {
  const bool is_hex = without_0x(text).size() != text.size();
  const std::string_view digits = without_0x(text);
  std::int32_t id = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), id, is_hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size() || id < 0 || id > id_max)
    return Refusal{quoted(text) + " is not a number from 0 to " + std::to_string(id_max), ""};
  return IdSet{id};
}

Result<IdSet> parse_mask(std::string_view text) {
  const std::string_view digits = without_0x(text);
  constexpr std::size_t ids_max = id_max + 1;
  IdSet ids;
  for (std::size_t i = 0; i < digits.size() && ids.size() <= ids_max; ++i) {
    unsigned digit = 0;
    const char* at = digits.data() + digits.size() - 1 - i;
    if (std::from_chars(at, at + 1, digit, 16).ec != std::errc{}) return Refusal{};
    for (int bit = 0; bit < bits_of_digit; ++bit)
      if ((digit >> bit & 1U) != 0)
        ids.push_back(static_cast<std::int32_t>(i) * bits_of_digit + bit);
  }
  if (ids.empty() || ids.back() > id_max) return Refusal{};
  return ids;
}

using ParseEntry = Result<IdSet> (*)(std::string_view);

Result<std::vector<IdSet>> parse_list(std::string_view text, ParseEntry parse_entry) {
  std::vector<IdSet> list;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t star = part.find('*');
    const auto entry = parse_entry(part.substr(0, star));
    if (!entry)
      return Refusal{quoted(part) + " is not a valid entry of a list of bindings",
                     "write a list like 0,1,2*4, or for masks 0x3,0xc"};
    std::int64_t times = 1;
    if (star != std::string_view::npos) {
      const auto count = parse_count(part.substr(star + 1), 1, std::ssize(list) + 4096);
      if (!count) return count.refusal();
      times = *count;
    }
    list.insert(list.end(), static_cast<std::size_t>(times), *entry);
    if (list.size() > entries_max)
      return Refusal{"the list is too long", "write one entry for each task"};
  }
  return list;
}

}  // namespace

Result<std::vector<IdSet>> parse_map(std::string_view text) {
  return parse_list(text, parse_number);
}

Result<std::vector<IdSet>> parse_masks(std::string_view text) {
  return parse_list(text, parse_mask);
}

std::string mask_text(const IdSet& ids) {
  if (ids.empty()) return "0x0";
  const auto last = static_cast<std::size_t>(std::ranges::max(ids));
  std::string digits(last / bits_of_digit + 1, '0');
  for (const std::int32_t id : ids) {
    const auto at = static_cast<std::size_t>(id);
    char& digit = digits[digits.size() - 1 - at / bits_of_digit];
    const int before = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    digit = "0123456789abcdef"[before | 1 << at % bits_of_digit];
  }
  return "0x" + digits;
}

}  // namespace cox
