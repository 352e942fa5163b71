// Fuzz target for --gpu-bind. Checks that each task gets only GPUs that its step has, or that the
// step is refused.
#include "common/syntax/gpu_bind.h"

#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(gpu_bind) {
  const auto bind = parse_gpu_bind(input);
  if (!bind) return fuzz::check_refusal(bind.refusal());
  if (bind->kind == GpuBind::Kind::Unasked) return;  // not requested
  constexpr std::size_t tasks = 5;
  for (const std::size_t gpus : {0u, 3u}) {
    const auto sets = gpus_of_tasks(*bind, tasks, gpus, true);
    if (!sets) {
      fuzz::check_refusal(sets.refusal());
      continue;
    }
    CHECK(sets->size() == tasks);
    for (const IdSet& set : *sets)
      for (const std::int32_t gpu : set) CHECK(gpu >= 0 && static_cast<std::size_t>(gpu) < gpus);
  }
}

}  // namespace cox
