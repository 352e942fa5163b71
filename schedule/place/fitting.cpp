#include "schedule/place/fitting.h"

#include <algorithm>

#include "schedule/place/place.h"

namespace cox::schedule {

Fitting::Fitting(const ResolvedRequest& need, const Nodes& nodes, const Room& room)
    : need_(need), tasks_(static_cast<std::size_t>(nodes.size()), -1) {
  for (const NodeAt at : need.usable) {
    tasks_[static_cast<std::size_t>(at)] = 0;
    node_changed(at, room);
  }
}

void Fitting::node_changed(NodeAt at, const Room& room) {
  std::int64_t& known = tasks_[static_cast<std::size_t>(at)];
  if (known < 0) return;
  const std::int64_t tasks = std::min(tasks_that_fit(need_, room, at), need_.tasks);
  if (tasks == known) return;
  if (std::ranges::binary_search(need_.required, at)) {
    named_held_ += tasks - known;
    named_count_ += static_cast<std::size_t>(tasks > 0) - static_cast<std::size_t>(known > 0);
  } else {
    others_count_ += static_cast<int>(tasks > 0) - static_cast<int>(known > 0);
    if (tasks > 0) ++others_[tasks];
    if (known > 0 && --others_[known] == 0) others_.erase(known);
  }
  known = tasks;
}

void Fitting::nodes_changed(const GangParts& shares, const Room& room) {
  for (const NodePart& share : shares) node_changed(share.node, room);
}

bool Fitting::enough() const {
  if (need_.required_missing || named_count_ != need_.required.size()) return false;
  std::int64_t more = need_.nodes - static_cast<std::int64_t>(need_.required.size());
  if (others_count_ < more) return false;
  std::int64_t held = named_held_;
  for (auto it = others_.begin(); it != others_.end() && more > 0; ++it) {
    const std::int64_t taken = std::min(more, it->second);
    held += taken * it->first;
    more -= taken;
  }
  return held >= need_.tasks;
}

std::vector<NodeAt> Fitting::holding() const {
  std::vector<NodeAt> nodes;
  for (std::size_t at = 0; at < tasks_.size(); ++at)
    if (tasks_[at] > 0) nodes.push_back(static_cast<NodeAt>(at));
  return nodes;
}

}  // namespace cox::schedule
