#include "schedule/place.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "common/check.h"

namespace cox::schedule {
namespace {

struct Candidate {
  std::int64_t tasks_max = 0;
  bool required = false;
  Badness badness;
};

std::vector<Candidate> candidates_in(const Need& need, const Room& room) {
  std::vector<Candidate> found;
  found.reserve(need.usable.size());
  for (const NodeAt at : need.usable) {
    Candidate candidate;
    candidate.badness.node = at;
    candidate.tasks_max = tasks_that_fit(need, room, at);
    candidate.required = std::ranges::binary_search(need.required, at);
    if (candidate.tasks_max > 0) found.push_back(candidate);
  }
  return found;
}

// Exact: the required nodes and the roomiest of the others hold all tasks, or no choice does.
bool enough(const Need& need, const std::vector<Candidate>& candidates) {
  if (need.required_missing) return false;
  if (static_cast<std::int64_t>(candidates.size()) < need.nodes) return false;
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
  return std::accumulate(others.begin(), more, held) >= need.tasks;
}

void judge(Candidate& candidate, const Need& need, const Nodes& nodes, const Room& room,
           std::span<const Room* const> preferred) {
  const NodeAt at = candidate.badness.node;
  const std::int64_t tasks = std::min(candidate.tasks_max, need.tasks_even());
  candidate.badness = badness_of(need, nodes, room, at, tasks);
  candidate.badness.not_required = !candidate.required;
  for (const Room* wanted : preferred)
    if (tasks_that_fit(need, *wanted, at) < tasks) ++candidate.badness.preferred_missed;
}

// Best-fit nodes that take the same number of tasks each, some one more where it does not divide.
// Empty when that cannot be.
std::vector<Candidate> choose_even(const Need& need, const std::vector<Candidate>& sorted) {
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

// The roomiest nodes, when no even spread fits.
std::vector<Candidate> choose_by_room(const Need& need, std::vector<Candidate> sorted) {
  std::ranges::stable_sort(sorted, [](const Candidate& a, const Candidate& b) {
    return std::tuple(!a.required, -a.tasks_max) < std::tuple(!b.required, -b.tasks_max);
  });
  sorted.resize(static_cast<std::size_t>(need.nodes));
  return sorted;
}

// As even as the room allows: everybody up to a level, and what remains one each to the earliest.
std::vector<std::int64_t> spread(const Need& need, const std::vector<Candidate>& chosen) {
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

Share share_of(const Need& need, const Nodes& nodes, const Room& room, NodeAt at,
               std::int64_t tasks) {
  const NodeFacts& facts = nodes[at];
  const NodeResources& total = facts.node->total;
  if (need.request->exclusive) return {at, tasks, total.cpus, total.memory_mb, facts.gpus};
  return {at,
          tasks,
          tasks * need.cpus_per_task,
          need.memory_mb,
          pick_gpus(need, nodes, room, at),
          need.gpu_milli};
}

bool has_part_of_gpu(const Need& need, const Room& room, NodeAt at) {
  const auto milli = room.gpu_milli(at);
  for (std::size_t device = 0; device < milli.size(); ++device)
    if (milli[device] >= need.gpu_milli && need.of_its_types(at, GpuBits{1} << device) != 0)
      return true;
  return false;
}

}  // namespace

std::int64_t tasks_that_fit(const Need& need, const Room& room, NodeAt at) {
  const NodeRoom& here = room[at];
  if (need.request->exclusive && here.holders > 0) return 0;
  if (need.memory_mb > 0 && here.memory_mb < need.memory_mb) return 0;
  if (need.gpu_milli < gpu_whole) {
    if (!has_part_of_gpu(need, room, at)) return 0;
  } else if (need.gpus > 0 && std::popcount(need.of_its_types(at, here.gpus)) < need.gpus) {
    return 0;
  }
  return std::clamp<std::int64_t>(here.cpus / need.cpus_per_task, 0, need.tasks_per_node_max);
}

Shares even_shares(const Need& need, const Nodes& nodes, const Room& room,
                   const std::vector<NodeAt>& at) {
  Shares shares;
  shares.reserve(at.size());
  for (const NodeAt one : at) shares.push_back(share_of(need, nodes, room, one, need.tasks_even()));
  return shares;
}

bool fits(const Need& need, const Room& room) {
  return enough(need, candidates_in(need, room));
}

Fitting::Fitting(const Need& need, const Nodes& nodes, const Room& room)
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

void Fitting::nodes_changed(const Shares& shares, const Room& room) {
  for (const Share& share : shares) node_changed(share.node, room);
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

std::optional<Shares> place(const Need& need, const Nodes& nodes, const Room& room,
                            std::span<const Room* const> preferred) {
  std::vector<Candidate> candidates = candidates_in(need, room);
  if (!enough(need, candidates)) return std::nullopt;
  for (Candidate& candidate : candidates) judge(candidate, need, nodes, room, preferred);
  std::ranges::sort(candidates, {}, &Candidate::badness);
  std::vector<Candidate> chosen = choose_even(need, candidates);
  if (chosen.empty()) chosen = choose_by_room(need, candidates);
  std::ranges::sort(chosen, {}, [](const Candidate& c) { return c.badness.node; });
  const std::vector<std::int64_t> tasks = spread(need, chosen);
  Shares shares;
  shares.reserve(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    shares.push_back(share_of(need, nodes, room, chosen[i].badness.node, tasks[i]));
  return shares;
}

}  // namespace cox::schedule
