#include "schedule/ranking.h"

#include <algorithm>

namespace cox::schedule {
namespace {

constexpr auto worse = [](const auto& a, const auto& b) { return a.badness > b.badness; };

}  // namespace

Ranking::Ranking(const Need& need, const Nodes& nodes, const Room& room)
    : need_(need),
      nodes_(nodes),
      usable_(static_cast<std::size_t>(nodes.size())),
      versions_(static_cast<std::size_t>(nodes.size())) {
  heap_.reserve(need.usable.size());
  for (const NodeAt at : need.usable) {
    usable_[static_cast<std::size_t>(at)] = true;
    add(at, room);
  }
  std::ranges::make_heap(heap_, worse);
}

void Ranking::add(NodeAt at, const Room& room) {
  if (const auto badness = badness_alone(need_, nodes_, room, at))
    heap_.push_back({*badness, versions_[static_cast<std::size_t>(at)]});
}

void Ranking::node_changed(NodeAt at, const Room& room) {
  if (!usable_[static_cast<std::size_t>(at)]) return;
  ++versions_[static_cast<std::size_t>(at)];
  const std::size_t before = heap_.size();
  add(at, room);
  if (heap_.size() > before) std::ranges::push_heap(heap_, worse);
}

std::optional<NodeAt> Ranking::best() {
  while (!heap_.empty()) {
    const Entry& top = heap_.front();
    const NodeAt at = top.badness.node;
    if (top.version == versions_[static_cast<std::size_t>(at)]) return at;
    std::ranges::pop_heap(heap_, worse);
    heap_.pop_back();
  }
  return std::nullopt;
}

}  // namespace cox::schedule
