#include "schedule/place/feature_parts.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace cox::schedule {
namespace {

using PartSet = std::uint32_t;  // one bit for each counted feature of the gang

PartSet parts_of(const ResolvedRequest& need, NodeAt at) {
  PartSet set = 0;
  for (std::size_t part = 0; part < need.parts.size(); ++part)
    if (need.parts[part].has(at)) set |= PartSet{1} << part;
  return set;
}

// The slots of a gang: those of each part, and those that any node may fill. A node takes a free
// slot, or the slot of a node that can move to another slot (an augmenting path).
class Slots {
 public:
  explicit Slots(const ResolvedRequest& need) {
    std::int64_t any = need.nodes;
    for (const FeaturePart& part : need.parts) {
      left_.push_back(part.nodes);
      any -= part.nodes;
    }
    left_.push_back(std::max<std::int64_t>(any, 0));
    holders_.resize(left_.size());
  }

  bool add(PartSet parts) {
    tried_.assign(left_.size(), false);
    return give(parts | PartSet{1} << (left_.size() - 1));
  }

 private:
  bool give(PartSet parts) {
    for (std::size_t slot = 0; slot < left_.size(); ++slot) {
      if ((parts >> slot & 1) == 0 || tried_[slot]) continue;
      tried_[slot] = true;
      if (left_[slot] > 0) {
        --left_[slot];
        holders_[slot].push_back(parts);
        return true;
      }
      for (std::size_t i = 0; i < holders_[slot].size(); ++i) {
        if (!give(holders_[slot][i])) continue;
        holders_[slot][i] = parts;
        return true;
      }
    }
    return false;
  }

  std::vector<std::int64_t> left_;
  std::vector<std::vector<PartSet>> holders_;
  std::vector<bool> tried_;
};

}  // namespace

bool parts_are_served(const ResolvedRequest& need, Candidates candidates) {
  std::int64_t slots = 0;
  for (const FeaturePart& part : need.parts) slots += part.nodes;
  if (slots > need.nodes) return false;
  std::array<std::int64_t, std::size_t{1} << feature_parts_max> nodes_with{};
  for (const Candidate& candidate : candidates) ++nodes_with[parts_of(need, candidate.node())];
  const PartSet all = (PartSet{1} << need.parts.size()) - 1;
  for (PartSet set = 1; set <= all; ++set) {
    std::int64_t wanted = 0;
    std::int64_t there = 0;
    for (std::size_t part = 0; part < need.parts.size(); ++part)
      if ((set >> part & 1) != 0) wanted += need.parts[part].nodes;
    for (PartSet nodes = 1; nodes <= all; ++nodes)
      if ((nodes & set) != 0) there += nodes_with[nodes];
    if (there < wanted) return false;
  }
  return true;
}

std::vector<Candidate> choose_parts(const ResolvedRequest& need,
                                    const std::vector<Candidate>& sorted) {
  Slots slots(need);
  std::vector<Candidate> chosen;
  for (const Candidate& candidate : sorted) {
    if (std::cmp_equal(chosen.size(), need.nodes)) break;
    const bool fits = slots.add(parts_of(need, candidate.node()));
    if (fits) chosen.push_back(candidate);
    if (!fits && candidate.required) return {};
  }
  if (!std::cmp_equal(chosen.size(), need.nodes)) chosen.clear();
  return chosen;
}

}  // namespace cox::schedule
