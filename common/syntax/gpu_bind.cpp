#include "common/syntax/gpu_bind.h"

#include <algorithm>
#include <numeric>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

using Kind = GpuBind::Kind;

constexpr const char* advice =
    "write none, closest, single:TASKS, map_gpu:LIST, mask_gpu:LIST or per_task:GPUS; verbose may "
    "precede it";

Result<GpuBind> with_count(GpuBind bind, Kind kind, std::string_view text) {
  const auto count = parse_count(text, 1, limits::gpus_per_node_max);
  if (!count) return count.refusal();
  bind.kind = kind;
  bind.count = *count;
  return bind;
}

Result<GpuBind> with_list(GpuBind bind, Kind kind, Result<std::vector<IdSet>> list) {
  if (!list) return list.refusal();
  bind.kind = kind;
  bind.list = std::move(*list);
  return bind;
}

IdSet range(std::size_t first, std::size_t count) {
  IdSet ids(count);
  std::iota(ids.begin(), ids.end(), static_cast<std::int32_t>(first));
  return ids;
}

IdSet gpus_of_task(const GpuBind& bind, std::size_t task, std::size_t gpus) {
  const auto count = static_cast<std::size_t>(bind.count);
  if (bind.kind == Kind::Single) return range(task / count % gpus, 1);
  if (bind.kind == Kind::PerTask) return range(task * count, count);
  if (bind.kind == Kind::Map || bind.kind == Kind::Mask) return bind.list[task % bind.list.size()];
  return range(0, gpus);
}

}  // namespace

Result<GpuBind> parse_gpu_bind(std::string_view text) {
  GpuBind bind;
  const std::string lower = lower_case(std::string(text));
  std::string_view rest = lower;
  for (const std::string_view word : {"verbose", "v"}) {
    if (!rest.starts_with(word)) continue;
    if (rest.size() > word.size() && rest[word.size()] != ',') continue;
    bind.verbose = true;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    break;
  }
  if (rest.starts_with("gpu:")) rest.remove_prefix(4);
  const std::string_view value = rest.substr(std::min(rest.size(), rest.find(':') + 1));
  if (rest.empty() && bind.verbose) return bind;
  if (rest == "none") return with_count(bind, Kind::None, "1");
  if (rest == "closest") return with_count(bind, Kind::Closest, "1");
  if (rest.starts_with("single:")) return with_count(bind, Kind::Single, value);
  if (rest.starts_with("per_task:")) return with_count(bind, Kind::PerTask, value);
  if (rest.starts_with("map_gpu:")) return with_list(bind, Kind::Map, parse_map(value));
  if (rest.starts_with("mask_gpu:")) return with_list(bind, Kind::Mask, parse_masks(value));
  return Refusal{"unknown type of --gpu-bind: " + quoted(text), advice};
}

Result<std::vector<IdSet>> gpus_of_tasks(const GpuBind& bind, std::size_t tasks, std::size_t gpus,
                                         bool all_are_close) {
  const bool by_place = bind.kind == Kind::Closest || bind.kind == Kind::Single;
  if (gpus == 0 && (by_place || bind.kind == Kind::None)) return std::vector<IdSet>(tasks);
  if (by_place && !all_are_close)
    return Refusal{
        "which GPUs are close to which CPUs is not known where there are several NUMA "
        "domains",
        "name them with --gpu-bind=map_gpu:LIST"};
  std::vector<IdSet> all;
  for (std::size_t task = 0; task < tasks; ++task) {
    all.push_back(gpus_of_task(bind, task, gpus));
    const auto last = static_cast<std::size_t>(all.back().back());
    if (last >= gpus)
      return Refusal{"--gpu-bind gives task " + std::to_string(task) + " of the node GPU " +
                         std::to_string(last) + ", and the step has " + std::to_string(gpus) +
                         " there, counted from 0",
                     ""};
  }
  return all;
}

}  // namespace cox
