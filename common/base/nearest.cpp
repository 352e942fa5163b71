#include "common/base/nearest.h"

#include <algorithm>
#include <array>

namespace cox {
namespace {

// The longest word that gets a suggestion. The limit bounds the work on hostile input.
constexpr std::size_t word_size_max = 64;

// Returns the word with "#" in place of each number: n9 and n10 both become "n#". Names that differ
// only in their numbers are not misspellings of each other, unless one number is the beginning of
// the other.
std::string without_numbers(std::string_view word) {
  std::string plain;
  for (const char c : word) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || plain.empty() || plain.back() != '#') plain += digit ? '#' : c;
  }
  return plain;
}

bool is_numbered_alike(std::string_view a, std::string_view b) {
  return a.find_first_of("0123456789") != std::string_view::npos &&
         without_numbers(a) == without_numbers(b) && !a.starts_with(b) && !b.starts_with(a);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // The rows i-2, i-1 and i of the table of distances between beginnings of a and b (optimal string
  // alignment).
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  auto& [before, above, row] = rows;
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.empty() || word.size() > word_size_max) return {};
  // A third of the letters may be wrong, but never all of a short word.
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > word_size_max) continue;
    if (is_numbered_alike(word, candidate)) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance || distance >= std::max(word.size(), candidate.size())) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const std::string_view found = nearest(word, candidates);
  if (found.empty()) return {};
  return "did you mean " + std::string(found) + "?";
}

}  // namespace cox
