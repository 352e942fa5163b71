#include "common/cluster/gpu_islands.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Parses the index "3" or the range "0-3" and appends the indices to `group`.
Failure add_range(std::string_view text, std::vector<std::int32_t>& group) {
  const std::size_t dash = text.find('-', 1);
  const auto first = parse_count(text.substr(0, dash), 0, limits::gpus_per_node_max - 1);
  if (!first) return first.refusal();
  const auto last = dash == std::string_view::npos
                        ? first
                        : parse_count(text.substr(dash + 1), *first, limits::gpus_per_node_max - 1);
  if (!last) return last.refusal();
  for (std::int64_t gpu = *first; gpu <= *last; ++gpu)
    group.push_back(static_cast<std::int32_t>(gpu));
  return std::nullopt;
}

Result<std::vector<std::int32_t>> parse_group(const std::string& text) {
  std::vector<std::int32_t> group;
  for (const std::string_view part : split(text, ',')) {
    const Failure wrong = add_range(part, group);
    if (wrong)
      return Refusal{"is " + quoted(text) + "; " + wrong->fact +
                         "; it must be indices of GPUs, such as \"0-3\" or \"0,2\"",
                     wrong->hint};
  }
  std::sort(group.begin(), group.end());
  return group;
}

// Formats indices of one group: "0-3", "0,2-3".
std::string format_group(const std::vector<std::int32_t>& group) {
  std::string text;
  for (std::size_t i = 0; i < group.size();) {
    std::size_t last = i;
    while (last + 1 < group.size() && group[last + 1] == group[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(group[i]);
    if (last > i) text += "-" + std::to_string(group[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace

Result<GpuGroups> parse_gpu_groups(const std::vector<std::string>& texts) {
  GpuGroups groups;
  std::set<std::int32_t> named;
  for (const std::string& text : texts) {
    auto group = parse_group(text);
    if (!group) return group.refusal();
    for (const std::int32_t gpu : *group)
      if (!named.insert(gpu).second)
        return Refusal{"names GPU " + std::to_string(gpu) + " twice", "name it once"};
    groups.push_back(*std::move(group));
  }
  return groups;
}

Failure join_gpus(const GpuGroups& groups, std::vector<GpuDevice>& gpus) {
  if (groups.empty()) return std::nullopt;
  std::map<std::int32_t, std::int32_t> island_of;  // by device index
  std::int32_t islands = 0;
  for (const auto& group : groups) {
    ++islands;
    for (const std::int32_t gpu : group) island_of[gpu] = islands;
  }
  for (const auto& [index, island] : island_of)
    if (std::none_of(gpus.begin(), gpus.end(),
                     [index = index](const GpuDevice& gpu) { return gpu.index == index; }))
      return Refusal{"names GPU " + std::to_string(index) + "; this node has " +
                         std::to_string(gpus.size()) + " GPUs",
                     "the first has the index 0"};
  for (GpuDevice& gpu : gpus) {
    const auto named = island_of.find(gpu.index);
    gpu.island = named == island_of.end() ? ++islands : named->second;
  }
  return std::nullopt;
}

std::string format_gpu_islands(const std::vector<GpuDevice>& gpus) {
  std::map<std::int32_t, std::vector<std::int32_t>> islands;
  for (const GpuDevice& gpu : gpus) islands[gpu.island].push_back(gpu.index);
  if (islands.empty() || (islands.size() == 1 && islands.contains(gpu_island_unknown))) return "";
  std::vector<std::vector<std::int32_t>> sorted;
  for (auto& [number, island] : islands) {
    std::sort(island.begin(), island.end());
    sorted.push_back(std::move(island));
  }
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const auto& island : sorted) text += (text.empty() ? "" : " ") + format_group(island);
  return text;
}

}  // namespace cox
