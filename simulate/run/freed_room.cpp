#include "simulate/run/freed_room.h"

#include <algorithm>

namespace cox::simulate {

void FreedRoom::freed_for(JobAt preemptor, const Holdings& freed) {
  NodesFreed nodes;
  for (const Holding& holding : freed) nodes.push_back(holding.node);
  freed_[preemptor].push_back(std::move(nodes));
}

std::int64_t FreedRoom::started(JobAt job, const Holdings& here) {
  const auto found = freed_.find(job);
  if (found == freed_.end()) return 0;
  const auto useless = std::ranges::count_if(found->second, [&here](const NodesFreed& nodes) {
    return std::ranges::none_of(here, [&nodes](const Holding& holding) {
      return std::ranges::find(nodes, holding.node) != nodes.end();
    });
  });
  freed_.erase(found);
  return useless;
}

std::int64_t FreedRoom::never_used() const {
  std::int64_t count = 0;
  for (const auto& [preemptor, kills] : freed_) count += std::ssize(kills);
  return count;
}

}  // namespace cox::simulate
