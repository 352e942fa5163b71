#include "schedule/place/node_groups.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

#include "common/base/limits.h"
#include "schedule/place/badness.h"

namespace cox::schedule {
namespace {

// If there are more empty groups, or more entries in lowered_groups(), all groups are made anew.
constexpr std::int64_t empty_groups_max = 4'096;
constexpr std::size_t lowered_groups_max = 1 << 20;

std::size_t index(std::int32_t position) {
  return static_cast<std::size_t>(position);
}

}  // namespace

NodeGroups::NodeGroups(const Nodes& nodes, const TrackedRoom& room)
    : nodes_(nodes),
      room_(room),
      sort_of_(static_cast<std::size_t>(nodes.size())),
      group_of_(static_cast<std::size_t>(nodes.size()), -1) {
  sort_nodes();
  regroup_all();
  room_.follow(followed_, [](NodeAt) {});
}

void NodeGroups::sort_nodes() {
  std::map<std::pair<std::int32_t, bool>, std::int32_t> sorts;
  for (NodeAt at = 0; at < nodes_.size(); ++at) {
    const auto [it, is_new] = sorts.try_emplace({nodes_[at].sort, nodes_[at].node->available},
                                                static_cast<std::int32_t>(sorts.size()));
    if (is_new) nodes_of_sort_.push_back(0);
    sort_of_[index(at)] = it->second;
    ++nodes_of_sort_[index(it->second)];
  }
}

void NodeGroups::regroup_all() {
  ++forgotten_;
  lowered_groups_.clear();
  groups_.clear();
  group_by_text_.clear();
  filled_groups_ = 0;
  leaf_free_.clear();
  if (!nodes_.levels().empty())
    for (const Domain& leaf : nodes_.levels().front()) leaf_free_.push_back(leaf_free(room_, leaf));
  std::ranges::fill(group_of_, -1);
  for (NodeAt at = 0; at < nodes_.size(); ++at) put(at);
}

std::int64_t NodeGroups::follow() {
  std::int64_t work = 0;
  changed_leaves_.clear();
  const bool followed = room_.follow(followed_, [&](NodeAt at) {
    ++work;
    note_changed(at);
  });
  const bool too_much = std::ssize(groups_) - filled_groups_ > empty_groups_max ||
                        lowered_groups_.size() > lowered_groups_max;
  if (!followed || too_much) {
    regroup_all();
    return work + nodes_.size();
  }
  // A changed node changes the leaf_free of all nodes behind its switch, so all these are grouped
  // again.
  std::ranges::sort(changed_leaves_);
  const auto repeated = std::ranges::unique(changed_leaves_);
  changed_leaves_.erase(repeated.begin(), repeated.end());
  for (const std::int32_t changed : changed_leaves_) {
    const Domain& leaf = nodes_.levels().front()[index(changed)];
    leaf_free_[index(changed)] = leaf_free(room_, leaf);
    for (NodeAt at = leaf.first; at < leaf.last; ++at) put(at);
    work += leaf.last - leaf.first;
  }
  return work;
}

void NodeGroups::note_changed(NodeAt at) {
  const Domain* leaf = nodes_.leaf_of(at);
  if (leaf == nullptr) return put(at);
  changed_leaves_.push_back(static_cast<std::int32_t>(leaf - nodes_.levels().front().data()));
}

double NodeGroups::leaf_free_of(NodeAt at) const {
  const Domain* leaf = nodes_.leaf_of(at);
  if (leaf == nullptr) return 0;
  return leaf_free_[static_cast<std::size_t>(leaf - nodes_.levels().front().data())];
}

template <class Number>
void NodeGroups::append(Number number) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(Number)>>(number);
  text_.append(bytes.data(), bytes.size());
}

// Writes to `text_` all by which nodes of different groups differ. If all devices are of one type,
// their free amounts are sorted, since it does not matter which device has which. With several
// types, the order decides which are taken.
void NodeGroups::describe(NodeAt at) {
  const NodeRoom& here = room_.room()[at];
  text_.clear();
  append(sort_of_[index(at)]);
  append(here.cpus);
  append(here.memory_mb);
  append(here.holders > 0);
  append(leaf_free_of(at));
  for (const std::int64_t count : room_.room().gres(at)) append(count);
  const NodeFacts& facts = nodes_[at];
  if (facts.islands.empty()) append_devices(at, facts.gpus);
  for (const GpuBits island : facts.islands) append_devices(at, island);
}

void NodeGroups::append_devices(NodeAt at, GpuBits devices) {
  const auto milli = room_.room().gpu_milli(at);
  std::array<std::uint16_t, limits::gpus_per_node_max> free{};
  auto end = free.begin();
  for (GpuBits left = devices; left != 0; left &= left - 1)
    *end++ = milli[static_cast<std::size_t>(std::countr_zero(left))];
  if (nodes_[at].gpu_kinds.size() == 1) std::sort(free.begin(), end);
  for (auto one = free.begin(); one != end; ++one) append(*one);
}

void NodeGroups::put(NodeAt at) {
  describe(at);
  auto known = group_by_text_.find(std::string_view(text_));
  if (known == group_by_text_.end()) {
    known = group_by_text_.emplace(text_, groups()).first;
    groups_.emplace_back();
  }
  const GroupAt to = known->second;
  GroupAt& from = group_of_[index(at)];
  if (from == to) return;
  if (from >= 0) {
    std::set<NodeAt>& left = groups_[index(from)];
    left.erase(at);
    if (left.empty()) --filled_groups_;
  }
  std::set<NodeAt>& joined = groups_[index(to)];
  if (joined.empty()) ++filled_groups_;
  if (joined.empty() || at < *joined.begin()) lowered_groups_.push_back(to);
  joined.insert(at);
  from = to;
}

void NodeGroups::distinguish(const std::vector<NodeAt>& some) {
  std::vector<std::int64_t> among(nodes_of_sort_.size());
  for (const NodeAt at : some) ++among[index(sort_of_[index(at)])];
  // For each sort (set of nodes with equal fixed properties), the new sort of those in `some`; -1:
  // none.
  std::vector<std::int32_t> becomes(among.size(), -1);
  for (std::size_t sort = 0; sort < among.size(); ++sort) {
    if (among[sort] == 0 || among[sort] == nodes_of_sort_[sort]) continue;
    becomes[sort] = static_cast<std::int32_t>(nodes_of_sort_.size());
    nodes_of_sort_.push_back(among[sort]);
    nodes_of_sort_[sort] -= among[sort];
  }
  for (const NodeAt at : some) {
    std::int32_t& sort = sort_of_[index(at)];
    if (becomes[index(sort)] < 0) continue;
    sort = becomes[index(sort)];
    put(at);
  }
}

}  // namespace cox::schedule
