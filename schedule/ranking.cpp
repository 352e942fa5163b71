#include "schedule/ranking.h"

#include <algorithm>

namespace cox::schedule {
namespace {

// In nodes looked at.
constexpr std::int64_t build_work = 4;
constexpr std::int64_t entry_work = 8;  // a way through the heap

constexpr auto worse = [](const auto& a, const auto& b) { return a.badness > b.badness; };

}  // namespace

Ranking::Ranking(const Need& need, const Nodes& nodes, const Room& room)
    : need_(need),
      nodes_(nodes),
      usable_(static_cast<std::size_t>(nodes.size())),
      versions_(static_cast<std::size_t>(nodes.size())) {
  for (const NodeAt at : need.usable) usable_[static_cast<std::size_t>(at)] = true;
  build(room);
}

void Ranking::build(const Room& room) {
  heap_.clear();
  work_ += build_work * std::ssize(need_.usable);
  const Domain* leaf = nullptr;
  double free = 0;
  for (const NodeAt at : need_.usable) {
    const Domain* own = nodes_.leaf_of(at);
    if (own != leaf) free = own == nullptr ? 0 : leaf_free(room, *own);
    leaf = own;
    add(at, room, free);
  }
  std::ranges::make_heap(heap_, worse);
}

void Ranking::add(NodeAt at, const Room& room, double leaf_free) {
  const std::int64_t tasks = need_.tasks_even();
  if (tasks_that_fit(need_, room, at) < tasks) return;
  Badness badness = badness_of(need_, nodes_, room, at, tasks);
  badness.leaf_free = leaf_free;
  heap_.push_back({badness, versions_[static_cast<std::size_t>(at)]});
}

// With it, all behind its switch.
void Ranking::node_changed(NodeAt at, const Room& room) {
  const Domain* leaf = nodes_.leaf_of(at);
  if (leaf == nullptr) return change(at, room, 0);
  const double free = leaf_free(room, *leaf);
  for (NodeAt near = leaf->first; near < leaf->last; ++near) change(near, room, free);
}

void Ranking::change(NodeAt at, const Room& room, double leaf_free) {
  if (!usable_[static_cast<std::size_t>(at)]) return;
  ++versions_[static_cast<std::size_t>(at)];
  if (heap_.size() > 64 + 4 * need_.usable.size()) return build(room);  // mostly outdated entries
  work_ += entry_work;
  const std::size_t before = heap_.size();
  add(at, room, leaf_free);
  if (heap_.size() > before) std::ranges::push_heap(heap_, worse);
}

bool Ranking::is_current(const Entry& entry) const {
  return entry.version == versions_[static_cast<std::size_t>(entry.badness.node)];
}

std::vector<NodeAt> Ranking::best() {
  std::vector<Entry> found;
  while (!heap_.empty() && std::cmp_less(found.size(), need_.nodes)) {
    std::ranges::pop_heap(heap_, worse);
    work_ += entry_work;
    if (is_current(heap_.back())) found.push_back(heap_.back());
    heap_.pop_back();
  }
  for (const Entry& entry : found) {
    heap_.push_back(entry);
    std::ranges::push_heap(heap_, worse);
  }
  if (std::cmp_less(found.size(), need_.nodes)) return {};
  std::vector<NodeAt> nodes;
  for (const Entry& entry : found) nodes.push_back(entry.badness.node);
  std::ranges::sort(nodes);
  return nodes;
}

}  // namespace cox::schedule
