#include "client/text/size_format.h"

#include <cctype>
#include <cstddef>
#include <string>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::int64_t kb_per_mb = 1024;

Refusal no_size(std::string_view text) {
  return {quoted(text) + " is not a memory size",
          "write a whole number of MB, or one with K, M, G or T: 4000, 512M, 16G"};
}

// Returns the upper-case letter of a unit: 'G' for "G", "GB" or "gib". Returns '\0' for other
// texts.
char unit_letter(std::string_view unit) {
  if (unit.empty()) return 'M';
  std::string upper;
  for (const unsigned char c : unit) upper += static_cast<char>(std::toupper(c));
  const std::string rest = upper.substr(1);
  return rest.empty() || rest == "B" || rest == "IB" ? upper[0] : '\0';
}

}  // namespace

Result<std::int64_t> parse_memory_mb(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  const Refusal too_large{quoted(text) + " is more than " +
                              std::to_string(limits::memory_mb_per_node_max) +
                              " MB, the most a node may be asked for",
                          "ask for less"};
  if (digits == 0) return no_size(text);
  constexpr std::int64_t number_max = limits::memory_mb_per_node_max * kb_per_mb;
  const Result<std::int64_t> number = parse_count(text.substr(0, digits), 0, number_max);
  if (!number) return too_large;
  std::int64_t mb_per_unit = 1;
  switch (unit_letter(text.substr(digits))) {
    case 'K': return (*number + kb_per_mb - 1) / kb_per_mb;
    case 'M': break;
    case 'G': mb_per_unit = std::int64_t{1} << 10; break;
    case 'T': mb_per_unit = std::int64_t{1} << 20; break;
    case 'P': mb_per_unit = std::int64_t{1} << 30; break;
    default: return no_size(text);
  }
  if (*number > limits::memory_mb_per_node_max / mb_per_unit) return too_large;
  return *number * mb_per_unit;
}

}  // namespace cox
