#include "schedule/place/nearby.h"

#include <algorithm>
#include <limits>

#include "schedule/place/contiguous.h"

namespace cox::schedule {
namespace {

Candidates within(Candidates candidates, NodeAt first, NodeAt last) {
  const auto begin = std::ranges::lower_bound(candidates, first, {}, &Candidate::node);
  const auto end = std::ranges::lower_bound(begin, candidates.end(), last, {}, &Candidate::node);
  return {begin, end};
}

// Returns the candidates in the smallest domain that holds the gang; empty if none does.
Candidates tightest(const ResolvedRequest& need, const std::vector<Domain>& domains,
                    Candidates candidates) {
  Candidates best;
  for (const Domain& domain : domains) {
    const Candidates inside = within(candidates, domain.first, domain.last);
    if (std::cmp_less(inside.size(), need.nodes)) continue;
    if (!best.empty() && inside.size() >= best.size()) continue;
    if (enough(need, inside)) best = inside;
  }
  return best;
}

bool has_required(Candidates candidates) {
  return std::ranges::any_of(candidates, &Candidate::required);
}

std::vector<Candidate> together(std::vector<Candidate> some, Candidates more) {
  some.insert(some.end(), more.begin(), more.end());
  std::ranges::sort(some, {}, &Candidate::node);
  return some;
}

// Groups the candidates by leaf. Leaves with named nodes come first, then those with most nodes.
// Nodes outside all leaves form one more group.
std::vector<Candidates> by_leaf(const Nodes& nodes, Candidates candidates, bool outside_too) {
  std::vector<Candidates> leaves;
  NodeAt last = 0;
  for (const Domain& leaf : nodes.levels().front()) {
    leaves.push_back(within(candidates, leaf.first, leaf.last));
    last = std::max(last, leaf.last);
  }
  if (outside_too) leaves.push_back(within(candidates, last, nodes.size()));
  std::erase_if(leaves, [](Candidates leaf) { return leaf.empty(); });
  std::ranges::stable_sort(leaves, [](Candidates a, Candidates b) {
    const bool a_required = has_required(a);
    const bool b_required = has_required(b);
    return a_required != b_required ? a_required : a.size() > b.size();
  });
  return leaves;
}

// Chooses as few leaves as possible, largest first. That is right because every node of a bound
// gang holds an even part.
std::vector<Candidate> on_few_leaves(const ResolvedRequest& need,
                                     const std::vector<Candidates>& leaves,
                                     std::int64_t leaves_max) {
  std::vector<Candidate> chosen;
  for (std::size_t i = 0; i < leaves.size() && std::cmp_less(i, leaves_max); ++i) {
    if (!enough(need, together(chosen, leaves[i]))) {
      chosen = together(std::move(chosen), leaves[i]);
      continue;
    }
    std::size_t smallest = i;
    for (std::size_t other = i + 1; other < leaves.size(); ++other)
      if (leaves[other].size() < leaves[smallest].size() &&
          enough(need, together(chosen, leaves[other])))
        smallest = other;
    return together(std::move(chosen), leaves[smallest]);
  }
  return {};
}

std::vector<Candidate> copied(Candidates candidates) {
  return {candidates.begin(), candidates.end()};
}

}  // namespace

std::vector<Candidate> nearby(const ResolvedRequest& need, const Nodes& nodes,
                              std::vector<Candidate> candidates) {
  const auto& levels = nodes.levels();
  if (need.contiguous && need.nodes > 1) return copied(best_row(need, nodes, candidates));
  if (need.level) return copied(tightest(need, levels[*need.level], candidates));
  if (levels.empty() || need.nodes == 1) return candidates;
  if (need.switches == 1) return copied(tightest(need, levels.front(), candidates));
  if (need.switches > 1)
    return on_few_leaves(need, by_leaf(nodes, candidates, false), need.switches);
  for (const std::vector<Domain>& domains : levels)
    if (const Candidates found = tightest(need, domains, candidates); !found.empty())
      return copied(found);
  auto few = on_few_leaves(need, by_leaf(nodes, candidates, true),
                           std::numeric_limits<std::int64_t>::max());
  return few.empty() ? candidates : few;
}

bool fits_nearby(const ResolvedRequest& need, const Nodes& nodes, Candidates candidates) {
  if (need.contiguous && need.nodes > 1) return !best_row(need, nodes, candidates).empty();
  if (need.level) return !tightest(need, nodes.levels()[*need.level], candidates).empty();
  if (need.switches == 0 || need.nodes == 1) return true;
  if (need.switches == 1) return !tightest(need, nodes.levels().front(), candidates).empty();
  return !on_few_leaves(need, by_leaf(nodes, candidates, false), need.switches).empty();
}

}  // namespace cox::schedule
