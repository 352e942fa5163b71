#include "common/step.h"

#include <algorithm>

#include "common/check.h"

namespace cox {

std::string_view name(Distribution d) {
  switch (d) {
    case Distribution::Block: return "block";
    case Distribution::Cyclic: return "cyclic";
    case Distribution::Plane: return "plane";
  }
  CHECK(false && "unknown Distribution");
}

std::string_view name(StepPhase p) {
  switch (p) {
    case StepPhase::Asked: return "asked";
    case StepPhase::Running: return "running";
    case StepPhase::Gone: return "gone";
  }
  CHECK(false && "unknown StepPhase");
}

std::vector<std::vector<std::int32_t>> ranks_on_nodes(const std::vector<StepNode>& nodes,
                                                      const StepSpec& spec) {
  std::vector<std::vector<std::int32_t>> ranks(nodes.size());
  const auto left = [&](std::size_t i) {
    return static_cast<std::size_t>(nodes[i].tasks) - ranks[i].size();
  };
  std::size_t turn = SIZE_MAX;
  if (spec.distribution == Distribution::Cyclic) turn = 1;
  if (spec.distribution == Distribution::Plane)
    turn = static_cast<std::size_t>(std::max<std::int64_t>(spec.plane, 1));
  std::int32_t next = 0;
  for (bool any = true; any;) {
    any = false;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t some = std::min(turn, left(i)); some > 0; --some) {
        ranks[i].push_back(next++);
        any = true;
      }
  }
  return ranks;
}

}  // namespace cox
