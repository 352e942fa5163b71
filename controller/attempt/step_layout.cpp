#include "controller/attempt/step_layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/state/counted.h"

namespace cox {

namespace {

using Rooms = std::vector<const StepRoom*>;

// Slurm's words, which launchers and people look for.
constexpr const char* not_available = "Requested node configuration is not available";
constexpr const char* too_many_tasks = "Task count specification invalid";
constexpr const char* too_many_cpus = "More processors requested than permitted";
constexpr const char* ask_for_less =
    "; ask for fewer tasks or less for each, or for a larger allocation";

std::int64_t cpus_of_task(const StepSpec& spec) {
  return std::max<std::int64_t>(spec.cpus_per_task, 1);
}

// Returns the nodes of the allocation that --nodelist, --exclude and --relative permit.
Result<Rooms> nodes_in_question(const StepSpec& spec, const std::vector<StepRoom>& rooms) {
  for (const std::string& wanted : spec.nodelist)
    if (std::ranges::none_of(rooms, [&](const StepRoom& r) { return r.grant->node == wanted; }))
      return Refusal{not_available, "node " + wanted + " is not in the allocation"};
  if (spec.relative >= static_cast<std::int64_t>(rooms.size()))
    return Refusal{not_available, "--relative=" + std::to_string(spec.relative) +
                                      " is outside the allocation, which has " +
                                      counted(static_cast<std::int64_t>(rooms.size()), "node")};
  const auto named = [&](const StepRoom& room) {
    return std::ranges::find(spec.nodelist, room.grant->node) != spec.nodelist.end();
  };
  Rooms chosen;
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    const StepRoom& room = rooms[i];
    const bool excluded = std::ranges::find(spec.exclude, room.grant->node) != spec.exclude.end();
    const bool before = static_cast<std::int64_t>(i) < spec.relative;
    const bool passed_over = !spec.nodelist.empty() && !named(room);
    if (!excluded && !before && !passed_over) chosen.push_back(&room);
  }
  return chosen;
}

std::int64_t tasks_by_cpus(const StepSpec& spec, const StepRoom& room, bool all) {
  const std::int64_t cpus = all ? room.grant->cpus : room.cpus;
  if (spec.overcommit) return cpus > 0 ? limits::tasks_per_job_max : 0;
  return cpus / cpus_of_task(spec);
}

std::int64_t tasks_by_memory(const StepSpec& spec, const StepRoom& room, bool all) {
  if (room.grant->memory_mb == 0) return limits::tasks_per_job_max;
  const std::int64_t memory = all ? room.grant->memory_mb : room.memory_mb;
  if (spec.memory_mb_per_cpu > 0) return memory / (spec.memory_mb_per_cpu * cpus_of_task(spec));
  return memory < spec.memory_mb_per_node ? 0 : limits::tasks_per_job_max;
}

// Returns how many tasks of the step fit on the node: into all that the allocation has there, if
// `of_all`; otherwise into what no other step holds.
std::int64_t tasks_for(const StepSpec& spec, const StepRoom& room, bool of_all) {
  const bool all = of_all || spec.overlap;
  const NodeGrant& grant = *room.grant;
  std::int64_t tasks = std::min(tasks_by_cpus(spec, room, all), tasks_by_memory(spec, room, all));
  if (spec.tasks_per_node > 0) tasks = std::min(tasks, spec.tasks_per_node);
  const auto gpus = static_cast<std::int64_t>(all ? grant.gpus.size() : room.gpus.size());
  if (spec.gpus_per_node > gpus) return 0;
  if (spec.gpus_per_task > 0) tasks = std::min(tasks, gpus / spec.gpus_per_task);
  return tasks;
}

struct Wish {
  std::int64_t nodes_min = 0;  // 0: as many nodes as the tasks need
  std::int64_t nodes_max = 0;
  std::int64_t tasks = 0;
};

// Returns whether the step gets as many tasks as its nodes have room for, as in Slurm: with
// --cpus-per-task and no number of tasks.
bool fills_nodes(const StepSpec& spec) {
  return spec.cpus_per_task > 0 && spec.tasks == 0 && spec.tasks_per_node == 0 && !spec.overcommit;
}

std::int64_t tasks_that_fill(const StepSpec& spec, const Rooms& from, std::int64_t nodes) {
  std::int64_t tasks = 0;
  for (const StepRoom* room : from)
    if (nodes-- > 0) tasks += tasks_for(spec, *room, true);
  return tasks;
}

Wish wish_of(const StepSpec& spec, const Rooms& from) {
  Wish wish{spec.nodes_min, std::max(spec.nodes_min, spec.nodes_max), spec.tasks};
  const auto named = static_cast<std::int64_t>(spec.nodelist.size());
  if (wish.nodes_max == 0 && named > 0) wish.nodes_min = wish.nodes_max = named;
  // A step for which neither nodes nor tasks are requested gets all nodes of the allocation.
  if (wish.nodes_max == 0 && spec.tasks == 0) wish.nodes_min = wish.nodes_max = std::ssize(from);
  // If more nodes are requested than the allocation has, the upper bound is lowered: "-N1-64" takes
  // all nodes of the allocation, with one task on each.
  wish.nodes_max =
      std::max(wish.nodes_min, std::min<std::int64_t>(wish.nodes_max, std::ssize(from)));
  if (wish.tasks == 0)
    wish.tasks =
        std::max<std::int64_t>(wish.nodes_max, 1) * std::max<std::int64_t>(spec.tasks_per_node, 1);
  if (fills_nodes(spec))
    wish.tasks = std::max(wish.tasks, tasks_that_fill(spec, from, wish.nodes_max));
  // Every node of the step has at least one task, so the step has no more nodes than tasks.
  wish.nodes_min = std::min(wish.nodes_min, wish.tasks);
  wish.nodes_max = std::min(wish.nodes_max, wish.tasks);
  return wish;
}

// Returns the first nodes of `from`, in order, on which all tasks of the step fit; nullopt if they
// do not fit on all of them.
std::optional<Rooms> first_that_do(const StepSpec& spec, const Wish& wish, const Rooms& from,
                                   bool of_all) {
  Rooms chosen;
  std::int64_t tasks = 0;
  for (const StepRoom* room : from) {
    const std::int64_t here = tasks_for(spec, *room, of_all);
    if (here == 0) continue;
    const auto count = static_cast<std::int64_t>(chosen.size());
    if (tasks >= wish.tasks && count >= wish.nodes_min) break;
    if (wish.nodes_max > 0 && count == wish.nodes_max) break;
    chosen.push_back(room);
    tasks += here;
  }
  if (tasks < wish.tasks || static_cast<std::int64_t>(chosen.size()) < wish.nodes_min)
    return std::nullopt;
  return chosen;
}

// Returns nodes on which all tasks of the step fit: the first ones. If these are more than
// nodes_max, returns the largest nodes instead.
std::optional<Rooms> choose(const StepSpec& spec, const Wish& wish, const Rooms& from,
                            bool of_all) {
  auto chosen = first_that_do(spec, wish, from, of_all);
  if (chosen || wish.nodes_max == 0) return chosen;
  Rooms largest = from;
  std::ranges::stable_sort(largest, std::ranges::greater{},
                           [&](const StepRoom* room) { return tasks_for(spec, *room, of_all); });
  chosen = first_that_do(spec, wish, largest, of_all);
  // Sorted pointers into one vector: the order of the allocation.
  if (chosen) std::ranges::sort(*chosen);
  return chosen;
}

// Deals out the tasks to the nodes in rounds, `turn` tasks to a node in each round, at most
// `most[i]` to node i. Returns the number for each node. REQUIRES: the sum of `most` is at least
// `tasks`.
std::vector<std::int64_t> deal(std::int64_t tasks, const std::vector<std::int64_t>& most,
                               std::int64_t turn) {
  std::vector<std::int64_t> dealt(most.size(), 0);
  while (tasks > 0) {
    std::int64_t given = 0;
    for (std::size_t i = 0; i < most.size(); ++i) {
      const std::int64_t some = std::min({turn, most[i] - dealt[i], tasks - given});
      dealt[i] += some;
      given += some;
    }
    CHECK(given > 0);
    tasks -= given;
  }
  return dealt;
}

// Returns the most tasks that each node may get. With --overcommit, tasks beyond the number of CPUs
// are spread evenly.
std::vector<std::int64_t> most_by_node(const StepSpec& spec, std::int64_t tasks,
                                       const Rooms& chosen) {
  std::vector<std::int64_t> most;
  for (const StepRoom* room : chosen) most.push_back(tasks_for(spec, *room, false));
  if (!spec.overcommit) return most;
  StepSpec by_cpus = spec;
  by_cpus.overcommit = false;
  std::vector<std::int64_t> dealt;
  for (const StepRoom* room : chosen)
    dealt.push_back(std::max<std::int64_t>(tasks_for(by_cpus, *room, false), 1));
  std::int64_t left = tasks - std::accumulate(dealt.begin(), dealt.end(), std::int64_t{0});
  for (std::size_t i = 0; left > 0; i = (i + 1) % dealt.size()) {
    if (dealt[i] >= most[i]) continue;
    ++dealt[i];
    --left;
  }
  return dealt;
}

std::vector<std::int64_t> tasks_by_node(const StepSpec& spec, std::int64_t tasks,
                                        const Rooms& chosen, bool all_of_it) {
  // If the step has as many tasks as the allocation, they are placed like the allocation's own.
  std::vector<std::int64_t> own;
  for (const StepRoom* room : chosen) own.push_back(room->grant->ranks);
  const bool fits = std::ranges::all_of(chosen, [&](const StepRoom* room) {
    return room->grant->ranks > 0 && tasks_for(spec, *room, false) >= room->grant->ranks;
  });
  const bool is_plain = spec.distribution == Distribution::Block && spec.tasks_per_node == 0;
  if (all_of_it && is_plain && fits &&
      std::accumulate(own.begin(), own.end(), std::int64_t{0}) == tasks)
    return own;
  const std::vector<std::int64_t> most = most_by_node(spec, tasks, chosen);
  if (spec.distribution == Distribution::Cyclic) return deal(tasks, most, 1);
  if (spec.distribution == Distribution::Plane)
    return deal(tasks, most, std::max<std::int64_t>(spec.plane, 1));
  std::vector<std::int64_t> dealt(chosen.size(), 1);
  std::int64_t left = tasks - static_cast<std::int64_t>(chosen.size());
  for (std::size_t i = 0; i < dealt.size(); ++i) {
    const std::int64_t more = std::min(left, most[i] - 1);
    dealt[i] += more;
    left -= more;
  }
  CHECK(left == 0);
  return dealt;
}

// Returns the number of GPUs on each node for --gpus, dealt out in turns; nullopt if the nodes
// together have too few.
std::optional<std::vector<std::int64_t>> gpus_by_node(const StepSpec& spec, const Rooms& chosen,
                                                      bool of_all) {
  std::vector<std::int64_t> most;
  for (const StepRoom* room : chosen)
    most.push_back(std::ssize(of_all || spec.overlap ? room->grant->gpus : room->gpus));
  if (std::accumulate(most.begin(), most.end(), std::int64_t{0}) < spec.gpus) return std::nullopt;
  return deal(spec.gpus, most, 1);
}

StepNode node_of(const StepSpec& spec, const StepRoom& room, std::int64_t tasks,
                 std::int64_t gpus_of_all) {
  const NodeGrant& grant = *room.grant;
  StepNode node;
  node.node = grant.node;
  node.tasks = static_cast<std::int32_t>(tasks);
  const std::int64_t free = spec.overlap ? grant.cpus : room.cpus;
  std::int64_t asked = tasks * cpus_of_task(spec);
  if (spec.overcommit) asked = std::min(asked, free);
  node.cpus = spec.exact ? asked : std::max(asked, free);
  node.memory_mb =
      spec.memory_mb_per_cpu > 0 ? spec.memory_mb_per_cpu * asked : spec.memory_mb_per_node;
  std::int64_t gpus = gpus_of_all;
  if (spec.gpus_per_node >= 0) gpus = spec.gpus_per_node;
  if (spec.gpus_per_task >= 0) gpus = spec.gpus_per_task * tasks;
  const auto& from = gpus < 0 || spec.overlap ? grant.gpus : room.gpus;
  node.gpus = from;
  if (gpus >= 0 && gpus < static_cast<std::int64_t>(from.size()))
    node.gpus.resize(static_cast<std::size_t>(gpus));
  return node;
}

// Places the given numbers of tasks on the nodes. Returns StepWaits if other steps hold the GPUs.
StepPlaced nodes_with(const StepSpec& spec, const Rooms& chosen,
                      const std::vector<std::int64_t>& dealt) {
  std::optional<std::vector<std::int64_t>> gpus;
  if (spec.gpus >= 0 && !(gpus = gpus_by_node(spec, chosen, false)))
    return StepWaits{"Requested nodes are busy"};
  std::vector<StepNode> nodes;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    nodes.push_back(node_of(spec, *chosen[i], dealt[i], gpus ? (*gpus)[i] : -1));
  return nodes;
}

std::string tasks_wanted(const Wish& wish, const std::string& of_each) {
  return counted(wish.tasks, "task") + of_each +
         (wish.nodes_min > 1 ? " on " + counted(wish.nodes_min, "node") : "") + " asked for; ";
}

// Returns "2 nodes of the allocation take 6": the most tasks that fit on as many nodes as the step
// may have, when no other step runs.
std::string tasks_taken(const StepSpec& spec, const Wish& wish, const Rooms& from) {
  std::vector<std::int64_t> tasks;
  for (const StepRoom* room : from)
    if (const std::int64_t here = tasks_for(spec, *room, true); here > 0) tasks.push_back(here);
  if (tasks.empty()) return "no node of the allocation takes one";
  std::ranges::sort(tasks, std::ranges::greater{});
  if (wish.nodes_max > 0 && std::cmp_less(wish.nodes_max, tasks.size()))
    tasks.resize(static_cast<std::size_t>(wish.nodes_max));
  const std::int64_t most = std::accumulate(tasks.begin(), tasks.end(), std::int64_t{0});
  return counted(std::ssize(tasks), "node") + " of the allocation " +
         (tasks.size() == 1 ? "takes " : "take ") + std::to_string(most);
}

// Returns "the 2 nodes that it may use have 5 GPUs, at most 4 on one".
std::string gpus_there(const Rooms& from) {
  std::int64_t all = 0;
  std::int64_t most = 0;
  for (const StepRoom* room : from) {
    const std::int64_t here = std::ssize(room->grant->gpus);
    all += here;
    most = std::max(most, here);
  }
  const bool one = from.size() == 1;
  return "the " + counted(std::ssize(from), "node") + " that it may use " +
         (one ? "has " : "have ") + counted(all, "GPU") +
         (one || all == 0 ? "" : ", at most " + std::to_string(most) + " on one");
}

// Returns why the step can never fit. REQUIRES: it does not fit even without other steps.
Refusal never_fits(const StepSpec& spec, const Wish& wish, const Rooms& from) {
  StepSpec plain = spec;
  plain.gpus_per_task = plain.gpus_per_node = -1;
  if (!choose(plain, wish, from, true))
    return {too_many_cpus, tasks_wanted(wish, " of " + counted(cpus_of_task(spec), "CPU")) +
                               tasks_taken(plain, wish, from) + ask_for_less};
  std::string gpus;
  if (spec.gpus_per_task > 0) gpus = " with " + counted(spec.gpus_per_task, "GPU") + " each";
  if (spec.gpus_per_node > 0)
    gpus += (gpus.empty() ? " with " : " and ") + counted(spec.gpus_per_node, "GPU") + " a node";
  return {not_available, tasks_wanted(wish, gpus) + gpus_there(from) + ask_for_less};
}

Refusal too_few_gpus(const StepSpec& spec, const Rooms& chosen) {
  return {not_available, counted(spec.gpus, "GPU") + " asked for; " + gpus_there(chosen) +
                             "; ask for fewer GPUs, for more nodes, or for a larger allocation"};
}

// Places each task on the node that the list names for it (--distribution=arbitrary).
StepPlaced place_as_listed(const StepSpec& spec, const std::vector<StepRoom>& rooms) {
  if (spec.tasks != std::ssize(spec.nodelist))
    return Refusal{too_many_tasks, counted(spec.tasks, "task") + " asked for; the list names " +
                                       counted(std::ssize(spec.nodelist), "node")};
  std::map<std::string_view, std::int64_t> listed;
  for (const std::string& node : spec.nodelist) ++listed[node];
  for (const std::string& node : spec.exclude)
    if (listed.contains(node)) return Refusal{not_available, "node " + node + " is excluded"};
  Rooms chosen;
  std::vector<std::int64_t> dealt;
  for (const StepRoom& room : rooms) {
    const auto here = listed.find(room.grant->node);
    if (here == listed.end()) continue;
    chosen.push_back(&room);
    dealt.push_back(here->second);
    listed.erase(here);
  }
  if (!listed.empty())
    return Refusal{not_available,
                   "node " + std::string(listed.begin()->first) + " is not in the allocation"};
  bool is_busy = false;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::int64_t most = tasks_for(spec, *chosen[i], true);
    if (most < dealt[i])
      return Refusal{too_many_cpus, counted(dealt[i], "task") + " asked for on node " +
                                        chosen[i]->grant->node + ", which has room for " +
                                        std::to_string(most) + ask_for_less};
    is_busy = is_busy || tasks_for(spec, *chosen[i], false) < dealt[i];
  }
  if (spec.gpus > 0 && !gpus_by_node(spec, chosen, true)) return too_few_gpus(spec, chosen);
  if (is_busy) return StepWaits{"Requested nodes are busy"};
  return nodes_with(spec, chosen, dealt);
}

}  // namespace

StepPlaced place_step(const StepSpec& spec, const std::vector<StepRoom>& rooms) {
  if (spec.distribution == Distribution::Arbitrary) return place_as_listed(spec, rooms);
  auto from = nodes_in_question(spec, rooms);
  if (!from) return from.refusal();
  const Wish wish = wish_of(spec, *from);
  if (wish.tasks > limits::tasks_per_job_max)
    return Refusal{too_many_tasks, counted(wish.tasks, "task") + " asked for; the limit is " +
                                       std::to_string(limits::tasks_per_job_max)};
  if (wish.nodes_min > static_cast<std::int64_t>(from->size()))
    return Refusal{not_available, counted(wish.nodes_min, "node") + " asked for; " +
                                      counted(static_cast<std::int64_t>(from->size()), "node") +
                                      " of the allocation may be used"};
  const auto at_best = choose(spec, wish, *from, true);
  if (!at_best) return never_fits(spec, wish, *from);
  if (spec.gpus > 0 && !gpus_by_node(spec, *at_best, true)) return too_few_gpus(spec, *at_best);
  const auto chosen = choose(spec, wish, *from, false);
  if (!chosen) return StepWaits{"Requested nodes are busy"};
  return nodes_with(spec, *chosen,
                    tasks_by_node(spec, wish.tasks, *chosen, chosen->size() == rooms.size()));
}

}  // namespace cox
