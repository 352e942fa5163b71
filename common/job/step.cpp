#include "common/job/step.h"

#include <algorithm>
#include <map>

#include "common/base/check.h"

namespace cox {

std::string_view name(Distribution d) {
  switch (d) {
    case Distribution::Block: return "block";
    case Distribution::Cyclic: return "cyclic";
    case Distribution::Plane: return "plane";
    case Distribution::Arbitrary: return "arbitrary";
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

bool has_saved(const std::vector<SavedStep>& saved, std::int64_t step) {
  return std::ranges::find(saved, step, &SavedStep::step) != saved.end();
}

namespace {

std::vector<std::vector<std::int32_t>> ranks_as_listed(const std::vector<StepNode>& nodes,
                                                       const std::vector<std::string>& list) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < nodes.size(); ++i) places.emplace(nodes[i].node, i);
  std::vector<std::vector<std::int32_t>> ranks(nodes.size());
  for (std::size_t rank = 0; rank < list.size(); ++rank)
    if (const auto place = places.find(list[rank]); place != places.end())
      ranks[place->second].push_back(static_cast<std::int32_t>(rank));
  return ranks;
}

}  // namespace

std::vector<std::vector<std::int32_t>> ranks_on_nodes(const std::vector<StepNode>& nodes,
                                                      const StepSpec& spec) {
  if (spec.distribution == Distribution::Arbitrary) return ranks_as_listed(nodes, spec.nodelist);
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
