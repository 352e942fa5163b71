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

double fraction(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

std::vector<Candidate> candidates_in(const Need& need, const Nodes& nodes, const Room& room) {
  std::vector<Candidate> found;
  found.reserve(need.usable.size());
  for (const NodeAt at : need.usable) {
    Candidate candidate;
    candidate.badness.node = at;
    candidate.tasks_max = tasks_that_fit(need, nodes, room, at);
    candidate.required = std::ranges::binary_search(need.required, at);
    candidate.badness.not_required = !candidate.required;
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

// What is left over of the node once it has taken so many tasks.
void judge(Badness& badness, const Need& need, const Nodes& nodes, const Room& room,
           std::int64_t tasks) {
  const NodeFacts& facts = nodes[badness.node];
  const NodeRoom& here = room[badness.node];
  badness.wastes_gpus = need.gpus == 0 && facts.gpus != 0;
  badness.idle_features = facts.node->features.size() - (need.job->constraint.empty() ? 0 : 1);
  badness.gpus_left = fraction(std::popcount(here.gpus) - need.gpus, std::popcount(facts.gpus));
  const NodeResources& total = facts.node->total;
  badness.left = fraction(here.cpus - tasks * need.cpus_per_task, total.cpus);
  if (need.memory_mb > 0)  // what nobody claims is left over everywhere and tells nothing
    badness.left =
        std::max(badness.left, fraction(here.memory_mb - need.memory_mb, total.memory_mb));
}

void judge(Candidate& candidate, const Need& need, const Nodes& nodes, const Room& room,
           std::span<const Room* const> preferred) {
  const std::int64_t tasks = std::min(candidate.tasks_max, need.tasks_even());
  for (const Room* wanted : preferred)
    if (tasks_that_fit(need, nodes, *wanted, candidate.badness.node) < tasks)
      ++candidate.badness.preferred_missed;
  judge(candidate.badness, need, nodes, room, tasks);
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

// Lowest devices first; of one type where one type has enough, and then the type with least spare.
GpuBits pick_gpus(const Need& need, const NodeFacts& facts, GpuBits free) {
  GpuBits from = free & facts.devices_of(need.job->gpu_type);
  if (need.job->gpu_type.empty()) {
    int least = 65;
    for (const GpuKind& kind : facts.gpu_kinds) {
      const int count = std::popcount(free & kind.devices);
      if (count < need.gpus || count >= least) continue;
      least = count;
      from = free & kind.devices;
    }
  }
  GpuBits picked = 0;
  for (std::int64_t i = 0; i < need.gpus; ++i, from &= from - 1) picked |= from & (~from + 1);
  return picked;
}

Share share_of(const Need& need, const Nodes& nodes, const Room& room, NodeAt at,
               std::int64_t tasks) {
  const NodeFacts& facts = nodes[at];
  const NodeResources& total = facts.node->total;
  if (need.job->exclusive) return {at, tasks, total.cpus, total.memory_mb, facts.gpus};
  return {at, tasks, tasks * need.cpus_per_task, need.memory_mb,
          pick_gpus(need, facts, room[at].gpus)};
}

}  // namespace

std::int64_t tasks_that_fit(const Need& need, const Nodes& nodes, const Room& room, NodeAt at) {
  const NodeRoom& here = room[at];
  if (need.job->exclusive && here.holders > 0) return 0;
  if (need.memory_mb > 0 && here.memory_mb < need.memory_mb) return 0;
  if (need.gpus > 0) {
    const GpuBits devices = here.gpus & nodes[at].devices_of(need.job->gpu_type);
    if (std::popcount(devices) < need.gpus) return 0;
  }
  return std::clamp<std::int64_t>(here.cpus / need.cpus_per_task, 0, need.tasks_per_node_max);
}

std::optional<Badness> badness_alone(const Need& need, const Nodes& nodes, const Room& room,
                                     NodeAt at) {
  if (tasks_that_fit(need, nodes, room, at) < need.tasks) return std::nullopt;
  Badness badness;
  badness.node = at;
  judge(badness, need, nodes, room, need.tasks);
  return badness;
}

Shares shares_alone(const Need& need, const Nodes& nodes, const Room& room, NodeAt at) {
  return {share_of(need, nodes, room, at, need.tasks)};
}

bool fits(const Need& need, const Nodes& nodes, const Room& room) {
  return enough(need, candidates_in(need, nodes, room));
}

std::optional<Shares> place(const Need& need, const Nodes& nodes, const Room& room,
                            std::span<const Room* const> preferred) {
  std::vector<Candidate> candidates = candidates_in(need, nodes, room);
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
