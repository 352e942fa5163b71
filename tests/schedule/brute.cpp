#include "tests/schedule/brute.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "common/syntax/constraint.h"
#include "schedule/model/nodes.h"
#include "schedule/pass/preempt.h"
#include "tests/schedule/random_world.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

bool is_of_type(const PendingJob& job, const GpuDevice& device) {
  const auto& types = job.request->gpu_types;
  return types.empty() || std::ranges::find(types, device.type) != types.end();
}

GangFeatures features_of(const PendingJob& job) {
  const Constraint constraint = *parse_constraint(job.request->constraint);
  return constraint.alternatives.empty() ? GangFeatures{} : constraint.alternatives.front();
}

std::int64_t gres_of(const std::vector<GresCount>& gres) {
  return gres.empty() ? 0 : gres.front().count;
}

std::int64_t licences_of(const Request& request) {
  return request.licences.empty() ? 0 : request.licences.front().count;
}

// Returns how many tasks of the job the node can hold beside the running jobs without those in
// `ended`; 0 if the job cannot use the node at all.
std::int64_t capacity(const SchedulerInput& world, const SchedulerNode& node, const PendingJob& job,
                      const std::set<JobId>& ended) {
  if (!node.available) return 0;
  if (!features_of(job).every.node_satisfies(node.features)) return 0;
  std::int64_t cpus = node.total.cpus;
  std::int64_t memory_mb = node.total.memory_mb;
  std::set<std::int32_t> busy;
  std::int64_t gres = gres_of(node.total.gres);
  bool empty = true;
  for (const RunningJob& running : world.running) {
    if (ended.contains(running.id)) continue;
    for (const NodeGrant& grant : running.grants) {
      if (grant.node != node.name) continue;
      cpus -= grant.cpus;
      memory_mb -= grant.memory_mb;
      gres -= gres_of(running.request->gres);
      busy.insert(grant.gpus.begin(), grant.gpus.end());
      empty = false;
    }
  }
  std::map<std::int32_t, std::int64_t> of_island;
  std::set<std::int32_t> islands;
  std::int64_t gpus = 0;
  for (const GpuDevice& device : node.total.gpus) {
    islands.insert(device.island);
    if (busy.contains(device.index) || !is_of_type(job, device)) continue;
    ++gpus;
    ++of_island[device.island];
  }
  if (job.request->joined_gpus && job.request->gpus_per_node > 1) {
    gpus = 0;
    for (const auto& [island, count] : of_island) gpus = std::max(gpus, count);
    if (job.request->exclusive && islands.size() > 1) return 0;
  }
  if (job.request->exclusive && !empty) return 0;
  if (gres < gres_of(job.request->gres)) return 0;
  if (memory_mb < job.request->memory_mb_per_node || gpus < job.request->gpus_per_node) return 0;
  return std::max<std::int64_t>(cpus / job.request->cpus_per_task, 0);
}

using Chosen = std::vector<const SchedulerNode*>;

// Returns whether the nodes can be divided so that each part has its number of nodes with its
// features. Tries every assignment of nodes to parts.
bool parts_hold(const std::vector<CountedFeatures>& parts, Chosen nodes) {
  if (parts.empty()) return true;
  if (parts.front().nodes == 0)
    return parts_hold({parts.begin() + 1, parts.end()}, std::move(nodes));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!parts.front().term.node_satisfies(nodes[i]->features)) continue;
    Chosen others = nodes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    auto fewer = parts;
    --fewer.front().nodes;
    if (parts_hold(fewer, std::move(others))) return true;
  }
  return false;
}

// Returns whether the nodes are as near to one another as the request demands, by topology level or
// by number of leaf switches. Random worlds have the levels leaf and spine.
bool near_enough(const Request& request, const Chosen& nodes) {
  std::set<std::vector<std::string>> leaves;
  std::set<std::string> spines;
  bool outside = false;
  for (const SchedulerNode* node : nodes) {
    leaves.insert(node->domains);
    outside = outside || node->domains.empty();
    if (!node->domains.empty()) spines.insert(node->domains.front());
  }
  if (request.topology_level == "leaf") return !outside && leaves.size() == 1;
  if (request.topology_level == "spine") return !outside && spines.size() == 1;
  if (request.switches == 0 || nodes.size() == 1) return true;
  return !outside && std::cmp_less_equal(leaves.size(), request.switches);
}

// Returns whether the chosen nodes are consecutive in the order in which Nodes sorts them.
bool are_neighbours(const SchedulerInput& world, const Chosen& chosen) {
  const Nodes order(world.nodes);
  std::vector<NodeAt> at;
  for (const SchedulerNode* node : chosen) at.push_back(*order.find(node->name));
  std::ranges::sort(at);
  return at.empty() || at.back() - at.front() + 1 == std::ssize(at);
}

bool has_topology(const SchedulerInput& world) {
  return std::ranges::any_of(world.nodes,
                             [](const SchedulerNode& n) { return !n.domains.empty(); });
}

bool has_licences(const SchedulerInput& world, const PendingJob& job,
                  const std::set<JobId>& ended) {
  std::int64_t left = licences_there;
  for (const RunningJob& running : world.running)
    if (!ended.contains(running.id)) left -= licences_of(*running.request);
  return left >= licences_of(*job.request);
}

bool chosen_hold(const SchedulerInput& world, const PendingJob& job, const std::set<JobId>& ended,
                 unsigned chosen) {
  std::int64_t held = 0;
  std::set<std::string> names;
  Chosen nodes;
  Request request = *job.request;
  if (!has_topology(world)) request.switches = 0;
  const bool bound = !features_of(job).some.empty() || request.switches > 0 ||
                     !request.topology_level.empty() || request.contiguous || request.min_cpus > 0;
  const std::int64_t even = (request.tasks + request.nodes - 1) / request.nodes;
  for (std::size_t i = 0; i < world.nodes.size(); ++i) {
    if ((chosen >> i & 1u) == 0) continue;
    std::int64_t tasks = capacity(world, world.nodes[i], job, ended);
    if (tasks == 0) return false;
    if (job.request->tasks_per_node > 0) tasks = std::min(tasks, job.request->tasks_per_node);
    if (bound && tasks < even) return false;
    held += tasks;
    nodes.push_back(&world.nodes[i]);
    names.insert(world.nodes[i].name);
  }
  if (request.contiguous && !are_neighbours(world, nodes)) return false;
  if (!near_enough(request, nodes) || !parts_hold(features_of(job).some, nodes)) return false;
  return held >= job.request->tasks &&
         static_cast<std::int64_t>(names.size()) == job.request->nodes &&
         std::ranges::all_of(job.request->nodelist,
                             [&](const auto& name) { return names.contains(name); });
}

}  // namespace

bool brute_fits(const SchedulerInput& world, const PendingJob& job, const std::set<JobId>& ended) {
  if (!has_licences(world, job, ended)) return false;
  for (unsigned chosen = 0; chosen < (1u << world.nodes.size()); ++chosen)
    if (chosen_hold(world, job, ended, chosen)) return true;
  return false;
}

bool brute_allows(const SchedulerInput& world, const PendingJob& job, const Placement& placement) {
  unsigned chosen = 0;
  for (std::size_t i = 0; i < world.nodes.size(); ++i)
    if (std::ranges::find(placement, world.nodes[i].name, &NodeGrant::node) != placement.end())
      chosen |= 1u << i;
  return has_licences(world, job, {}) && chosen_hold(world, job, {}, chosen);
}

std::int64_t brute_cost(const RunningJob& job, const Settings& settings) {
  const Milliseconds lost = start_of_time - *job.unsaved_since + settings.preempt_restart_cost;
  const std::int64_t cost = job.preempt_weight * std::llround(job.loss_per_second_units *
                                                              static_cast<double>(lost.count()));
  const auto lately = std::ranges::count_if(job.preempted, [&](Boot when) {
    return start_of_time - when < settings.preempt_budget_window;
  });
  const bool spent = settings.preempt_budget > 0 && lately >= settings.preempt_budget;
  return spent ? budget_spent_price * std::max<std::int64_t>(cost, 1) : cost;
}

namespace {

bool may_be_preempted(const RunningJob& running, const PendingJob& job, const Settings& settings) {
  if (!running.preemptable || running.stopping || running.tier >= job.tier) return false;
  const auto exempt = running.exempt_time ? *running.exempt_time : settings.preempt_exempt_time;
  return start_of_time - running.began >= exempt;
}

}  // namespace

std::optional<BruteVictims> brute_victims(const SchedulerInput& world, const PendingJob& job,
                                          const Settings& settings) {
  std::vector<const RunningJob*> candidates;
  std::set<JobId> stopping;
  for (const RunningJob& running : world.running) {
    if (running.stopping) stopping.insert(running.id);
    if (may_be_preempted(running, job, settings)) candidates.push_back(&running);
  }
  std::optional<BruteVictims> best;
  for (unsigned chosen = 0; chosen < (1u << candidates.size()); ++chosen) {
    std::set<JobId> ended = stopping;
    BruteVictims victims;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if ((chosen >> i & 1u) == 0) continue;
      ended.insert(candidates[i]->id);
      ++victims.count;
      victims.cost += brute_cost(*candidates[i], settings);
    }
    const bool better =
        !best || std::pair(victims.cost, victims.count) < std::pair(best->cost, best->count);
    if (better && brute_fits(world, job, ended)) best = victims;
  }
  return best;
}

}  // namespace cox::schedule
