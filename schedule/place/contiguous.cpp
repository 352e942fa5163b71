#include "schedule/place/contiguous.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

namespace cox::schedule {
namespace {

// Returns the length of the run of consecutive nodes that begins with the first candidate.
std::size_t run_length(Candidates candidates) {
  std::size_t length = 1;
  while (length < candidates.size() &&
         candidates[length].node() == candidates[length - 1].node() + 1)
    ++length;
  return length;
}

// Returns the number of leaf domains in a row. All nodes outside of leaves count as one more
// domain.
std::int64_t leaves_of(const Nodes& nodes, NodeAt first, NodeAt last) {
  const Domain* from = nodes.leaf_of(first);
  if (from == nullptr) return 1;
  const Domain* to = nodes.leaf_of(last);
  const bool leaves_topology = to == nullptr;
  if (leaves_topology) to = &nodes.levels().front().back();
  return to - from + (leaves_topology ? 2 : 1);
}

// Returns whether the row is in one domain of the wanted level and on no more than the wanted leaf
// switches.
bool is_near_enough(const ResolvedRequest& need, const Nodes& nodes, NodeAt first, NodeAt last) {
  if (need.level) {
    const std::vector<Domain>& domains = nodes.levels()[*need.level];
    const auto behind = std::ranges::upper_bound(domains, first, {}, &Domain::first);
    return behind != domains.begin() && last < std::prev(behind)->last;
  }
  if (need.switches == 0 || first == last) return true;
  return nodes.leaf_of(last) != nullptr && leaves_of(nodes, first, last) <= need.switches;
}

// Returns whether the row contains the named nodes and enough nodes with each counted feature.
bool holds_what_is_named(const ResolvedRequest& need, Candidates row) {
  return (need.required.empty() && need.parts.empty()) || enough(need, row);
}

}  // namespace

Candidates best_row(const ResolvedRequest& need, const Nodes& nodes, Candidates candidates) {
  // number of leaf domains, then length of the run; the least is best
  using Rank = std::tuple<std::int64_t, std::size_t>;
  std::optional<Rank> best_rank;
  Candidates best;
  const auto size = static_cast<std::size_t>(need.nodes);
  for (std::size_t begin = 0; begin < candidates.size();) {
    const std::size_t length = run_length(candidates.subspan(begin));
    for (std::size_t i = 0; i + size <= length; ++i) {
      const Candidates row = candidates.subspan(begin + i, size);
      const NodeAt first = row.front().node();
      const NodeAt last = row.back().node();
      const Rank rank{leaves_of(nodes, first, last), length};
      if (best_rank && *best_rank <= rank) continue;
      if (!is_near_enough(need, nodes, first, last) || !holds_what_is_named(need, row)) continue;
      best_rank = rank;
      best = row;
    }
    begin += length;
  }
  return best;
}

std::int64_t longest_run(std::span<const NodeAt> at) {
  std::int64_t longest = 0;
  std::int64_t length = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    length = i > 0 && at[i] == at[i - 1] + 1 ? length + 1 : 1;
    longest = std::max(longest, length);
  }
  return longest;
}

std::int64_t run_around(std::span<const NodeAt> at, NodeAt node) {
  const auto found = std::ranges::lower_bound(at, node);
  if (found == at.end() || *found != node) return 0;
  std::int64_t length = 1;
  for (auto one = found; one != at.begin() && *std::prev(one) == *one - 1; --one) ++length;
  for (auto one = found; std::next(one) != at.end() && *std::next(one) == *one + 1; ++one) ++length;
  return length;
}

}  // namespace cox::schedule
