#include "schedule/place/place.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "common/base/check.h"
#include "schedule/place/candidate.h"
#include "schedule/place/feature_parts.h"
#include "schedule/place/islands.h"
#include "schedule/place/nearby.h"

namespace cox::schedule {
namespace {

std::vector<Candidate> candidates_in(std::span<const NodeAt> some, const ResolvedRequest& need,
                                     const Room& room) {
  std::vector<Candidate> found;
  const std::int64_t least = need.is_bound() ? need.tasks_even() : 1;
  for (const NodeAt at : some) {
    const std::int64_t tasks = tasks_that_fit(need, room, at);
    if (tasks < least) continue;
    Candidate& candidate = found.emplace_back();
    candidate.badness.node = at;
    candidate.tasks_max = tasks;
    candidate.required = std::ranges::binary_search(need.required, at);
  }
  return found;
}

void judge(Candidate& candidate, const ResolvedRequest& need, const Nodes& nodes, const Room& room,
           std::span<const Room* const> preferred) {
  const NodeAt at = candidate.node();
  const std::int64_t tasks = std::min(candidate.tasks_max, need.tasks_even());
  candidate.badness = badness_of(need, nodes, room, at, tasks);
  candidate.badness.not_required = !candidate.required;
  for (const Room* wanted : preferred)
    if (tasks_that_fit(need, *wanted, at) < tasks) ++candidate.badness.preferred_missed;
}

void judge_leaves(std::vector<Candidate>& candidates, const Nodes& nodes, const Room& room) {
  const Domain* leaf = nullptr;
  double free = 0;
  for (Candidate& candidate : candidates) {
    const Domain* own = nodes.leaf_of(candidate.node());
    if (own != leaf) free = own == nullptr ? 0 : leaf_free(room, *own);
    leaf = own;
    candidate.badness.leaf_free = free;
  }
}

// Chooses the best nodes that take the same number of tasks each; if the number does not divide,
// some take one more. Empty if that is impossible.
std::vector<Candidate> choose_even(const ResolvedRequest& need,
                                   const std::vector<Candidate>& sorted) {
  const std::int64_t each = need.tasks / need.nodes;
  std::int64_t with_one_more = need.tasks % need.nodes;
  for (const Candidate& candidate : sorted)
    if (candidate.required && candidate.tasks_max > each) --with_one_more;
  std::vector<bool> taken(sorted.size(), false);
  std::vector<Candidate> chosen;
  const auto choose = [&](std::size_t i) {
    taken[i] = true;
    chosen.push_back(sorted[i]);
  };
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i].required) {
      if (sorted[i].tasks_max < each) return {};
      choose(i);
    } else if (with_one_more > 0 && sorted[i].tasks_max > each) {
      --with_one_more;
      choose(i);
    }
  }
  if (with_one_more > 0) return {};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (static_cast<std::int64_t>(chosen.size()) == need.nodes) break;
    if (!taken[i] && sorted[i].tasks_max >= each) choose(i);
  }
  if (static_cast<std::int64_t>(chosen.size()) != need.nodes) chosen.clear();
  return chosen;
}

// Chooses the nodes that hold most tasks, for gangs that no even spread fits.
std::vector<Candidate> choose_by_room(const ResolvedRequest& need, std::vector<Candidate> sorted) {
  std::ranges::stable_sort(sorted, [](const Candidate& a, const Candidate& b) {
    return std::tuple(!a.required, -a.tasks_max) < std::tuple(!b.required, -b.tasks_max);
  });
  sorted.resize(static_cast<std::size_t>(need.nodes));
  return sorted;
}

// Spreads the tasks as evenly as the room allows: each node gets as many as it holds, up to a
// common level. The tasks left over go to the first nodes that hold one more.
std::vector<std::int64_t> spread(const ResolvedRequest& need,
                                 const std::vector<Candidate>& chosen) {
  const auto held_at = [&](std::int64_t level) {
    std::int64_t held = 0;
    for (const Candidate& candidate : chosen) held += std::min(candidate.tasks_max, level);
    return held;
  };
  std::int64_t level = 1;
  for (std::int64_t above = need.tasks + 1; above - level > 1;) {
    const std::int64_t middle = level + (above - level) / 2;
    (held_at(middle) <= need.tasks ? level : above) = middle;
  }
  std::int64_t remaining = need.tasks - held_at(level);
  std::vector<std::int64_t> tasks;
  for (const Candidate& candidate : chosen) {
    const bool one_more = remaining > 0 && candidate.tasks_max > level;
    if (one_more) --remaining;
    tasks.push_back(std::min(candidate.tasks_max, level) + (one_more ? 1 : 0));
  }
  CHECK(remaining == 0);
  return tasks;
}

std::vector<Candidate> choose(const ResolvedRequest& need, const std::vector<Candidate>& sorted) {
  if (!need.parts.empty()) return choose_parts(need, sorted);
  std::vector<Candidate> chosen = choose_even(need, sorted);
  return chosen.empty() ? choose_by_room(need, sorted) : chosen;
}

NodePart share_of(const ResolvedRequest& need, const Nodes& nodes, const Room& room, NodeAt at,
                  std::int64_t tasks) {
  const NodeFacts& facts = nodes[at];
  const NodeResources& total = facts.node->total;
  if (need.request->exclusive) return {at, tasks, total.cpus, total.memory_mb, facts.gpus};
  return {at,
          tasks,
          tasks * need.cpus_per_task,
          need.request->whole_memory ? total.memory_mb : need.memory_mb,
          pick_gpus(need, nodes, room, at),
          need.gpu_milli};
}

bool has_part_of_gpu(const ResolvedRequest& need, const Room& room, NodeAt at) {
  const auto milli = room.gpu_milli(at);
  for (std::size_t device = 0; device < milli.size(); ++device)
    if (milli[device] >= need.gpu_milli && need.accepted_devices(at, GpuBits{1} << device) != 0)
      return true;
  return false;
}

std::int64_t whole_gpus(const ResolvedRequest& need, const Room& room, NodeAt at) {
  const GpuBits free = need.accepted_devices(at, room[at].gpus);
  if (free == 0) return 0;
  return need.joined_gpus ? most_joined(need, (*need.all_nodes)[at], free) : std::popcount(free);
}

}  // namespace

bool lacks_whole_memory(const ResolvedRequest& need, const NodeRoom& here, NodeAt at) {
  return need.request->whole_memory && here.memory_mb < (*need.all_nodes)[at].node->total.memory_mb;
}

bool has_gpus(const ResolvedRequest& need, const Room& room, NodeAt at) {
  if (need.gpu_milli < gpu_whole) return has_part_of_gpu(need, room, at);
  return need.gpus == 0 || whole_gpus(need, room, at) >= need.gpus;
}

std::int64_t tasks_that_fit(const ResolvedRequest& need, const Room& room, NodeAt at) {
  if (!need.components.empty()) return tasks_of_components(need, room, at);
  const NodeRoom& here = room[at];
  if (here.cpus < need.cpus_per_task) return 0;
  if (need.request->exclusive && here.holders > 0) return 0;
  if (need.memory_mb > 0 && here.memory_mb < need.memory_mb) return 0;
  if (lacks_whole_memory(need, here, at)) return 0;
  if (!need.gres.empty() && !room.has_gres(at, need.gres)) return 0;
  if (!has_gpus(need, room, at)) return 0;
  return std::min(here.cpus / need.cpus_per_task, need.tasks_per_node_max);
}

bool enough(const ResolvedRequest& need, Candidates candidates) {
  if (need.required_missing) return false;
  if (std::cmp_less(candidates.size(), need.nodes)) return false;
  std::size_t required = 0;
  std::int64_t held = 0;
  std::vector<std::int64_t> others;
  for (const Candidate& candidate : candidates) {
    const std::int64_t tasks = std::min(candidate.tasks_max, need.tasks);
    if (candidate.required) {
      ++required;
      held += tasks;
    } else {
      others.push_back(tasks);
    }
  }
  if (required != need.required.size()) return false;
  const auto more = std::next(others.begin(), need.nodes - static_cast<std::int64_t>(required));
  std::ranges::nth_element(others, more, std::greater<>{});
  if (std::accumulate(others.begin(), more, held) < need.tasks) return false;
  if (need.parts.empty()) return true;
  if (need.required.empty()) return parts_are_served(need, candidates);
  std::vector<Candidate> required_first(candidates.begin(), candidates.end());
  std::ranges::stable_partition(required_first, &Candidate::required);
  return !choose_parts(need, required_first).empty();
}

GangParts even_shares(const ResolvedRequest& need, const Nodes& nodes, const Room& room,
                      const std::vector<NodeAt>& at) {
  GangParts shares{{}, need.gres, need.licences};
  shares.parts.reserve(at.size());
  for (const NodeAt one : at)
    shares.parts.push_back(share_of(need, nodes, room, one, need.tasks_even()));
  return shares;
}

// Returns whether the gang fits with an equal part on each node; stops at the first nodes that
// suffice. Empty: that is not known, or uneven parts may fit. For gangs that are not bound.
std::optional<bool> fits_evenly(const ResolvedRequest& need, const Room& room) {
  if (need.is_bound() || !need.required.empty() || need.required_missing) return std::nullopt;
  std::int64_t held = 0;
  for (const NodeAt at : need.usable)
    if (tasks_that_fit(need, room, at) >= need.tasks_even() && ++held == need.nodes) return true;
  if (need.tasks_per_node_max <= need.tasks_even() && need.tasks % need.nodes == 0) return false;
  return std::nullopt;
}

bool fits(const ResolvedRequest& need, const Room& room) {
  if (!room.has_licences(need.licences)) return false;
  if (const auto evenly = fits_evenly(need, room)) return *evenly;
  const std::vector<Candidate> candidates = candidates_in(need.usable, need, room);
  if (!need.components.empty()) return enough(need, candidates) && components_fit(need, room);
  return enough(need, candidates) && fits_nearby(need, *need.all_nodes, candidates);
}

std::optional<GangParts> place(const ResolvedRequest& need, const Nodes& nodes, const Room& room,
                               std::span<const Room* const> preferred) {
  return place_among(need.usable, need, nodes, room, preferred);
}

std::optional<GangParts> place_among(std::span<const NodeAt> some, const ResolvedRequest& need,
                                     const Nodes& nodes, const Room& room,
                                     std::span<const Room* const> preferred) {
  if (!room.has_licences(need.licences)) return std::nullopt;
  if (!need.components.empty()) return place_components(some, need, nodes, room, preferred);
  std::vector<Candidate> candidates = candidates_in(some, need, room);
  if (!enough(need, candidates)) return std::nullopt;
  candidates = nearby(need, nodes, std::move(candidates));
  if (candidates.empty()) return std::nullopt;
  for (Candidate& candidate : candidates) judge(candidate, need, nodes, room, preferred);
  if (need.nodes == 1 && !nodes.levels().empty()) judge_leaves(candidates, nodes, room);
  std::ranges::sort(candidates, {}, &Candidate::badness);
  std::vector<Candidate> chosen = choose(need, candidates);
  std::ranges::sort(chosen, {}, &Candidate::node);
  const std::vector<std::int64_t> tasks = spread(need, chosen);
  GangParts shares{{}, need.gres, need.licences};
  shares.parts.reserve(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    shares.parts.push_back(share_of(need, nodes, room, chosen[i].node(), tasks[i]));
  return shares;
}

}  // namespace cox::schedule
