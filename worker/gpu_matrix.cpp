#include "worker/gpu_matrix.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

using Words = std::vector<std::string_view>;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

Words words_of(std::string_view line) {
  Words words;
  while (!line.empty()) {
    const auto begin = std::find_if_not(line.begin(), line.end(), is_blank);
    const auto end = std::find_if(begin, line.end(), is_blank);
    if (begin != end) words.push_back({begin, end});
    line = {end, line.end()};
  }
  return words;
}

// Removes escape sequences: nvidia-smi underlines its header even when it writes to a file.
std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain += text[i];
      continue;
    }
    i = text.find('m', i);
    if (i == std::string_view::npos) break;
  }
  return plain;
}

std::string gpu_name(std::size_t gpu) {
  return "GPU" + std::to_string(gpu);
}

// Recognises the header "GPU0 GPU1 ... NIC0 ... CPU Affinity ...", in which all GPUs come first.
bool is_header(const Words& words, std::size_t gpus) {
  if (words.size() < gpus) return false;
  for (std::size_t gpu = 0; gpu < gpus; ++gpu)
    if (words[gpu] != gpu_name(gpu)) return false;
  return words.size() == gpus || words[gpus] != gpu_name(gpus);
}

enum class Cell { Self, Linked, Apart, Unknown };

Cell cell_of(std::string_view word) {
  static constexpr std::array<std::string_view, 7> by_pci{"PIX", "PXB", "PHB", "NODE",
                                                          "SYS", "SOC", "PSB"};
  if (word == "X") return Cell::Self;
  if (std::find(by_pci.begin(), by_pci.end(), word) != by_pci.end()) return Cell::Apart;
  const bool numbered = word.size() > 2 && word.size() <= 4 && word.substr(0, 2) == "NV" &&
                        word.substr(2).find_first_not_of("0123456789") == std::string_view::npos &&
                        word[2] != '0';
  return numbered ? Cell::Linked : Cell::Unknown;
}

using Matrix = std::vector<std::vector<bool>>;

// Returns the GPUs that NVLink joins to `gpu`. None: the line is not the row of this GPU.
std::optional<std::vector<bool>> row_of(const Words& words, std::size_t gpu, std::size_t gpus) {
  if (words.size() < gpus + 1 || words[0] != gpu_name(gpu)) return std::nullopt;
  std::vector<bool> linked;
  for (std::size_t other = 0; other < gpus; ++other) {
    const Cell cell = cell_of(words[other + 1]);
    if (cell == Cell::Unknown || (cell == Cell::Self) != (other == gpu)) return std::nullopt;
    linked.push_back(cell == Cell::Linked);
  }
  return linked;
}

std::optional<Matrix> matrix_of(std::string_view text, std::size_t gpus) {
  const std::string plain = without_escapes(text);
  const auto lines = split(plain, '\n');
  auto line = std::find_if(lines.begin(), lines.end(),
                           [gpus](auto one) { return is_header(words_of(one), gpus); });
  if (line == lines.end()) return std::nullopt;
  Matrix matrix;
  for (++line; line != lines.end() && matrix.size() < gpus; ++line) {
    auto row = row_of(words_of(*line), matrix.size(), gpus);
    if (!row) return std::nullopt;
    matrix.push_back(*std::move(row));
  }
  if (matrix.size() < gpus) return std::nullopt;
  for (std::size_t a = 0; a < gpus; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (matrix[a][b] != matrix[b][a]) return std::nullopt;
  return matrix;
}

}  // namespace

std::optional<GpuGroups> joined_by_nvlink(std::string_view text, std::size_t gpus) {
  if (gpus == 0 || std::cmp_greater(gpus, limits::gpus_per_node_max)) return std::nullopt;
  const auto matrix = matrix_of(text, gpus);
  if (!matrix) return std::nullopt;
  GpuGroups groups;
  std::vector<bool> grouped(gpus);
  for (std::size_t first = 0; first < gpus; ++first) {
    if (grouped[first]) continue;
    std::vector<std::int32_t> group{static_cast<std::int32_t>(first)};
    grouped[first] = true;
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t other = 0; other < gpus; ++other) {
        if (grouped[other] || !(*matrix)[static_cast<std::size_t>(group[i])][other]) continue;
        grouped[other] = true;
        group.push_back(static_cast<std::int32_t>(other));
      }
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace cox
